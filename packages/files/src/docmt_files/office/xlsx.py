"""Spreadsheets (`.xlsx`, and `.xlsm`, `.xltx`, `.xltm`).

Blocks are the texts of cells, each once, in order of first appearance in the sheets. Formulas,
numbers, and the names of sheets and ranges are kept. The name of a column of a table is equal to
the first cell; where formulas use the name, both are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.languages import is_right_to_left
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import has_letter, has_word
from docmt_files.core.scopes import Scope
from docmt_files.core.xml_events import raw_name
from docmt_files.core.zip_package import Package, read_package
from docmt_files.office.office_document import OfficeDocument
from docmt_files.office.office_drawings import DrawingText
from docmt_files.office.office_parts import (
    add_charts_and_diagrams,
    add_title,
    main_part,
    related_parts,
)
from docmt_files.office.office_runs import Item, Paragraph, Written
from docmt_files.office.office_xml import Element, read_xml, relations
from docmt_files.office.xlsx_sheets import (
    FILTERS,
    Cell,
    Sheet,
    column_letters,
    column_number,
    read_sheet,
)
from docmt_files.storage.characters import escape_text
from docmt_files.storage.files import PathLike

_THREADED_TEXT = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}text"
_BREAK = re.compile(r"(\n|_x000[aAdD]_)")
_USED_NAME = re.compile(r"\[@?([^\[\]]+)\]")
_QUOTED = re.compile(r"\"[^\"]*[^\W\d_][^\"]*\"")
_LITERAL = re.compile(r'"((?:[^"]|"")*)"')
_OPERATOR = re.compile(r"<>|<=|>=|=|<|>")
_HIDDEN = ("hidden", "veryHidden")
_SHOWN_TEXTS, _SHOWN_CELLS = 20, 5


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    package = read_package(path)
    main = main_part(package, "a spreadsheet")
    workbook = _Workbook(package, main)
    turns = target_language is not None and (
        is_right_to_left(language) != is_right_to_left(target_language)
    )
    sheets = read_xml(package, main).root.all("s:sheet")
    hidden = {s.attributes.get("name", "") for s in sheets if s.attributes.get("state") in _HIDDEN}
    workbook.document.note_hidden(len(hidden), "hidden sheet")
    for part, name in _sheets(package, main).items():
        workbook.add_sheet(part, name, turns=turns, right_to_left=not is_right_to_left(language))
        workbook.sheets[part].hidden = name in hidden
    workbook.add_strings()
    hidden_cells = sum(cell.hidden for _, cell in workbook.cells)
    workbook.document.note_hidden(
        hidden_cells, "cell of hidden rows or columns", "cells of hidden rows or columns"
    )
    drawings = DrawingText(workbook.document, language, target_language)
    for sheet in workbook.sheets:
        workbook.document.scope = workbook.scope_of(sheet)
        related = related_parts(package, sheet)
        for name in related.get("drawing", ()):
            drawings.read_part(name)
            add_charts_and_diagrams(drawings, related_parts(package, name))
    add_title(workbook.document)
    workbook.add_notes()
    return workbook.document.skeleton(language)


def _sheets(package: Package, main: str) -> dict[str, str]:
    """The names of the sheets by the names of their parts, in order."""
    targets = relations(package, main)
    sheets: dict[str, str] = {}
    for element in read_xml(package, main).root.all("s:sheet"):
        relation = targets.get(element.attributes.get("r:id", ""))
        if relation is not None and relation.kind == "worksheet" and relation.target:
            sheets.setdefault(relation.target, element.attributes.get("name", ""))
    return sheets


class _Workbook:
    """Collects the texts of a workbook with this main part."""

    def __init__(self, package: Package, main: str) -> None:
        self.package = package
        self.document = OfficeDocument(package)
        self.related = related_parts(package, main)
        self.sheets: dict[str, Sheet] = {}
        self.cells: list[tuple[Sheet, Cell]] = []
        self.tables: list[tuple[Sheet, str]] = []
        self.formulas: list[str] = []
        self.filters: list[str] = []
        self.strings: list[Element] = []
        self.strings_part = -1
        self.texts: dict[int, Paragraph | None] = {}
        self.compared: set[str] = set()
        self.kept_cells: dict[str, list[str]] = {}
        for name in self.related.get("sharedStrings", ()):
            part = read_xml(package, name)
            self.strings_part = self.document.add_part(part)
            self.strings = [e for e in part.root.elements if e.name == "s:si"]
        self.formulas += (e.text for e in read_xml(package, main).root.all("s:definedName"))

    def add_sheet(self, name: str, shown: str, *, turns: bool, right_to_left: bool) -> None:
        """Read a sheet, with its tables.

        Args:
            name: the name of the part.
            shown: the name of the sheet.
        """
        sheet = self.sheets[name] = read_sheet(self.document, name, whole=turns)
        sheet.name = shown
        if turns:
            self._turn(sheet, right_to_left)
        self.formulas += sheet.formulas
        self.filters += sheet.filters
        self.cells += ((sheet, cell) for cell in sheet.cells)
        tables = related_parts(self.package, name).get("table", ())
        self.tables += ((sheet, table) for table in tables)

    def add_strings(self) -> None:
        """Add the texts of all sheets, in order."""
        used = self._used_names()
        self.compared = compared_texts(self.formulas)
        kept: set[str] = set()
        columns = [
            (sheet, self.document.add_part(read_xml(self.package, name)))
            for sheet, name in self.tables
        ]
        for _, index in columns:
            root = self.document.parts[index].root
            self.filters += (e.attributes.get("val", "") for e in root.all(*FILTERS))
            for column in root.all("s:tableColumn"):
                name = column.attributes.get("name", "")
                if name.casefold() in used:
                    kept.add(name)
        for sheet, cell in self.cells:
            cell.paragraph = self._add_cell(sheet, cell, kept)
        self._add_scopes()
        for sheet, index in columns:
            self._add_table(sheet, index)
        for name in self.sheets:
            self.document.scope = Scope("part", "comments", self.scope_of(name))
            related = related_parts(self.package, name)
            for comments in (*related.get("comments", ()), *related.get("threadedComment", ())):
                self._add_comments(comments)
        self.document.scope = None
        if kept:
            names = ", ".join(repr(name) for name in sorted(kept)[:5])
            self.document.kept.append(
                f"{counted(len(kept), 'name')} of columns not translated, since formulas use "
                f"{'it' if len(kept) == 1 else 'them'}: {names}"
            )

    def scope_of(self, name: str) -> Scope:
        """The scope of what is in a sheet, given the name of its part."""
        sheet = self.sheets[name]
        return Scope("sheet", sheet.name, Scope("hidden") if sheet.hidden else None)

    def _add_scopes(self) -> None:
        """Name the cells of each text: for each column of a sheet that has it, the first cell."""
        of_sheets = {id(sheet): self.scope_of(name) for name, sheet in self.sheets.items()}
        of_columns: dict[tuple[int, int], Scope] = {}
        seen: set[tuple[int, int, int, bool]] = set()
        for sheet, cell in self.cells:
            letters = column_letters(cell.column)
            column = id(sheet), cell.column
            if column not in of_columns:
                header = Scope("column", self._text_of(cell).strip(), of_sheets[id(sheet)])
                of_columns[column] = Scope("column", letters, header)
            place = (id(cell.paragraph), *column, cell.hidden)
            if cell.paragraph is None or place in seen:
                continue
            seen.add(place)
            around = of_columns[column]
            around = Scope("hidden", "", around) if cell.hidden else around
            cell.paragraph.scopes.append(Scope("cell", f"{letters}{cell.row}", around))

    def _text_of(self, cell: Cell) -> str:
        """The text of a cell."""
        element = cell.element
        if element is None and 0 <= cell.string < len(self.strings):
            element = self.strings[cell.string]
        return "" if element is None else "".join(t.text for t in element.all("s:t"))

    def _add_comments(self, name: str) -> None:
        """Add comments: in old versions with runs, in new ones plain text."""
        index = self.document.add_part(read_xml(self.package, name))
        for element in self.document.parts[index].root.all("s:text", _THREADED_TEXT):
            if element.name == "s:text":
                self._add(index, element)
            elif has_word(element.text):
                self.document.add_text(index, element)

    def add_notes(self) -> None:
        """Add notes on places for the user to check."""
        if self.kept_cells:
            self.document.kept.append(_note_on_cells(self.kept_cells))
        quoted = sum(bool(_QUOTED.search(formula)) for formula in self.formulas)
        if quoted:
            self.document.kept.append(
                f"{counted(quoted, 'formula')} with words in quotation marks, which are not "
                "translated: check comparisons with cells"
            )
        if filters := sum(map(has_letter, self.filters)):
            self.document.kept.append(
                f"{counted(filters, 'value')} of filters with words, which are not translated: "
                "choose the filters again"
            )
        if self.related.get("pivotCacheDefinition"):
            self.document.kept.append(
                "pivot tables not translated: refresh them, and choose their fields again"
            )

    def _used_names(self) -> set[str]:
        """The names of columns used by formulas."""
        for _, name in self.tables:
            root = read_xml(self.package, name).root
            self.formulas += (
                e.text for e in root.all("s:calculatedColumnFormula", "s:totalsRowFormula")
            )
        return {
            name.replace("'", "").casefold()
            for formula in self.formulas
            for name in _USED_NAME.findall(formula)
        }

    def _add_cell(self, sheet: Sheet, cell: Cell, kept: set[str]) -> Paragraph | None:
        """The paragraph of a cell, if it has text to translate."""
        if cell.element is not None:
            if self._is_kept(sheet, cell, cell.element, kept):
                return None
            return self._add(sheet.part, cell.element)
        if not 0 <= cell.string < len(self.strings):
            return None
        element = self.strings[cell.string]
        if self._is_kept(sheet, cell, element, kept):
            return None
        if cell.string not in self.texts:
            self.texts[cell.string] = self._add(self.strings_part, element)
        return self.texts[cell.string]

    def _is_kept(self, sheet: Sheet, cell: Cell, element: Element, kept: set[str]) -> bool:
        """Return whether formulas need the text of a cell; compared texts are noted."""
        if not (kept or self.compared):
            return False
        text = "".join(t.text for t in element.all("s:t"))
        if text.strip().casefold() in self.compared and has_word(text):
            reference = f"{column_letters(cell.column)}{cell.row}"
            name = repr(sheet.name)[1:-1]
            self.kept_cells.setdefault(text, []).append(f"{name}!{reference}")
            return True
        return text in kept

    def _add(self, index: int, element: Element) -> Paragraph | None:
        """Add a text, possibly with runs."""
        part = self.document.parts[index]
        items: list[Item] = []
        for child in element.elements:
            if child.name == "s:t":
                items += _items(child.text, "")
            elif child.name == "s:r":
                properties, text = child.child("s:rPr"), child.child("s:t")
                items += _items(
                    text.text if text else "", part.raw(properties) if properties else ""
                )
        if not any(item.kind == "text" and has_word(item.text) for item in items):
            return None
        first = next(element.elements)
        prefix = raw_name(part.text, first.tag).removesuffix(first.name[2:])
        spell = partial(_spell, prefix=prefix)
        return self.document.add(
            Paragraph(index, element.inner_start, element.inner_end, items, spell)
        )

    def _add_table(self, sheet: Sheet, index: int) -> None:
        """Give columns the names of their first cells, and different names to all."""
        root = self.document.parts[index].root
        top, left, bottom = _range(root.attributes.get("ref", ""))
        cells = {(cell.row, cell.column): cell.paragraph for cell in sheet.cells}
        names = []
        has_header = root.attributes.get("headerRowCount", "1") != "0"
        has_totals = root.attributes.get("totalsRowCount", "0") != "0"
        for number, column in enumerate(root.all("s:tableColumn")):
            header = cells.get((top, left + number)) if has_header else None
            total = cells.get((bottom, left + number)) if has_totals else None
            for paragraph, attribute in ((header, "name"), (total, "totalsRowLabel")):
                if paragraph is not None and attribute in column.attributes:
                    self.document.add_attribute(index, column, attribute, twin=paragraph)
            if header is not None:
                names.append(header)
        self.document.distinct.append(names)

    def _turn(self, sheet: Sheet, right_to_left: bool) -> None:
        """Let the columns of a sheet run in the direction of the target language."""
        value = "1" if right_to_left else "0"
        for view in self.document.parts[sheet.part].root.all("s:sheetView"):
            self.document.set_attribute(sheet.part, view, "rightToLeft", value)


def _items(text: str, properties: str) -> Iterator[Item]:
    """Text with codes for line breaks."""
    for index, piece in enumerate(_BREAK.split(text)):
        if index % 2:
            yield Item("void", "\n", literal=piece)
        elif piece:
            yield Item("text", piece, properties)


def _range(reference: str) -> tuple[int, int, int]:
    """The first row, the first column and the last row of a range such as `B2:D9`."""
    match = re.fullmatch(r"([A-Z]{1,3})(\d{1,7})(?::[A-Z]{1,3}(\d{1,7}))?", reference)
    if match is None:
        return -1, -1, -1
    return int(match[2]), column_number(match[1]), int(match[3] or match[2])


def _spell(stretches: Sequence[Written], _: Callable[[int, int], str], *, prefix: str) -> str:
    """A text of a cell: one text, or runs if it is formatted."""

    def element(text: str) -> str:
        return f'<{prefix}t xml:space="preserve">{escape_text(text)}</{prefix}t>'

    if not any(stretch.properties for stretch in stretches):
        return element("".join(stretch.text for stretch in stretches))
    return "".join(
        f"<{prefix}r>{stretch.properties}{element(stretch.text)}</{prefix}r>"
        for stretch in stretches
    )


def compared_texts(formulas: Iterable[str]) -> set[str]:
    """The texts compared with cells by formulas, in one case, because comparisons ignore case:
    `IF(B4="In stock", …)` finds nothing once the cell is in another language.

    Criteria may begin with an operator (`COUNTIF(A:A, "<>Done")`), and a formula of a text alone
    lists allowed values (`"Open,Shut"`). Criteria with wildcards name parts of texts, not texts.
    """
    compared: set[str] = set()
    for formula in formulas:
        alone = _LITERAL.fullmatch(formula.strip()) is not None
        for literal in _LITERAL.findall(formula):
            text = literal.replace('""', '"')
            texts = {text, _OPERATOR.sub("", text, count=1) if _OPERATOR.match(text) else text}
            texts |= set(text.split(",")) if alone else set()
            compared |= {one.strip().casefold() for one in texts if has_letter(one)}
    return compared


def _note_on_cells(cells: dict[str, list[str]]) -> str:
    """The note about texts left untranslated, with the references of their cells."""
    listed = []
    for text, references in list(cells.items())[:_SHOWN_TEXTS]:
        more = len(references) - _SHOWN_CELLS
        also = f" and {more:,} more" if more > 0 else ""
        listed.append(f"{text!r:.80} ({', '.join(references[:_SHOWN_CELLS])}{also})")
    if len(cells) > _SHOWN_TEXTS:
        listed.append(f"and {len(cells) - _SHOWN_TEXTS:,} more")
    them = "it" if len(cells) == 1 else "them"
    return (
        f"{counted(len(cells), 'text')} not translated, since formulas compare cells with {them}: "
        f"{', '.join(listed)}"
    )
