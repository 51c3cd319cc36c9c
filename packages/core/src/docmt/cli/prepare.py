"""`docmt prepare`: turn a recipe's corpus into the folder that training reads."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.arguments import Overrides, RecipeName
from docmt.cli.terminal import note, on_terminal, output_console

_PROGRESS_EVERY = 50
"""Number of documents between progress reports."""


def prepare(
    recipe: RecipeName,
    overrides: Overrides = None,
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Folder to write. A folder that `docmt prepare` wrote before is replaced.",
        ),
    ],
) -> None:
    """Fit the text pipeline on a recipe's corpus, encode all splits, and report their sizes.

    `docmt train` also does this. Prepare a corpus beforehand to share it between several recipes:
    set `data.prepared` to the folder.
    """

    from docmt_nmt.data import preparation
    from docmt_nmt.recipes import load

    settings = load(recipe, overrides or [], note)
    with _progress_status() as progress:
        report = preparation.prepare(settings, output, progress=progress)
    output_console().print(report)
    keys = [*(overrides or []), f"data.prepared={output}"]
    typer.echo(f"Prepared. Train with: {shlex.join(['docmt', 'train', recipe, *keys])} --run RUN")


@contextmanager
def _progress_status() -> Iterator[Callable[[str, int], None] | None]:
    """Show the current step on standard error. Yields None if standard error is not a terminal."""
    if not on_terminal():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("Reading") as status:

        def report_progress(what: str, documents: int) -> None:
            if documents % _PROGRESS_EVERY == 1:
                activity = "Fitting the text pipeline" if what == "fit" else f"Encoding {what}"
                status.update(f"{activity}: {documents:,} documents")

        yield report_progress
