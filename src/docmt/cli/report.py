"""`docmt report`: one page that compares runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.cli._terminal import note, progress_bar
from docmt.errors import InputError


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN", help="Run directories; the others are compared with the first."
        ),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for the page (`index.html`) and for the translations and results it shows "
            "(`data`).",
        ),
    ],
    split: Annotated[
        Literal["valid", "test"],
        typer.Option(help="The split of the runs' corpus that is translated and scored."),
    ] = "test",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="As for `docmt evaluate`; repeat the option for several. Default: those of the "
            "first run.",
        ),
    ] = None,
    comet_model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Model of COMET, as for `docmt evaluate`.")
    ] = None,
    suite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A contrastive suite, as for `docmt contrast`; repeat the option for several.",
        ),
    ] = None,
    detokenize: Annotated[
        bool,
        typer.Option(
            "--detokenize", help="Detokenize the suites as Moses does, as for `docmt contrast`."
        ),
    ] = False,
    cxmi: Annotated[
        list[int] | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            help="Also measure what so many previous sentences are worth, as `docmt cxmi` does; "
            "repeat the option for several.",
        ),
    ] = None,
    attention: Annotated[
        str | None,
        typer.Option(
            metavar="DOCUMENT",
            help="Also measure attention and gates, as `docmt attention` does, and draw the "
            "attention of the document of this id; needs matplotlib.",
        ),
    ] = None,
) -> None:
    """Compare runs on one page: scores with significance, contrastive suites, sentences by length
    and position, training curves, and documents side by side, those that differ most first.

    The page is one file that opens from disk without a network. Translations are kept beside it, so
    that the command only does what is new when it is repeated.
    """
    if output.is_file():
        raise InputError("is a file", path=output, cure="Name a folder as --output")

    from docmt.analysis.plots import check_matplotlib
    from docmt.analysis.report import collect, render
    from docmt.evaluation.contrastive_suites import read_suite
    from docmt.files import write_text

    if attention is not None:
        check_matplotlib("leave out --attention")
    suites = [read_suite(path) for path in suite or []]
    data = collect(
        runs,
        output,
        split=split,
        metrics=metric,
        comet_model=comet_model,
        suites=suites,
        detokenize=detokenize,
        contexts=cxmi or (),
        drawn=attention,
        progress=progress_bar,
    )
    page = output / "index.html"
    write_text(page, render(data))
    for text in data.notes:
        note(f"note: {text}")
    note(f"docmt: wrote {page}")
