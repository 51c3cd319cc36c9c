"""Run directories from models trained by other programs. An imported run translates, is evaluated
and is trained further like any other run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor

from docmt.interop import bert, huggingface_weights
from docmt.interop import fairseq_checkpoints as fairseq
from docmt.interop.huggingface_tokenizers import read_model_tokenizer
from docmt.interop.importers import ImportRequest, importable_models, importer_of
from docmt.interop.pretrained_pipeline import pretrained_pipeline
from docmt.interop.weight_checks import SizeNames, check_fits, check_tensors
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.base.choices import Tokenization
from docmt_nmt.base.special_tokens import LanguageTokens
from docmt_nmt.data import DataSettings, InstanceSettings
from docmt_nmt.recipes.recipe import Recipe
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.runs.run import Run, check_new
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.systems import EncoderDecoderSettings
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.text import SIDES, Pipeline, Side, Subwords


def import_fairseq(
    checkpoint: PathLike,
    dictionary: PathLike,
    run: PathLike,
    *,
    languages: tuple[str, str],
    codes: PathLike | None = None,
    truecase: PathLike | None = None,
    tokenize: Tokenization = "none",
    instances: InstanceSettings | None = None,
) -> Run:
    """Make a run directory from a fairseq checkpoint, such as the published G-Transformers.

    Args:
        checkpoint: the checkpoint file.
        dictionary: the shared dictionary of the training, one token and count per line.
        run: the directory to make.
        languages: codes of the source and the target language.
        codes: BPE merge operations; without them, text must already be segmented.
        truecase: a Moses truecasing model.
        tokenize: how text is tokenized, and the output detokenized; truecasing needs `moses`.
        instances: the text translated at once; default: 512 tokens for a G-Transformer, one
            sentence for a Transformer.

    Raises:
        InputError: a file is missing or damaged, the checkpoint is of an unsupported kind, or
            dictionary and checkpoint do not belong together.

    >>> import_fairseq(
    ...     "checkpoint_best.pt", "dict.en.txt", "runs/published", languages=("en", "de")
    ... )  # doctest: +SKIP
    """
    check_new(run)
    data = DataSettings.read({"source_language": languages[0], "target_language": languages[1]})
    arguments, weights = fairseq.read_checkpoint(checkpoint)
    settings = fairseq.system_settings(arguments, path=checkpoint)
    language_tokens = [
        f"[{language}]" for language in str(arguments.get("langs", "")).split(",") if language
    ]
    pipeline = Pipeline.from_fairseq(
        languages,
        dictionary,
        codes=codes,
        truecase=truecase,
        tokenize=tokenize,
        extra=[*language_tokens, "<mask>"],
    )
    check_tensors(weights, checkpoint)
    state = fairseq.rename(weights, shared=settings.share_embeddings, path=checkpoint)
    size = len(state["target_embedding.table.weight"])
    if size != len(pipeline.target_vocabulary):
        raise InputError(
            f"gives a vocabulary of {len(pipeline.target_vocabulary)} tokens, special tokens "
            f"included, but the checkpoint has {size}",
            path=dictionary,
            cure="Name the dictionary that the checkpoint was trained with",
        )
    document_level = isinstance(settings, GTransformerSettings)
    recipe = Recipe(
        description=f"Imported from the fairseq checkpoint {Path(checkpoint).name}",
        data=data,
        text=pipeline.settings,
        instances=instances or InstanceSettings(kind="tokens" if document_level else "sentence"),
        system=settings,
        # In fairseq, a sentence of n words gets at most int(1.2 · (n − 1) + 10) tokens.
        search=SearchSettings(max_length_factor=1.2, max_length_offset=8.8),
    )
    sizes = size, size
    return _create(run, recipe, pipeline, state, sizes, checkpoint, fairseq.SIZE_NAMES)


def import_huggingface(
    name: str,
    run: PathLike,
    *,
    languages: tuple[str | None, str | None] = (None, None),
    all_languages: Sequence[str] = (),
    pickle: bool = False,
    recipe: PathLike | None = None,
    overrides: Sequence[str] = (),
) -> Run:
    """Make a run directory from a pretrained encoder-decoder (Marian, BART, mBART, M2M100 or NLLB),
    encoder (BERT), or a model that an installed package takes (`docmt.interop.importers`).

    The run of an encoder cannot translate; systems begin with it.

    Args:
        name: a folder or a file, or a name on the Hugging Face hub.
        run: the directory to make.
        languages: codes of the source and the target language; the first part of a code is enough
            if only one language begins with it. None for the language named in the tokenizer's
            files. A run of mBART, M2M100 or NLLB translates between all languages of the model;
            these are the languages where a command names none.
        all_languages: of a model of another package, the codes of all languages of the run.
        pickle: whether to read a pickle if there are no safetensors; no code in it is run.
        recipe: of a model of another package, the rest of the run's recipe: a bundled name or a
            file.
        overrides: of a model of another package, `key.sub=value` each, for the recipe.

    Raises:
        InputError: a file is missing or damaged, the model is of an unsupported family, a language
            is missing or not known, or tokenizer and weights do not fit.

    >>> import_huggingface("Helsinki-NLP/opus-mt-en-de", "runs/opus")  # doctest: +SKIP
    """
    check_new(run)  # before a download, which may take long
    asked = ImportRequest(
        name, Path(name), run, languages, all_languages, pickle, recipe, overrides
    )
    if importer := importer_of(name, None):
        return importer.make(asked)
    folder = huggingface_weights.find_model(name, pickle=pickle)
    asked = replace(asked, path=folder)
    if not huggingface_weights.is_supported(folder):
        if importer := importer_of(name, folder):
            return importer.make(asked)
        raise huggingface_weights.unsupported(folder, importable_models())
    asked.refuse_all_languages()
    config = huggingface_weights.read_config(folder)
    if recipe is not None or overrides:
        raise InputError(
            f"keys of a recipe have no effect with {name}, whose files have all settings",
            cure="Leave out `recipe` and keys; a recipe of a training can name the imported run",
            parameters=("recipe",),
        )
    weights = huggingface_weights.read_weights(folder, pickle=pickle)
    check_tensors(weights, folder)
    if config["model_type"] == "bert":
        return _import_bert(name, run, folder, config, weights, languages)
    state = huggingface_weights.rename(weights, config, path=folder)
    settings = huggingface_weights.system_settings(config, state, path=folder)
    source, target = (state[f"{side}_embedding.table.weight"] for side in SIDES)
    sizes = len(source), len(target)
    tokenizer = read_model_tokenizer(folder, config, sizes)
    special_tokens, codes = tokenizer.special_tokens(languages)
    data = DataSettings.read({"source_language": codes[0], "target_language": codes[1]})
    joint = settings.share_embeddings
    many = LanguageTokens(tokenizer.languages, *codes, special_tokens)
    languages_of_many = many if tokenizer.languages and codes[0] != codes[1] else None
    pipeline = pretrained_pipeline(
        codes, tokenizer.subwords, special_tokens, joint=joint, language_tokens=languages_of_many
    )
    search = {key: config[key] for key in ("length_penalty",) if key in config}
    if config.get("num_beams", 1) != 1:
        search["beam_size"] = config["num_beams"]
    # The third value of transformers, "never", is a looser bound than `false`.
    stopping = config.get("early_stopping", False)
    search["early_stopping"] = False if stopping == "never" else stopping
    imported = Recipe(
        description=f"Imported from the pretrained model {name}",
        data=data,
        text=pipeline.settings,
        instances=InstanceSettings(kind="sentence"),
        system=settings,
        search=SearchSettings.read(search, path=folder),
    )
    names = huggingface_weights.SIZE_NAMES
    return _create(run, imported, pipeline, state, sizes, folder, names)


def _import_bert(
    name: str,
    run: PathLike,
    folder: Path,
    config: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    languages: tuple[str | None, str | None],
) -> Run:
    """Make a run directory of a BERT, which reads one language."""
    language, target = languages
    if language is None or target not in (None, language):
        raise InputError(
            "BERT reads one language, and its files do not name it",
            path=folder,
            cure="Give `source_language`, and no `target_language`",
            parameters=("source_language", "target_language"),
        )
    state = bert.rename(weights, path=folder)
    settings = bert.system_settings(config, state, path=folder)
    size = len(state["source_embedding.table.weight"])
    tokenizer, special_tokens = bert.read_tokenizer(folder, size)
    both: dict[Side, Subwords] = {"source": tokenizer, "target": tokenizer}
    pipeline = pretrained_pipeline((language, language), both, special_tokens, joint=True)
    recipe = Recipe(
        description=f"Imported from the pretrained encoder {name}",
        data=DataSettings.read({"source_language": language, "target_language": language}),
        text=pipeline.settings,
        instances=InstanceSettings(
            kind="masked", window=1, max_tokens=min(512, settings.max_positions or 512)
        ),
        system=settings,
    )
    return _create(run, recipe, pipeline, state, (size, size), folder, bert.SIZE_NAMES)


def _create(
    run: PathLike,
    recipe: Recipe,
    pipeline: Pipeline,
    state: Mapping[str, Tensor],
    vocabulary_sizes: tuple[int, int],
    path: PathLike,
    names: SizeNames,
) -> Run:
    """Make a run directory, if the weights fit the system of the recipe."""
    assert isinstance(recipe.system, EncoderDecoderSettings)
    check_fits(recipe.system, state, vocabulary_sizes, path, names)
    return SystemRun.create_whole(run, recipe, pipeline, state)
