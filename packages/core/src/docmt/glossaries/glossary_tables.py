"""Glossaries as tables, in TSV or CSV: source forms, target forms and, in an optional third column,
flags.

Forms are separated by `|`; within a form it is written `\\|`. A first row of `source` and `target`
(and `flags`) is a heading. Further columns of the heading are notes, never read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.files import PathLike, read_lines, write_text
from docmt_nmt.translators.glossary import Term

MAX_FORM_CHARACTERS = 1000
"""Limit of a form; a longer one is not a term."""

_HEADING = ["source", "target", "flags"]
_FLAGS = ("case", "part", "every")
_SEPARATOR = re.compile(r"(?<!\\)\|")


def read_tsv(path: PathLike) -> list[Term]:
    """Read the terms of a TSV file, a format without quoting."""
    rows = ((line, text.split("\t")) for line, text in enumerate(read_lines(path), start=1))
    return list(_terms(rows, path))


def write_tsv(path: PathLike, terms: Sequence[Term], notes: Mapping[str, Sequence[str]]) -> None:
    """Write a TSV file with a heading, whole or not at all.

    Args:
        path: the file.
        terms: the terms.
        notes: further columns by name, with a cell for each term, for people to read.

    Raises:
        InputError: it cannot be written.

    >>> from docmt.glossaries import Term, read, write_tsv
    >>> terms = [Term(("board",), ("Platine", "Leiterplatte"))]
    >>> write_tsv("terms.tsv", terms, {"note": ["electronics"]})
    >>> read("terms.tsv", ("en", "de")).terms[0].target
    ('Platine', 'Leiterplatte')
    """
    rows = [[*_HEADING, *notes]]
    for index, term in enumerate(terms):
        flags = ((term.match_case, "case"), (not term.whole_words, "part"), (term.every, "every"))
        cells = [
            "|".join(form.replace("|", "\\|") for form in s) for s in (term.source, term.target)
        ]
        cells.append(" ".join(name for is_set, name in flags if is_set))
        rows.append([*cells, *(column[index] for column in notes.values())])
    lines = ("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
    write_text(path, "".join(f"{line}\n" for line in lines))


def read_csv(path: PathLike) -> list[Term]:
    """Read the terms of a CSV file with commas, or semicolons if the first row has more of them."""
    lines = read_lines(path)
    first = next(lines, "")
    delimiter = ";" if first.count(";") > first.count(",") else ","
    return list(_terms(_csv_rows(chain([first], lines), delimiter, path), path))


def _csv_rows(
    lines: Iterable[str], delimiter: str, path: PathLike
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file, with the numbers of their lines."""
    for number, line in enumerate(lines, start=1):
        try:
            yield number, next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error as error:
            raise InputError(
                f"is not a valid row of CSV ({error})",
                path=path,
                line=number,
                cure="Write each term on one line, and double quotes in a cell twice",
            ) from None


def _terms(rows: Iterable[tuple[int, list[str]]], path: PathLike) -> Iterator[Term]:
    columns = len(_HEADING)
    for line, row in rows:
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if line == 1 and [cell.lower() for cell in cells[:3]] in (_HEADING, _HEADING[:2]):
            columns = max(columns, len(cells))
            continue
        if len(cells) <= columns:
            cells = cells[: len(_HEADING)]
        if len(cells) not in (2, 3):
            raise InputError(
                f"the row has {counted(len(cells), 'column')}, not 2 or 3 (source, target, flags)",
                path=path,
                line=line,
                cure="Write the source term, then the target term, which may be empty to keep it",
            )
        source, target = (_forms(cell, path, line) for cell in cells[:2])
        flags = cells[2].replace(",", " ").lower().split() if len(cells) == 3 else []
        if unknown := [flag for flag in flags if flag not in _FLAGS]:
            raise InputError(
                f"{unknown[0]!r} is not a flag",
                path=path,
                line=line,
                cure=f"Write one or more of {', '.join(_FLAGS)}, or leave the column empty",
            )
        if not source:
            raise InputError(
                "the source term is empty", path=path, line=line, cure="Write it, or remove the row"
            )
        case, part, every = (flag in flags for flag in _FLAGS)
        yield Term(source, target, match_case=case, whole_words=not part, every=every, line=line)


def _forms(cell: str, path: PathLike, line: int) -> tuple[str, ...]:
    """Split a cell into forms; an empty one has none."""
    forms = tuple(form.replace("\\|", "|").strip() for form in _SEPARATOR.split(cell))
    if forms == ("",):
        return ()
    if "" in forms:
        raise InputError(
            "a form is empty",
            path=path,
            line=line,
            cure="Write one | between two forms, and none at the ends",
        )
    check_form_lengths(forms, path, line)
    return forms


def check_form_lengths(forms: Iterable[str], path: PathLike, line: int | None) -> None:
    """Check the length of the forms of a term."""
    for form in forms:
        if len(form) > MAX_FORM_CHARACTERS:
            raise InputError(
                f"the term {form[:40]!r}… has {len(form):,} characters, more than "
                f"{MAX_FORM_CHARACTERS:,}",
                path=path,
                line=line,
                cure="Remove it: a glossary holds words and phrases, not texts",
            )
