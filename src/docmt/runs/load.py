"""`load` and `load_scorer`: the translator and the scorer of a run directory, whatever it is: a
system that docmt trained, or a large language model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from docmt.bundled import DEFAULT
from docmt.ground.choices import Precision
from docmt.ground.errors import InputError
from docmt.recipes.search import SearchOverrides
from docmt.storage.files import PathLike

if TYPE_CHECKING:
    from docmt.language_models.language_model import LanguageModelTranslator
    from docmt.runs.engine_run import EngineRun
    from docmt.runs.system_run import Run
    from docmt.translators.requests import Translator
    from docmt.translators.scorer import Scorer

_SECTIONS = {"temperature": "request", "seed": "request", "max_tokens_total": "budget"}
"""The section of a language model's recipe that has a key which can be overridden."""


class Overrides(SearchOverrides, total=False):
    """Keys of a run's recipe that a translator is loaded with other values of."""

    max_tokens_total: int | None


def load(
    run: PathLike | Run | EngineRun = DEFAULT,
    *,
    device: str | None = None,
    processes: int | None = 1,
    **overrides: Unpack[Overrides],
) -> Translator:
    """Load the translator of a run directory.

    Args:
        run: the directory, or what `docmt.runs.engine_run.open_run` gives for it. Default: the bundled
            model.
        device: where to compute; default: a GPU if there is one.
        processes: how many processes of one thread each search batches of a trained system, which
            are forked for each request and share the weights; None for as many as are fastest.
            Default: this process, with its threads.
        overrides: keys of the recipe's `search` section, such as `beam_size=1`; None keeps what the
            recipe says. Of a language model, `temperature`, `seed` and `max_tokens_total`.

    Raises:
        InputError: the directory is not a run that can translate, or an override is not valid or
            has no effect with the run.

    >>> import docmt
    >>> docmt.load(beam_size=2).translate_text("Open the file.")
    'Öffnen Sie die Datei.'
    """
    from docmt.runs.engine_run import EngineRun, open_run
    from docmt.runs.system_run import Run

    opened = run if isinstance(run, Run | EngineRun) else open_run(run)
    given: dict[str, Any] = {k: value for k, value in overrides.items() if value is not None}
    if isinstance(opened, EngineRun):
        if processes not in (None, 1):
            raise InputError(
                f"`processes` has no effect with {opened.directory}, which is the run of a "
                "language model",
                cure="Leave it out",
            )
        return _language_model(opened, device, given)
    if "max_tokens_total" in given:
        raise InputError(
            "`max_tokens_total` has no effect with a run that docmt trained or imported, which "
            "costs nothing but time",
            cure="Leave it out",
        )
    from docmt.decoding import BeamSearchTranslator

    return BeamSearchTranslator.of(opened, device=device, **given).searching_in(processes)


def load_scorer(
    run: PathLike = DEFAULT, *, device: str | None = None, precision: Precision | None = None
) -> Scorer:
    """Load the scorer of a run directory, which gives the log-probability of given translations.

    Args:
        run: the directory. Default: the bundled model.
        device: where to compute; default: a GPU if there is one.
        precision: the number format to compute in, of what this process computes; default: that of
            the recipe, or of a language model's files.

    Raises:
        InputError: the directory is not a run that can score, or the endpoint of its language model
            gives no log-probabilities of given text.

    >>> from docmt import Document
    >>> ((score,),) = load_scorer().score([Document("1", ("Yes.",), ("Ja.",))])
    >>> score.tokens[-1]
    '</s>'
    """
    from docmt.runs.engine_run import EngineRun, open_run

    opened = open_run(run)
    if isinstance(opened, EngineRun):
        from docmt.language_models.language_model_scorer import LanguageModelScorer

        return LanguageModelScorer(_language_model(opened, device, {}, precision))
    from docmt.decoding import BeamSearchTranslator, SystemScorer

    return SystemScorer(BeamSearchTranslator.of(opened, device=device, precision=precision))


def _language_model(
    run: EngineRun,
    device: str | None,
    overrides: dict[str, Any],
    precision: Precision | None = None,
) -> LanguageModelTranslator:
    """The translator of a language model's run, with other values of some keys."""
    from docmt.language_models.language_model import LanguageModelTranslator
    from docmt.language_models.model_opening import open_model

    recipe = run.recipe
    changed = {name: getattr(recipe, name) for name in set(_SECTIONS.values())}
    for key, value in overrides.items():
        if key not in _SECTIONS:
            raise InputError(
                f"`{key}` has no effect with {run.directory}, which is the run of a language model",
                cure="Leave it out; `docmt recipes keys language-model` lists what its recipe.yaml "
                "can set",
            )
        section = changed[_SECTIONS[key]]
        changed[_SECTIONS[key]] = type(section).read(section.model_dump() | {key: value})
    if device is not None and recipe.system.dialect != "transformers":
        raise InputError(
            f"`device` has no effect with {run.directory}, whose model an endpoint runs",
            cure="Leave it out",
        )
    recipe = recipe.model_copy(update=changed)
    model = open_model(
        recipe.system,
        recipe.request,
        recipe.budget,
        folder=run.directory,
        device=device,
        precision=precision,
    )
    languages = recipe.data.source_language, recipe.data.target_language
    return LanguageModelTranslator(model, languages, recipe.context, recipe.request)
