"""Tables (CSV, TSV) with some columns to translate, in place or into new columns behind.

Cells are found by the quoting rules of RFC 4180 with any of several delimiters. Everything outside
the cells of these columns stays unchanged, with the quoting, the delimiters and the line ends. A
cell without quotation marks gets them if the translation needs them. The cells are one document,
row by row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted, did_you_mean, first_few
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import read_encoded_text
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.scopes import Scope
from docmt_files.core.skeleton import FileRules
from docmt_files.core.string_literals import read_literal
from docmt_files.format_registry import plain_suffix
from docmt_files.storage.files import PathLike
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.text.columns import Columns

_DELIMITERS = ",;\t|"
_NOTHING = re.compile(r"(?!)")
_DOUBLED = re.compile('""')
_PRIVATE = range(0xE000, 0xF8FF)
_MAX_LISTED = 10
"""The most columns listed by an error."""


class _Cell(NamedTuple):
    """A cell: the range with quotation marks, and whether there are any."""

    start: int
    end: int
    is_quoted: bool


class _Dialect(NamedTuple):
    """The form of a table.

    Attributes:
        delimiter: the character between two cells.
        quotes: whether cells may have quotation marks.
        stand_ins: substitutes for a delimiter and a quotation mark in a cell without quotation
            marks.
    """

    delimiter: str
    quotes: bool
    stand_ins: str


def read(
    path: PathLike, language: str, target_language: str | None = None, *, columns: Columns
) -> tuple[list[Document], BlockSkeleton]:
    """Read columns of a table as one document, named after the file.

    Args:
        path: the file, or `-` for standard input.
        language: the code of the language whose rules split sentences.
        target_language: the code of the target language, for the names of new columns.
        columns: the columns to translate.

    Raises:
        InputError: the file is not a table, lacks a column or has no text, or as `read_lines`.
    """
    text, encode = read_encoded_text(path)
    dialect = _dialect(text, path)
    rows = list(_rows(text, dialect))
    _check(rows, text, path)
    indices, has_header = _find_columns(rows[0], columns, text, path)
    if columns.new:
        text = _with_copies(text, rows, indices, has_header, dialect, target_language)
        indices = [index + 1 + number for number, index in enumerate(indices)]
    find = partial(_strings, dialect=dialect, indices=indices, has_header=has_header)
    return read_strings(path, text, find, language, encode=encode, rules=_Quoting(dialect))


def needs_columns(path: PathLike) -> InputError:
    """The error about a table without named columns."""
    listed = ""
    try:
        text, _ = read_encoded_text(path)
        row = next(_rows(text, _dialect(text, path)), [])
        names = [f"{number} ({_value(text, cell)[:30]})" for number, cell in enumerate(row, 1)]
        listed = f"; it has {first_few(names, _MAX_LISTED)}" if names else ""
    except InputError:
        pass  # It is told when the table is read.
    return InputError(
        "is a table, and nothing says which of its columns to translate",
        path=path,
        cure=f"Add `columns` with their names or numbers, separated by commas{listed}",
        parameters=("columns",),
    )


def _dialect(text: str, path: PathLike) -> _Dialect:
    """The form of a table: by the first row, or tabs if the name says so."""
    unused = (chr(code) for code in _PRIVATE if chr(code) not in text)
    stand_ins = next(unused) + next(unused)
    if plain_suffix(path) in (".tsv", ".tab"):
        return _Dialect("\t", '"' in text, stand_ins)
    counts = {
        delimiter: len(next(_rows(text, _Dialect(delimiter, True, stand_ins)), []))
        for delimiter in _DELIMITERS
    }
    return _Dialect(max(_DELIMITERS, key=lambda each: counts[each]), True, stand_ins)


def _rows(text: str, dialect: _Dialect) -> Iterator[list[_Cell]]:
    """The rows of a table, without empty lines."""
    delimiter = re.escape(dialect.delimiter)
    plain = rf"[^{delimiter}\r\n]*+"
    quoted = rf'("(?:[^"]++|"")*+")(?={delimiter}|\r|\n|\Z)|' if dialect.quotes else "(?!)()|"
    cell = re.compile(rf"(?:{quoted}{plain})({delimiter}|\r\n|\r|\n|\Z)")
    position = int(text.startswith("\ufeff"))
    row: list[_Cell] = []
    while position < len(text) or row:
        match = cell.match(text, position)
        assert match is not None, "any text is a cell"
        row.append(_Cell(position, match.start(2), match[1] is not None))
        if match[2] != dialect.delimiter:
            if len(row) > 1 or row[0].start < row[0].end:
                yield row
            row = []
        position = match.end()
        if match[2] == "":
            return


def _check(rows: Sequence[Sequence[_Cell]], text: str, path: PathLike) -> None:
    """Refuse a table without rows, and a row with another number of cells than the first."""
    if not rows:
        raise InputError("has no rows", path=path, cure="Name a table with text in it")
    for row in rows:
        if len(row) != len(rows[0]):
            raise InputError(
                f"the row has {counted(len(row), 'cell')}, and the first row has {len(rows[0]):,}",
                path=path,
                line=text.count("\n", 0, row[0].start) + 1,
                cure="Put cells with a delimiter, a line break or a quotation mark in double "
                "quotes, and double the quotes in them",
            )


def _value(text: str, cell: _Cell) -> str:
    """Return the characters of a cell."""
    if cell.is_quoted:
        return text[cell.start + 1 : cell.end - 1].replace('""', '"')
    return text[cell.start : cell.end]


def _find_columns(
    header: Sequence[_Cell], columns: Columns, text: str, path: PathLike
) -> tuple[list[int], bool]:
    """The indices of the columns to translate, in order, and whether the first row has their names.

    Raises:
        InputError: there is no such column, or several have the name.
    """
    names = [_value(text, cell).strip() for cell in header]
    indices = set()
    has_header = False
    for name in columns.names:
        if names.count(name) > 1:
            raise InputError(
                f"has {names.count(name):,} columns with the name {name!r}",
                path=path,
                line=1,
                cure="Give the numbers of columns, from 1 on, and one of the other names",
            )
        if name in names:
            indices.add(names.index(name))
            has_header = True
        elif name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= len(names):
            indices.add(int(name) - 1)
        else:
            listed = first_few(map(repr, names), _MAX_LISTED)
            maybe = did_you_mean(name, names)
            raise InputError(
                f"has no column {name!r}, but {listed}" + (f": {maybe}" if maybe else ""),
                path=path,
                line=1,
                cure="Give names as they are in the first row, or numbers from 1 on",
            )
    return sorted(indices), has_header


def _with_copies(
    text: str,
    rows: Sequence[Sequence[_Cell]],
    indices: Sequence[int],
    has_header: bool,
    dialect: _Dialect,
    target_language: str | None,
) -> str:
    """A table with a copy of each of these columns after it."""
    copies: list[Patch] = []
    for number, row in enumerate(rows):
        for index in indices:
            cell = row[index]
            copy = text[cell.start : cell.end]
            if number == 0 and has_header:
                end = len(copy) - cell.is_quoted
                copy = f"{copy[:end]}_{target_language or 'translation'}{copy[end:]}"
            copies.append((cell.end, cell.end, dialect.delimiter + copy))
    return apply_patches(text, copies)


def _strings(
    text: str, *, dialect: _Dialect, indices: Sequence[int], has_header: bool
) -> list[FileString]:
    """The cells to translate, in order."""
    strings = []
    doubled = str.maketrans({'"': '""'})
    marked = str.maketrans(
        {
            dialect.delimiter: dialect.stand_ins[0],
            "\n": " ",
            "\r": " ",
            **dict.fromkeys(dialect.stand_ins, "\ufffd"),
            **({'"': dialect.stand_ins[1]} if dialect.quotes else {}),
        }
    )
    names: list[str] = []
    for number, row in enumerate(_rows(text, dialect)):
        if not number:
            numbers = map(str, range(1, len(row) + 1))
            names = [_value(text, cell) for cell in row] if has_header else list(numbers)
        for index in indices if number or not has_header else ():
            if index >= len(row):
                continue  # It is found that the table has changed.
            start, end, is_quoted = row[index]
            escape = _DOUBLED if is_quoted else _NOTHING
            literal = read_literal(text, start + is_quoted, end - is_quoted, escape, lambda _: '"')
            table = doubled if is_quoted else marked
            scope = Scope("column", names[index], Scope("row", str(number + 1)))
            write = methodcaller("translate", table)
            strings.append(FileString(*literal, write, True, scope=scope))
    return strings


@dataclass(frozen=True, slots=True)
class _Quoting(FileRules):
    """Puts cells of a table of this form in quotation marks where translations need them."""

    dialect: _Dialect

    def finish(self, text: str) -> str:
        """A filled table with the original characters in place of substitutes."""
        delimiter, quote = self.dialect.stand_ins[0], self.dialect.stand_ins[1]
        if delimiter not in text and quote not in text:
            return text
        if not self.dialect.quotes:
            return text.replace(delimiter, " ")
        patches: list[Patch] = []
        for row in _rows(text, self.dialect):
            for start, end, _ in row:
                cell = text[start:end]
                if delimiter in cell or quote in cell:
                    cell = cell.replace(quote, '"').replace('"', '""')
                    cell = cell.replace(delimiter, self.dialect.delimiter)
                    patches.append((start, end, f'"{cell}"'))
        return apply_patches(text, patches)
