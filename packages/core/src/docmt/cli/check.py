"""`docmt check`: a table of what a person should look at in translated files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.options import Options
from docmt.cli.terminal import SUSPICIOUS, inform, note, output_console, stdout_is_terminal
from docmt.cli.translate_options import FILE_FORMAT, LeavingOptions
from docmt_files import Columns, Input
from docmt_files.base.errors import InputError

if TYPE_CHECKING:
    from docmt.translating.checks.file_checks import Finding

_SOURCE = typer.Argument(
    metavar="SOURCE",
    help="File, or folder, that was translated; or a file with both languages (XLIFF, PO, `.ts`, "
    "`.tmx`, `.tsv`, `.jsonl`, `.parquet`).",
)
_TARGET = typer.Argument(
    metavar="[TRANSLATION]",
    help="Translation of the file, in the same format, or of the folder, with the same names.",
)
_READING = Options(
    "Input",
    fields_of=Input,
    only=("segmented", "boundaries", "docids", "file_format"),
    details={
        "boundaries": typer.Option(metavar="NAME"),
        "docids": typer.Option(metavar="FILE"),
        "file_format": FILE_FORMAT,
    },
)


@dataclass(frozen=True, slots=True)
class LanguageOptions:
    """Options for the languages and for tables."""

    source_language: Annotated[
        str | None, typer.Option("--source-language", "--from", metavar="CODE")
    ] = None
    """Language of the source. Default: the run's, the file's, or detected."""

    to: Annotated[str | None, typer.Option(metavar="CODE")] = None
    """Language of the translation. Default: the run's, the file's, or detected."""

    columns: Annotated[str | None, typer.Option(metavar="NAMES")] = None
    """Columns to check in tables (`.csv`, `.tsv`, `.tab`), separated by commas."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Options for the checks."""

    only: Annotated[str | None, typer.Option(metavar="NAMES")] = None
    """Checks to make, separated by commas. Default: all."""

    without: Annotated[str | None, typer.Option(metavar="NAMES")] = None
    """Checks to leave out, separated by commas."""

    glossary: Annotated[str | None, typer.Option(metavar="FILE")] = None
    """Terms and their translations (`.tsv`, `.csv` or `.tbx`), which translations must have."""

    max_length: Annotated[int | None, typer.Option(metavar="NUMBER", min=1)] = None
    """Most characters of each text. Default: as the file says (XLIFF, PO)."""

    run: Annotated[Path | None, typer.Option(metavar="DIR")] = None
    """Run that judges which sentences are improbable, with thresholds learned from its corpus for
    the other checks. Default: wide thresholds, and no check for improbable sentences."""

    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE")] = None
    """Table to write: `.tsv`, `.json` or `.html`; `-` is TSV on standard output. Default: a table
    on a terminal, otherwise TSV on standard output."""


def check(
    source: Annotated[str, _SOURCE],
    target: Annotated[str | None, _TARGET] = None,
    *,
    reading: Annotated[Mapping[str, Any], _READING],
    languages: Annotated[LanguageOptions, Options("Input")],
    leaving: Annotated[LeavingOptions, Options("Input")],
    options: Annotated[CheckOptions, Options("Checks")],
) -> None:
    """List what to look at in a translation, by a machine or a person, with the place and both
    texts.

    The exit code is 3 if there are findings.
    """
    from docmt.translating.checks.check_reports import report_format, tsv_of, write_report
    from docmt.translating.checks.checking import Checking, chosen_checks

    if options.output is not None:
        report_format(options.output)
    names = None if languages.columns is None else languages.columns.split(",")
    columns = None if names is None else Columns(tuple(name.strip() for name in names))
    form = replace(Input(**reading, columns=columns), rules=leaving.chosen())
    checks = chosen_checks(options.only, options.without)
    if options.run is None and options.only and "improbable" in checks:
        raise InputError(
            "the check `improbable` needs a run",
            cure="Name a `run`",
            parameters=("improbable", "run"),
        )
    checking = Checking(
        form,
        (languages.source_language, languages.to),
        checks,
        glossary=options.glossary,
        max_length=options.max_length,
        run=options.run,
        note=note,
    )
    report = checking.check(source, target)
    if options.output is not None:
        write_report(options.output, report.findings, report.checked, report.languages)
    elif stdout_is_terminal():
        _print_table(report.findings)
    elif report.findings:
        typer.echo(tsv_of(report.findings), nl=False)
    inform(f"{report.checked}: {report.summary}")
    if report.findings:
        raise typer.Exit(SUSPICIOUS)


def _print_table(findings: list[Finding]) -> None:
    """Print findings for the width of the terminal."""
    from rich.table import Table
    from rich.text import Text

    from docmt_files.base.errors import printable

    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for header, share in (("place", 2), ("check", 3), ("source", 4), ("translation", 4)):
        table.add_column(header, ratio=share, overflow="fold")
    several = len({finding.file for finding in findings}) > 1
    for finding in findings:
        said = f"{finding.check}: {finding.detail}" if finding.detail else finding.check
        said += f" [{finding.precision}]" if finding.precision else ""
        place = f"{finding.file}, {finding.place}" if several else finding.place
        cells = (place, said, finding.source, finding.target)
        table.add_row(*(Text(printable(cell)) for cell in cells), end_section=True)
    if findings:
        output_console().print(table)
