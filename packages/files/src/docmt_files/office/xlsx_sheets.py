"""The cells of a sheet with text. A sheet may be long and have nothing but numbers, so elements are
kept only where needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from docmt_files.base.errors import InputError, name_of
from docmt_files.core.xml_encodings import decode_xml
from docmt_files.office.office_document import OfficeDocument
from docmt_files.office.office_runs import Paragraph
from docmt_files.office.office_xml import Element, read_xml, short_name
from docmt_files.storage.hardened_xml import hardened_parser, parse_block

_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_CURE = "Save it again in its program"
FORMULAS = (
    "s:f",
    "s:formula",  # conditional formatting
    "s:formula1",  # allowed values
    "s:formula2",
    "xm:f",  # both, in extensions
)
"""The elements of formulas."""

FILTERS = ("s:filter", "s:customFilter")
"""The elements with values of a filter."""


@dataclass(slots=True)
class Cell:
    """A cell with text.

    Attributes:
        row: the row, from 1.
        column: the column, from 1.
        string: the index of the text among the texts of the workbook; -1 for a text of its own.
        element: a text of its own.
        paragraph: the paragraph to translate.
        hidden: whether the row or the column is hidden.
    """

    row: int
    column: int
    string: int = -1
    element: Element | None = None
    paragraph: Paragraph | None = None
    hidden: bool = False


@dataclass(slots=True)
class Sheet:
    """A sheet.

    Attributes:
        part: the index of the part; -1 if the part has no changes.
        cells: the cells with text, in order.
        formulas: the formulas, with conditional formatting and allowed values.
        filters: the values named by filters.
        name: the name of the sheet.
        hidden: whether the sheet is hidden.
    """

    part: int
    cells: list[Cell] = field(default_factory=list)
    formulas: list[str] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)
    name: str = ""
    hidden: bool = False


def read_sheet(document: OfficeDocument, name: str, *, whole: bool) -> Sheet:
    """Read a sheet.

    Args:
        document: gets the part if something in it may be written otherwise.
        name: the name of the part.
        whole: whether to add it in any case.

    Raises:
        InputError: it is missing, or not sound XML.
    """
    data = document.package.read(name)
    if not whole and b"inlineStr" not in data.replace(b"\0", b""):
        return _Scanner(f"{name_of(document.package.path)}: {name}").read(data)
    part = read_xml(document.package, name)
    sheet = Sheet(document.add_part(part))
    position = _Position()
    for element in part.root.all("s:col", "s:row", "s:c", *FORMULAS, *FILTERS):
        if element.name in FORMULAS:
            sheet.formulas.append(element.text)
            continue
        if element.name in FILTERS:
            sheet.filters.append(element.attributes.get("val", ""))
            continue
        position.move(element.name[2:], element.attributes)
        if element.name in ("s:row", "s:col"):
            continue
        kind, inline = element.attributes.get("t"), element.child("s:is")
        value = element.child("s:v")
        if kind == "inlineStr" and inline is not None:
            sheet.cells.append(position.cell(element=inline))
        elif kind == "s" and value is not None:
            sheet.cells.append(position.cell(_index(value.text)))
    return sheet


class _Position:
    """The row and column of a cell, named or left out by cells."""

    def __init__(self) -> None:
        self.row = self.column = 0
        self.row_is_hidden = False
        self.hidden_columns: list[tuple[int, int]] = []

    def cell(self, string: int = -1, element: Element | None = None) -> Cell:
        """The cell at the position."""
        column = self.column
        is_hidden = any(first <= column <= last for first, last in self.hidden_columns)
        return Cell(self.row, column, string, element, hidden=is_hidden or self.row_is_hidden)

    def move(self, kind: str, attributes: Mapping[str, str]) -> None:
        """Go to the next row or cell; or note hidden columns."""
        reference = attributes.get("r", "")
        is_hidden = attributes.get("hidden") in ("1", "true")
        if kind == "col":
            ends = [attributes.get(name, "") for name in ("min", "max")]
            if is_hidden and all(re.fullmatch(r"[0-9]{1,7}", end) for end in ends):
                self.hidden_columns.append((int(ends[0]), int(ends[1])))
        elif kind == "row":
            self.row_is_hidden = is_hidden
            self.row = int(reference) if re.fullmatch(r"[0-9]{1,7}", reference) else self.row + 1
            self.column = 0
        else:
            match = _REFERENCE.fullmatch(reference)
            self.column += 1
            if match is not None:
                self.row, self.column = int(match[2]), column_number(match[1])


def column_number(letters: str) -> int:
    """The number of a column, from 1: `A` is 1, `AA` is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    """The letters of a column: 1 is `A`, 27 is `AA`."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _index(text: str) -> int:
    """The index of a text of the workbook, or -1."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1


class _Scanner:
    """Reads the cells of a sheet without its other elements; `path` names the file in errors."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.sheet = Sheet(-1)
        self.position = _Position()
        self.kind: str | None = None
        self.text: list[str] | None = None

    def read(self, data: bytes) -> Sheet:
        """Read a sheet with these bytes."""
        parser = hardened_parser(self._refuse, namespaces=True)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        content = decode_xml(data, self.path).encode("utf-8")
        parse_block(parser, content, final=True, refuse=self._refuse, cure=_CURE)
        return self.sheet

    def _refuse(self, problem: str, cure: str, line: int | None = None) -> InputError:
        return InputError(problem, path=self.path, line=line, cure=cure)

    def _doctype(self, *_: object) -> None:
        raise self._refuse("has a document type (<!DOCTYPE>)", "Remove it")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = short_name(name)
        if name in ("s:col", "s:row", "s:c"):
            self.position.move(name[2:], attributes)
            self.kind = attributes.get("t") if name == "s:c" else None
        elif name in FILTERS:
            self.sheet.filters.append(attributes.get("val", ""))
        elif name in FORMULAS or (name == "s:v" and self.kind == "s"):
            self.text = []

    def _characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def _end(self, name: str) -> None:
        if self.text is None:
            return
        name, text = short_name(name), "".join(self.text)
        if name in FORMULAS:
            self.sheet.formulas.append(text)
        elif name == "s:v":
            self.sheet.cells.append(self.position.cell(_index(text)))
        self.text = None
