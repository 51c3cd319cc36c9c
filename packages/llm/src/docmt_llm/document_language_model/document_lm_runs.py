"""A translator with a document language model: from a run directory or the files of a model, with
the weight that `docmt tune-document-lm` has written into the translator's run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.translating.word_aligner import system_of
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, write_text
from docmt_files.storage.json_files import json_text, read_json
from docmt_llm.document_language_model.document_lm import (
    DocumentLM,
    DocumentLMSettings,
    IsSuspicious,
    ScoreSentences,
)
from docmt_llm.in_process.text_model import TextModel
from docmt_llm.recipes.language_model_recipe import LanguageModelRecipe
from docmt_nmt.text.forms import FormTable
from docmt_nmt.translators.decorator import undecorated
from docmt_nmt.translators.translator import Translator

if TYPE_CHECKING:
    from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator

FILE = "document_lm.json"
"""The file in the run directory of a translator."""


def load_text_model(path: PathLike, *, device: str | None = None) -> TextModel:
    """Load a language model.

    Args:
        path: the run directory of a language model in this process, a GGUF file, or a folder of
            `transformers`.
        device: where to compute. Default: a GPU if there is one.

    Raises:
        InputError: it is something else, or cannot be loaded.
    """
    from docmt_llm.in_process.text_probabilities import CausalTextModel
    from docmt_nmt.runs.open_run import open_run

    name = str(path)
    if (Path(path) / "recipe.yaml").is_file():
        recipe = open_run(path).recipe
        if not isinstance(recipe, LanguageModelRecipe) or recipe.system.dialect != "transformers":
            raise InputError(
                "is not the run of a language model in this process, which gives the probability "
                "of text",
                path=path,
                cure="Make one with `docmt import huggingface`",
            )
        name = recipe.system.model
    return CausalTextModel.load(name, device=device)


def with_document_lm(
    translator: Translator, model: TextModel, settings: DocumentLMSettings | None = None
) -> Translator:
    """A translator with a document language model. Of two translators through a language between,
    the second one gets it.

    Args:
        translator: the translator.
        model: the language model.
        settings: how it chooses. Default: as in the translator's run, if it was tuned with this
            model, otherwise the defaults.

    Raises:
        InputError: the translator does not give several translations of each sentence, or the file
            of the run is damaged.
    """
    *_, last = translator.stages
    return translator.with_last_stage(document_lm_over(last, model, settings))


def document_lm_over(
    translator: Translator, model: TextModel, settings: DocumentLMSettings | None = None
) -> DocumentLM:
    """A document language model over one translator, with the table of forms of the target
    language; arguments as of `with_document_lm`."""
    settings = settings or _tuned(translator, model) or DocumentLMSettings()
    table = FormTable.of(translator.languages[1])
    score, is_suspicious = _functions(translator)
    return DocumentLM(translator, model, settings, table, score, is_suspicious)


def takes_document_lm(translator: Translator) -> bool:
    """True if a translator gives several translations of each sentence."""
    *_, last = translator.stages
    return last.gives >= DocumentLM.NEEDS


def write_settings(run: PathLike, model: TextModel, settings: DocumentLMSettings) -> None:
    """Write the settings with a language model into the run directory of a translator."""
    value = {"language_model": dict(model.identity), **settings.model_dump()}
    write_text(Path(run) / FILE, json_text(value, indent=2) + "\n")


def _tuned(translator: Translator, model: TextModel) -> DocumentLMSettings | None:
    """The settings in the run of a translator, if they are of this language model."""
    run: Any = getattr(undecorated(translator), "run", None)
    path = None if run is None else Path(run.directory) / FILE
    if path is None or not path.is_file():
        return None
    value = read_json(path)
    if value.pop("language_model", None) != dict(model.identity):
        return None
    return DocumentLMSettings.read(value, path=path)


def _functions(translator: Translator) -> tuple[ScoreSentences | None, IsSuspicious | None]:
    """The functions that score and check sentences. Sentences with exchanged forms are scored by a
    system of docmt that translates sentences alone."""
    if (inner := system_of(translator)) is None:
        return None, None
    # It needs torch.
    from docmt_files.base.documents import Document
    from docmt_nmt.decoding.label_probabilities import mean_log_probabilities
    from docmt_nmt.translators.checks.translation_checks import CheckThresholds, check_translation

    thresholds = inner.thresholds or CheckThresholds.default(inner.languages)

    def score(pairs: Any) -> list[float]:
        return mean_log_probabilities(inner, pairs)

    def is_suspicious(source: str, target: str, log_probability: float) -> bool:
        document = Document("candidate", (source,), (target,))
        values = [log_probability]
        return bool(
            check_translation(document, thresholds, inner.languages, log_probabilities=values)
        )

    return (score if _reads_sentences_alone(inner) else None), is_suspicious


def _reads_sentences_alone(translator: BeamSearchTranslator) -> bool:
    instances = translator.instances
    return (
        instances.kind == "sentence"
        and not instances.previous_sentences
        and translator.contexts is None
    )
