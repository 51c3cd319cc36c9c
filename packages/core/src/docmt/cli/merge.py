"""`docmt merge`: an edited review back into the translated file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.options import Options
from docmt.cli.terminal import SUSPICIOUS, inform, note
from docmt.cli.translate_options import LeavingOptions
from docmt_files.base.wording import counted


def merge(
    edited: Annotated[
        Path,
        typer.Argument(
            metavar="EDITED",
            help="XLIFF file of `docmt review`, as a person or a program has edited it, or JSON "
            "saved from the page.",
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Translated file to write.")
    ],
    source: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File that was translated. Default: by its name, beside EDITED."
        ),
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Translation memory that takes the edited and the approved sentences; it is made "
            "if there is none.",
        ),
    ] = None,
    leaving: Annotated[LeavingOptions, Options("Input")],
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with code 3, after the file is written, if a unit does not fit: it has no "
            "translation, is missing, doubled or unknown, has lost a code, or the like. Notes "
            "name the units.",
        ),
    ] = False,
) -> None:
    """Put the translations of a review into the file that was translated.

    Sentences that nobody touched are written as `docmt translate` writes them. Notes on standard
    error name the units that do not fit.
    """
    from docmt.translating.reviews import merge_review

    counts = merge_review(
        edited, output, source=source, memory=memory, rules=leaving.chosen(), note=note
    )
    if counts.remembered is not None:
        inform(f"{memory}: {counted(counts.remembered, 'unit')} new or changed")
    if strict and counts.problems:
        note(f"docmt: {counted(counts.problems, 'problem')} (--strict)")
        raise typer.Exit(SUSPICIOUS)
