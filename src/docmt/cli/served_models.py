"""The models of `docmt serve` and `docmt mcp`: those of runs, or all installed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from docmt.cli.options import Options
from docmt.recipes.search import SearchSettings

if TYPE_CHECKING:
    from docmt.serving.models import Models
    from docmt.translators.translator import Translator

SEARCH = Options(
    "Search", fields_of=SearchSettings, only=("beam_size", "precision", "compiled", "shortlist")
)

RUNS = typer.Argument(
    metavar="[RUN]...",
    help="Run directories of systems and language models. Of several for the same languages, the "
    "first is the default. Default: all installed models (`docmt models`), pairs through English "
    "included, and the bundled model.",
    show_default=False,
)


def unchanged(translator: Translator) -> Translator:
    """The translator as it is."""
    return translator


def load_models(
    runs: list[str] | None,
    search: Mapping[str, Any],
    with_model: Callable[[Translator], Translator] = unchanged,
) -> Models:
    """The models of the runs, or else the installed models, each loaded when it is first used."""
    return _load(runs, search, with_model) if runs else _installed(search, with_model)


def _installed(search: Mapping[str, Any], with_model: Callable[[Translator], Translator]) -> Models:
    """The translators of all installed models, each loaded when it is first used."""
    from docmt.models import InstalledModels, PairTranslators
    from docmt.serving.models import DeferredTranslator, Model, Models

    translators = PairTranslators(InstalledModels.default(), search)
    models = []

    def load_pair(pair: tuple[str, str]) -> Translator:
        return with_model(translators.translator(*pair))

    for pair in translators.pairs():
        load = partial(load_pair, pair)
        models.append(Model("-".join(pair), DeferredTranslator(pair, load)))
    return Models(models)


def _load(
    runs: list[str], search: Mapping[str, Any], with_model: Callable[[Translator], Translator]
) -> Models:
    """Load the translators of run directories."""
    from docmt.runs.open_run import open_run
    from docmt.serving.models import Model, Models

    models = []
    for run in runs:
        name = run.partition(":")[2] or Path(run).resolve().name
        opened = open_run(run)
        # Options of search have no effect on a translator that does not search.
        options = {key: value for key, value in search.items() if key in opened.options}
        models.append(Model(name, with_model(opened.translator(**options))))
    return Models(models)
