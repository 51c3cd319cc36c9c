"""`docmt demo`: train on the bundled corpus, translate its test split, and evaluate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli._terminal import output_console, progress_bar

if TYPE_CHECKING:
    from rich.table import Table

    from docmt.documents import Document

_RECIPE = "demo-g-transformer-finetuned"
_LOG_WIDTH = 120
"""Width of the tables if standard output is not a terminal."""

_SHOWN_SENTENCES = 12
"""The approximate number of sentences of the document that is shown."""


def demo(
    *,
    recipe: Annotated[
        str,
        typer.Option(
            metavar="RECIPE",
            help="Recipe to train: a bundled one or a YAML file, with a test split.",
        ),
    ] = _RECIPE,
    run: Annotated[
        Path | None, typer.Option(help="Run directory. Default: runs/ and the recipe's name.")
    ] = None,
) -> None:
    """Train a small system, translate documents it has not seen, and show one with all scores.

    Run the command again to resume an interrupted demo; a finished run is not trained again.
    """
    from docmt.analysis.split_scores import check_split, score_split
    from docmt.cli.train import train
    from docmt.evaluation.tables import print_evaluation
    from docmt.recipes import load

    run = run or Path("runs") / Path(recipe).stem
    check_split(load(recipe), "test")
    train(recipe, run=run)
    with progress_bar("translating the test split") as progress:
        evaluation, translations, references = score_split(run, "test", progress=progress)
    console = output_console(width=None if sys.stdout.isatty() else _LOG_WIDTH)
    shown = min(translations, key=lambda t: abs(len(t.document) - _SHOWN_SENTENCES))
    reference = references[translations.index(shown)]
    if shown.document.joined is not None:
        reference = reference.join(shown.document.joined)
    console.print(_side_by_side(shown.document, reference))
    print_evaluation(evaluation, console)


def _side_by_side(translated: Document, reference: Document) -> Table:
    """A table of a document's sentences: source, translation, reference."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    assert translated.target is not None and reference.target is not None
    table = Table("source", "translation", "reference", title=f"Document {translated.id}")
    table.box, table.show_lines = box.SIMPLE_HEAD, True
    for sentences in zip(translated.source, translated.target, reference.target, strict=True):
        table.add_row(*map(Text, sentences))
    return table
