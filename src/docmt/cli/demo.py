"""`docmt demo`: all of it on the bundled corpus: train, translate the test split, judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.terminal import progress_bar
from docmt.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from docmt.documents import Document

RECIPE = "demo-g-transformer-finetuned"
LOG_WIDTH = 120
"""Columns of the tables where standard output is no terminal."""

SHOWN_SENTENCES = 12
"""About how long the document is that is shown."""


def demo(
    *,
    recipe: Annotated[str, typer.Option(help="The recipe to train: one that has a test split.")] = (
        RECIPE
    ),
    run: Annotated[
        Path | None, typer.Option(help="The run directory. Default: runs/ and the recipe's name.")
    ] = None,
) -> None:
    """Train a small system, translate documents it has not seen, and show one of them.

    The same command again goes on where it was interrupted; a finished run only translates.
    """
    from rich.console import Console

    from docmt.cli.train import train
    from docmt.data.prepare import documents_of
    from docmt.decoding import Translator
    from docmt.evaluation import evaluate
    from docmt.evaluation.report import full_lines, score_table
    from docmt.recipes import load

    run = run or Path("runs") / Path(recipe).stem
    settings = load(recipe)
    if settings.data.test is None:
        raise InputError("data.test is missing", cure="Name a recipe that has a test split")
    train(recipe, run=run)
    references = list(documents_of(settings.data, "test"))
    with progress_bar("translating the test split") as progress:
        translations = Translator.load(run).translate(references, progress)
    scores = evaluate(
        [translation.document for translation in translations],
        references,
        metrics=settings.evaluation.metrics,
        lowercase=settings.evaluation.lowercase,
        language=settings.data.target_language,
        instances=[size for translation in translations for size in translation.chunks],
    )
    console = Console(width=None if sys.stdout.isatty() else LOG_WIDTH)
    shown = min(translations, key=lambda t: abs(len(t.document) - SHOWN_SENTENCES))
    reference = references[translations.index(shown)]
    console.print(side_by_side(shown.document, reference))
    console.print(score_table(scores))
    console.print(full_lines(scores), markup=False, soft_wrap=True)


def side_by_side(translated: Document, reference: Document) -> Table:
    """A document's sentences in rows: source, translation, reference."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    assert translated.target is not None and reference.target is not None
    table = Table("source", "translation", "reference", title=f"Document {translated.id}")
    table.box, table.show_lines = box.SIMPLE_HEAD, True
    for row in zip(translated.source, translated.target, reference.target, strict=True):
        table.add_row(*map(Text, row))
    return table
