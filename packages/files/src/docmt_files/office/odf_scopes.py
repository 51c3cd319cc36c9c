"""Where the text of an OpenDocument file stands: the sheet, cell or slide, the styles of paragraphs
and of characters, and whether it is hidden."""

from __future__ import annotations

import re
from typing import Literal

from docmt_files.core.scopes import Scope
from docmt_files.core.xml_events import XmlEvent
from docmt_files.office import odf_names as names
from docmt_files.office.xlsx_sheets import column_letters

_ENCODED = re.compile(r"_([0-9a-f]{2,4})_")
_REPEATED = re.compile("[0-9]{1,7}")
_HIDDEN_ROWS = ("collapse", "filter")


class OdfScopes:
    """Follows the elements of a part.

    Attributes:
        scope: the scope of what comes next.
    """

    def __init__(self) -> None:
        self.scope: Scope | None = None
        self._around: list[Scope | None] = []
        self._parents: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._style = ""
        self._in_sheets = False
        self._slides = self._row = self._column = 0
        self._hidden_columns: list[tuple[int, int]] = []
        self._columns = 0

    def start(self, event: XmlEvent) -> None:
        """Begin an element."""
        self._around.append(self.scope)
        name, attributes = event.name, event.attributes
        if name == names.STYLE + "style":
            self._style = attributes.get(names.STYLE + "name", "")
            self._parents[self._style] = attributes.get(names.STYLE + "parent-style-name", "")
        elif self._style and (
            attributes.get(names.TABLE + "display") == "false"
            or attributes.get(names.PRESENTATION + "visibility") == "hidden"
        ):
            self._hidden.add(self._style)
        elif name == names.OFFICE + "spreadsheet":
            self._in_sheets = True
        elif name == names.DRAW + "page":
            self._slides += 1
            self._add("slide", str(self._slides), attributes.get(names.DRAW + "style-name", ""))
        elif name in names.PARAGRAPHS:
            self.scope = self.of_style(attributes.get(names.STYLE_NAME, ""), self.scope)
        elif self._in_sheets:
            self._in_sheet(event)

    def end(self, event: XmlEvent) -> None:
        """End an element."""
        self.scope = self._around.pop()
        if event.name == names.STYLE + "style":
            self._style = ""

    def of_style(self, style: str, around: Scope | None) -> Scope | None:
        """A style by its own name, and by the name of the style that it was made from."""
        for name in (self._parents.get(style, ""), style):
            if name:
                shown = _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)
                around = Scope("style", shown, around)
        return around

    def _add(self, kind: Literal["slide", "sheet"], value: str, style: str) -> None:
        if style in self._hidden:
            self.scope = Scope("hidden", "", self.scope)
        self.scope = Scope(kind, value, self.scope)

    def _in_sheet(self, event: XmlEvent) -> None:
        """An element of a spreadsheet."""
        name, attributes = event.name.removeprefix(names.TABLE), event.attributes
        hides = attributes.get(names.TABLE + "visibility") in _HIDDEN_ROWS
        if name == "table":
            self._row = self._columns = 0
            self._hidden_columns = []
            style = attributes.get(names.TABLE + "style-name", "")
            self._add("sheet", attributes.get(names.TABLE + "name", ""), style)
        elif name == "table-column":
            first = self._columns + 1
            self._columns += _times(attributes.get(names.TABLE + "number-columns-repeated"))
            if hides:
                self._hidden_columns.append((first, self._columns))
        elif name == "table-row":
            self._row += _times(attributes.get(names.TABLE + "number-rows-repeated"))
            self._column = 0
            self.scope = Scope("hidden", "", self.scope) if hides else self.scope
        elif name in ("table-cell", "covered-table-cell"):
            self._column += _times(attributes.get(names.TABLE + "number-columns-repeated"))
            if any(first <= self._column <= last for first, last in self._hidden_columns):
                self.scope = Scope("hidden", "", self.scope)
            letters = column_letters(self._column)
            self.scope = Scope(
                "cell", f"{letters}{self._row}", Scope("column", letters, self.scope)
            )


def _times(number: str | None) -> int:
    """How often a row or a cell is repeated."""
    return int(number) if number and _REPEATED.fullmatch(number) else 1
