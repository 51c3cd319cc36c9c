"""The models of `docmt serve` and `docmt mcp`: those of runs, or all installed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from docmt.cli.options import Options
from docmt.cli.terminal import inform
from docmt_files.base.errors import InputError
from docmt_files.base.wording import megabytes
from docmt_nmt.recipes.search import SearchSettings

if TYPE_CHECKING:
    from docmt_nmt.translators.translator import Translator
    from docmt_serve.models.models import Models

SEARCH = Options(
    "Search", fields_of=SearchSettings, only=("beam_size", "precision", "compiled", "shortlist")
)

RUNS = typer.Argument(
    metavar="[RUN]...",
    help="Run directories of systems and language models. Of several for the same languages, the "
    "first is the default. Default: all installed models (`docmt models`), adapted ones and pairs "
    "through English included. `bundled:en-de` is a sample.",
    show_default=False,
)


def unchanged(translator: Translator) -> Translator:
    """The translator as it is."""
    return translator


def load_models(
    runs: list[str] | None,
    search: Mapping[str, Any],
    decorate: Callable[[Translator], Translator] = unchanged,
    registry: str | None = None,
) -> Models:
    """The models of the runs, or else the installed models, each loaded when it is first used.

    Args:
        runs: run directories.
        search: options of search.
        decorate: adds what stands over a translator.
        registry: the registry from which people may get further models.

    Raises:
        InputError: a run or the registry cannot be read, or both are given.
    """
    if not runs:
        return _installed(search, decorate, registry)
    if registry is not None:
        raise InputError(
            "`models_from` adds to the installed models, and runs are given in place of them",
            cure="Leave out one of both",
            parameters=("models_from",),
        )
    return _load(runs, search, decorate)


def get_models(pairs: Iterable[str], runs: list[str] | None, registry: str | None) -> None:
    """Get and install the models of pairs that are not installed. If all are, nothing is asked of
    the network.

    Args:
        pairs: pairs such as `en-pt`.
        runs: run directories, with which the installed models are not served.
        registry: the registry that has them. Default: Mozilla's.

    Raises:
        InputError: runs are given as well, or a model cannot be had.
    """
    from docmt.models import InstalledModels
    from docmt_nmt.compiling.compile_anywhere import install_compiled

    models = InstalledModels.default()
    missing = [pair for pair in pairs if models.get(pair.lower()) is None]
    if not missing:
        return
    if runs:
        raise InputError(
            "`get` adds to the installed models, and runs are given in place of them",
            cure="Leave out one of both",
            parameters=("get",),
        )
    known = models.registry(_place(registry))
    for model in [known.model(pair) for pair in missing]:
        inform(f"getting {model.pair} ({megabytes(model.size)})")
        install_compiled(models.install(model, known).directory)


def _place(registry: str | None) -> str:
    """The place of a registry as people name it."""
    from docmt.models import MOZILLA

    return MOZILLA if registry is None or registry == "mozilla" else registry


def _installed(
    search: Mapping[str, Any], decorate: Callable[[Translator], Translator], registry: str | None
) -> Models:
    """The translators of all installed models, each loaded when it is first used."""
    from docmt.models import InstalledModels, PairTranslators
    from docmt_serve.models.further_models import FurtherModels
    from docmt_serve.models.models import DeferredTranslator, Model, Models

    translators = PairTranslators(InstalledModels.default(), search)

    def load_pair(pair: tuple[str, str]) -> Translator:
        return decorate(translators.translator(*pair))

    def make(pair: tuple[str, str]) -> Model:
        return Model("-".join(pair), DeferredTranslator(pair, partial(load_pair, pair)))

    def load_named(name: str) -> Translator:
        return decorate(translators.named(name))

    # After the models of pairs, which are the default.
    further = [
        Model(each.name, DeferredTranslator(each.languages, partial(load_named, each.name)))
        for each in translators.further()
    ]
    if registry is None:
        return Models([*map(make, translators.pairs()), *further])
    known = translators.models.registry(_place(registry))
    return FurtherModels(translators, known, make, further)


def _load(
    runs: list[str], search: Mapping[str, Any], decorate: Callable[[Translator], Translator]
) -> Models:
    """Load the translators of run directories."""
    from docmt_nmt.runs.open_run import open_for_translation
    from docmt_serve.models.models import Model, Models

    models = []
    for run in runs:
        name = run.partition(":")[2] or Path(run).resolve().name
        opened = open_for_translation(run)
        # Options of search have no effect on a translator that does not search.
        options = {key: value for key, value in search.items() if key in opened.options}
        models.append(Model(name, decorate(opened.translator(**options))))
    return Models(models)
