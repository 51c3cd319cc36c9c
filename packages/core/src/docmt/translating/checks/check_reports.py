"""Findings of checks as TSV, JSON or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Literal

from docmt.translating.checks.file_checks import CHECKS, Finding, summary
from docmt_files.base.errors import InputError
from docmt_files.base.languages import is_right_to_left, language_tag
from docmt_files.storage.files import PathLike, write_text
from docmt_files.storage.json_files import json_text

ReportFormat = Literal["tsv", "json", "html"]

_COLUMNS = ("file", "place", "check", "detail", "precision", "source", "translation")


def report_format(path: PathLike) -> ReportFormat:
    """The format of a report, by the suffix.

    Raises:
        InputError: there is no such format.
    """
    suffix = "tsv" if str(path) == "-" else str(path).rpartition(".")[2].lower()
    for name in ("tsv", "json", "html"):
        if suffix == name:
            return name
    raise InputError(
        "is not the name of a table of findings",
        path=path,
        cure="Name it .tsv, .json or .html",
        parameters=("output",),
    )


def write_report(
    path: PathLike, findings: Sequence[Finding], checked: str, languages: tuple[str, str]
) -> None:
    """Write findings, whole or not at all.

    Args:
        path: the file; the suffix gives the format.
        findings: the findings.
        checked: what was checked, in words.
        languages: the codes of the source and the target language.

    Raises:
        InputError: there is no such format, or the file cannot be written.
    """
    made_as = report_format(path)
    if made_as == "html":
        write_text(path, _page(findings, checked, languages))
    elif made_as == "json":
        values = [dict(zip(_COLUMNS, _cells(each), strict=True)) for each in findings]
        write_text(path, json_text({"checked": checked, "findings": values}, indent=2) + "\n")
    else:
        write_text(path, tsv_of(findings))


def tsv_of(findings: Sequence[Finding]) -> str:
    """Findings as lines with tabs, below a line with the names of the columns. Tabs and line breaks
    in texts are spaces."""
    rows = [_COLUMNS, *map(_cells, findings)]
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)


def _cells(finding: Finding) -> tuple[str, ...]:
    file, place, check, detail, source, target, _ = finding
    return file, place, check, detail, finding.precision, source, target


def _page(findings: Sequence[Finding], checked: str, languages: tuple[str, str]) -> str:
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = files("docmt.translating.checks") / "check_report.html.j2"
    return environment.from_string(template.read_text(encoding="utf-8")).render(
        findings=findings,
        checks=CHECKS,
        checked=checked,
        summary=summary(findings),
        sides=[
            {"language": language_tag(code), "dir": "rtl" if is_right_to_left(code) else "ltr"}
            for code in languages
        ],
    )
