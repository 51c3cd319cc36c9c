"""The cells of tables of AsciiDoc."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docmt_files.markup.line_markup import Span

_SPECIFIER = re.compile(
    r"(?:(?<=\s)|\A)(?:(?P<columns>\d{1,3})?(?:\.\d{1,3})?(?P<times>[+*]))?"
    r"[<^>]?(?:\.[<^>])?(?P<style>[a-z])?\Z|\Z"
)
_LONGEST = 20
"""The most characters of a specifier."""
_COLUMNS = re.compile(r"\bcols\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^,\]]*))")
_COLUMN = re.compile(r"\s*(?:(\d{1,3})\*)?[^,;a-z]*([a-z])?\s*")
_MAX_COLUMNS = 1000
_KEPT = frozenset("ml")
"""Styles of cells with code: monospaced and literal."""


def cells_of(
    text: str, lines: Sequence[Span], separator: str, attributes: str
) -> Iterator[list[Span]]:
    """The lines of each cell with text to translate.

    Args:
        text: the file.
        lines: the lines between the delimiters of the table.
        separator: the character before each cell.
        attributes: the attributes of the table, of which `cols` gives styles of columns.
    """
    styles = _styles(attributes)
    bar = re.compile(rf"(?<!\\){re.escape(separator)}")
    spans: list[Span] = []
    style = ""
    column = 0
    has_cell = False
    for start, end in lines:
        line = text[start:end]
        position = 0
        for match in bar.finditer(line):
            first = max(position, match.start() - _LONGEST)
            found = _SPECIFIER.search(("\0" if first else "") + line[first : match.start()])
            assert found is not None
            spans.append((start + position, start + match.start() - len(found[0])))
            if has_cell and style not in _KEPT:
                yield _trimmed(text, spans)
            style = found["style"] or (styles[column % len(styles)] if styles else "")
            column += int(found["columns"] or 1) if found["times"] else 1
            has_cell, spans, position = True, [], match.end()
        spans.append((start + position, end))
    if has_cell and style not in _KEPT:
        yield _trimmed(text, spans)


def _styles(attributes: str) -> list[str]:
    """The style of each column, empty for none; an empty list if the table does not say."""
    match = _COLUMNS.search(attributes)
    if match is None:
        return []
    styles: list[str] = []
    for specifier in re.split("[,;]", match[1] or match[2] or match[3] or ""):
        column = _COLUMN.fullmatch(specifier)
        times = int(column[1] or 1) if column else 1
        styles += [(column[2] or "") if column else ""] * times
    return styles[:_MAX_COLUMNS]


def _trimmed(text: str, spans: Sequence[Span]) -> list[Span]:
    """The lines of a cell, the first one from its first character on."""
    start, end = spans[0]
    line = text[start:end]
    return [(start + len(line) - len(line.lstrip()), end), *spans[1:]]
