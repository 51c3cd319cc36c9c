"""`docmt review`: a translation as a file that a person edits, for `docmt merge`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from docmt.cli import translate
from docmt.cli.options import DecoratorOptions, Options
from docmt.cli.translate_options import (
    CostOptions,
    DestinationOptions,
    LeavingOptions,
    MethodOptions,
    TableOptions,
    TermOptions,
)
from docmt.output import OutputFormat
from docmt_files import TreeOptions

_KINDS: dict[str, OutputFormat] = {"2.0": "xliff", "1.2": "xliff-1.2"}
_FILE = typer.Argument(
    metavar="FILE", help="File of any format that `docmt translate` reads, or several, or a folder."
)
_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="PATH",
    help="XLIFF file (`.xlf`), or page to edit in a browser (`.html`); a folder for several. "
    "Default: the name of the file, in `.xlf`.",
)


def review(
    inputs: Annotated[list[str], _FILE],
    *,
    output: Annotated[str | None, _OUTPUT] = None,
    xliff: Annotated[
        Literal["2.0", "1.2"], typer.Option(metavar="VERSION", help="Version of XLIFF: 2.0 or 1.2.")
    ] = "2.0",
    run: Annotated[Path | None, translate.RUN] = None,
    model: Annotated[str | None, translate.MODEL] = None,
    reading: Annotated[Mapping[str, Any], translate.READING],
    tables: Annotated[TableOptions, Options("Input")],
    leaving: Annotated[LeavingOptions, Options("Input")],
    folder: Annotated[TreeOptions, translate.FOLDER],
    terms: Annotated[TermOptions, Options("Terms")],
    method: Annotated[MethodOptions, Options("Search")],
    decorators: Annotated[Mapping[str, str], DecoratorOptions("Search")],
    search: Annotated[Mapping[str, Any], translate.SEARCH],
    cost: Annotated[CostOptions, Options("Cost")],
) -> None:
    """Translate files into files that a person edits: XLIFF, or a page for a browser.

    `docmt merge` puts the edited translations into the files.
    """
    if output is None and len(inputs) == 1:
        output = str(Path(inputs[0]).with_suffix(".xlf"))
    is_page = output is not None and output.lower().endswith((".html", ".htm"))
    translate.translate(
        inputs,
        run=run,
        model=model,
        reading=reading,
        tables=tables,
        leaving=leaving,
        folder=folder,
        terms=terms,
        method=method,
        decorators=decorators,
        search=search,
        cost=cost,
        destination=DestinationOptions(output, "html-review" if is_page else _KINDS[xliff]),
        writing={},
    )
