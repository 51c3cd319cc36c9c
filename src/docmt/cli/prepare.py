"""`docmt prepare`: from a recipe's corpus to the folder that training reads."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.arguments import Overrides, RecipeName
from docmt.cli.terminal import note, on_terminal

EVERY = 50
"""Documents between two words of progress."""


def prepare(
    recipe: RecipeName,
    overrides: Overrides = None,
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o",
            help="The folder to make. One that `docmt prepare` made before is replaced.",
        ),
    ],
) -> None:  # fmt: skip
    """Fit the text pipeline on a recipe's corpus, encode all splits, and count them.

    `docmt train` prepares by itself; a folder made beforehand serves several recipes, which name
    it as `data.prepared`.
    """
    from rich.console import Console

    from docmt.data import prepare as preparation
    from docmt.recipes import load

    settings = load(recipe, overrides or [], note)
    with progress_shown() as progress:
        report = preparation.prepare(settings, output, progress=progress)
    Console().print(report)
    keys = [*(overrides or []), f"data.prepared={output}"]
    typer.echo(f"Prepared. Train with: {shlex.join(['docmt', 'train', recipe, *keys])} --run RUN")


@contextmanager
def progress_shown() -> Iterator[Callable[[str, int], None] | None]:
    """A line on standard error that says what is being done; None where it is no terminal."""
    if not on_terminal():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("Reading") as status:

        def show(what: str, documents: int) -> None:
            if documents % EVERY == 1:
                doing = "Fitting the text pipeline" if what == "fit" else f"Encoding {what}"
                status.update(f"{doing}: {documents:,} documents")

        yield show
