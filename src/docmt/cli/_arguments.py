"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.documents import Boundaries
from docmt.errors import InputError

if TYPE_CHECKING:
    from docmt.evaluation.discourse import CategorySettings


def complete_recipes(incomplete: str) -> list[str]:
    """The bundled recipes whose names begin with what was typed, for completion in the shell."""
    from docmt.recipes.bundle import names

    return [name for name in names() if name.startswith(incomplete)]


RecipeName = Annotated[
    str,
    typer.Argument(
        metavar="RECIPE",
        help="Name of a bundled recipe, or path of a YAML file.",
        autocompletion=complete_recipes,
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="KEY=VALUE", help="Keys to change, for example `training.max_steps=500`."
    ),
]
RunDirectory = Annotated[Path, typer.Option(help="Run directory of the trained system.")]
SourceFile = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        help="Source text: a line file, or a corpus of both sides (`.tsv`, `.jsonl`, `.parquet`, "
        "`.sgm`, `.xml`, `.tmx`); `-` is standard input.",
    ),
]
TargetFile = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Its translation, unless the source file holds both sides."),
]
LineBoundaries = Annotated[
    Boundaries | None,
    typer.Option(
        help="How line files show where documents begin. Default: `markers` if the first line is "
        "`<d>`, else `docids` if `--docids` is given, else `none`: the file is one document."
    ),
]
DocumentIds = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="For line files, a file with one line per document: its id, a tab, its number of "
        "sentences.",
    ),
]
CategoryLists = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="With `--where`, a JSON file of words and limits by which sentences are categorized, "
        "for languages other than English; see the guide to discourse.",
    ),
]


def category_settings(path: str | None, *, where: bool) -> CategorySettings | None:
    """By what `--where` categorizes sentences; None without it.

    Args:
        path: the file of `--category-lists`, if there is one.
        where: whether `--where` is given.

    Raises:
        InputError: the file is not of settings, or is given without `--where`.
    """
    from docmt.evaluation.discourse import CategorySettings

    if path is None:
        return CategorySettings() if where else None
    if not where:
        raise InputError(
            "--category-lists has no effect without --where", cure="Add --where, or leave it out"
        )
    return CategorySettings.read(path)
