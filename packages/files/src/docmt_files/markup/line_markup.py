"""Shared parts of AsciiDoc and reStructuredText: the text of lines with its places in the file, and
titles with an underline, which is as long as the title.

Before a file is read, a mark goes in front of each underline. So an underline is known by its mark
whatever its length, and gets the length of the translated title when the file is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.encodings import read_text
from docmt_files.core.inline import Block, LineEnd, Part, Text
from docmt_files.core.line_joining import columns_of
from docmt_files.storage.files import PathLike

UNDER, OVER = "\ufdd0", "\ufdd1"
"""The marks before a line under a title, and before one over it: noncharacters, as no text has
them."""

Span = tuple[int, int]
"""The offsets in the file at which a line, or a part of one, starts and ends."""

_ANY_MARK = re.compile(f"[{UNDER}{OVER}]")
_LINES = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


def lines_of(text: str, start: int = 0) -> list[Span]:
    """The lines of a text from an offset on, without line ends."""
    spans = [match.span(1) for match in _LINES.finditer(text, start)]
    return spans[:-1] if spans and spans[-1][0] == len(text) > start else spans


class Content(NamedTuple):
    """The text of a block, with line feeds between its lines.

    Attributes:
        text: the text, without white space at the ends of lines.
        starts: for each character, and the end, the offset in the file. A line feed goes up to the
            first character of the next line.
    """

    text: str
    starts: list[int]

    def parts(
        self, start: int, end: int, unit: re.Pattern[str], meaning: Callable[[str], str]
    ) -> Iterator[Part]:
        """A range without codes as texts: line ends, units of several characters (matches of a
        pattern) and what is between them.

        Args:
            start, end: the range of the text.
            unit: matches a line feed, or a unit.
            meaning: the characters that a unit means.
        """
        position = start
        for match in unit.finditer(self.text, start, end):
            first, last = match.span()
            if position < first:
                yield self._text(position, first)
            place = self.starts[first], self.starts[last]
            yield LineEnd(*place, " ") if match[0] == "\n" else Text(*place, meaning(match[0]))
            position = last
        if position < end:
            yield self._text(position, end)

    def _text(self, start: int, end: int) -> Text:
        return Text(self.starts[start], self.starts[end], self.text[start:end])


def content_of(text: str, spans: Sequence[Span]) -> Content:
    """The content of lines of a file, without white space at their ends."""
    lines: list[str] = []
    starts: list[int] = []
    for start, end in spans:
        line = text[start:end]
        first = start + len(line) - len(line.lstrip())
        stripped = line.strip()
        lines.append(stripped)
        starts += range(first, first + len(stripped) + 1)
    return Content("\n".join(lines), starts)


class LineScanner(Protocol):
    """Goes through the lines of a file.

    Attributes:
        blocks: the blocks of the file.
        marks: the offset of each line under or over a title that has no mark, in order, and the
            mark.
    """

    blocks: list[Block]
    marks: list[tuple[int, str]]

    def read_file(self) -> None:
        """Read all lines."""
        ...

    def notes(self) -> Iterator[str]:
        """Notes on text left untranslated."""
        ...


def read_with_marks(
    path: PathLike, language: str, scanner: Callable[[str], LineScanner]
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file whose titles have underlines.

    Args:
        path: the file.
        language: the language of the file.
        scanner: makes the scanner of a text, with or without marks.

    Raises:
        InputError: the file cannot be read, or has characters that are marks.
    """
    text = read_text(path)
    _check_marks(text, path)
    marked = _with_marks(text, _scanned(scanner, text).marks)
    find_blocks = partial(blocks_of_lines, scanner)
    encode = Underlines.of(marked).encode
    return read_document(path, marked, find_blocks(marked), language, find_blocks, encode)


def blocks_of_lines(scanner: Callable[[str], LineScanner], text: str) -> Blocks:
    """The blocks of a text, in which a mark may stand before a line under or over a title."""
    read = _scanned(scanner, text)
    return Blocks(read.blocks, (), tuple(read.notes()))


def _scanned(scanner: Callable[[str], LineScanner], text: str) -> LineScanner:
    made = scanner(text)
    made.read_file()
    return made


def _check_marks(text: str, path: PathLike) -> None:
    """Refuse a file with characters that are the marks of this module.

    Raises:
        InputError: it has one.
    """
    if match := _ANY_MARK.search(text):
        raise InputError(
            f"holds the noncharacter U+{ord(match[0]):04X}",
            path=path,
            line=text.count("\n", 0, match.start()) + 1,
            cure="Remove it",
        )


def _with_marks(text: str, places: Sequence[tuple[int, str]]) -> str:
    """A text with marks: before which offset which mark, in order."""
    position = 0
    pieces = []
    for place, mark in places:
        pieces += [text[position:place], mark]
        position = place
    return "".join([*pieces, text[position:]])


@dataclass(frozen=True, slots=True)
class Underlines:
    """Takes the marks out of a filled file, and fits underlines to the titles that have changed.

    Attributes:
        titles: the title of each mark in the file as it was read.
    """

    titles: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Underlines:
        """The underlines of a text with marks."""
        return cls(tuple(title for title, _, _ in _marked(text)))

    def encode(self, text: str) -> bytes:
        """The bytes of a file with marks, without these."""
        pieces = []
        position = 0
        marked = list(_marked(text))
        fits = len(marked) == len(self.titles)
        for number, (title, start, end) in enumerate(marked):
            line = text[start:end]
            if fits and title != self.titles[number]:
                line = _fitted(line, columns_of(title), columns_of(self.titles[number]))
            pieces += [text[position : start - 1], line]
            position = end
        return "".join([*pieces, text[position:]]).encode()


def _fitted(line: str, width: int, before: int) -> str:
    """An underline for a title of this width; it is longer than the title if it was."""
    length = len(line.rstrip())
    return line[0] * (width if length <= before else max(width, length))


def _marked(text: str) -> Iterator[tuple[str, int, int]]:
    """For each mark, the title, and the offsets at which the line behind the mark starts and
    ends."""
    lines = lines_of(text)
    titles = ["", *(text[start:end].rstrip() for start, end in lines), ""]
    for number, (start, end) in enumerate(lines):
        if text.startswith((UNDER, OVER), start):
            yield titles[number + 2 * (text[start] == OVER)], start + 1, end
