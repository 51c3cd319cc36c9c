"""`docmt prepare`: turn a recipe's corpus into the folder that training reads."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from docmt.choices import PublishedCorpus
from docmt.cli.arguments import Overrides, RecipeName
from docmt.cli.terminal import note, on_terminal, output_console

_PROGRESS_EVERY = 50
"""Report progress after this many documents."""


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
    check: Annotated[
        PublishedCorpus | None,
        typer.Option(
            help="Compare the sizes with those of this corpus in Table 1 of Bao et al. 2021. "
            "Sizes that are more than 5 % off end the command with exit code 2."
        ),
    ] = None,
) -> None:
    """Fit the text pipeline on a recipe's corpus, encode all splits, and report their sizes.

    `docmt train` does this itself. Prepare a corpus beforehand to share it between several
    recipes: set `data.prepared` to the folder.
    """

    from docmt.data import preparation
    from docmt.recipes import load

    settings = load(recipe, overrides or [], note)
    with _progress_status() as progress:
        report = preparation.prepare(settings, output, progress=progress)
    output_console().print(report)
    if check is not None:
        from docmt.data import published_counts
        from docmt.data.parallel_corpus import PreparedCorpus

        corpus = PreparedCorpus.load(output)
        checks = published_counts.check_counts(corpus, check)
        output_console().print(published_counts.describe_checks(checks))
        published_counts.require_counts(checks, corpus)
    keys = [*(overrides or []), f"data.prepared={output}"]
    typer.echo(f"Prepared. Train with: {shlex.join(['docmt', 'train', recipe, *keys])} --run RUN")


@contextmanager
def _progress_status() -> Iterator[Callable[[str, int], None] | None]:
    """Show on standard error what is being done. Yields None if that is not a terminal."""
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
