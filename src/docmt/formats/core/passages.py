"""Passages of a block: lines of addresses, forms, letters and poems stand for themselves; lines of
wrapped text go on in the next line.

Wrapped text has a line end where the next word does not fit. So a line with room for the next word
is short. A short line ends a passage if the next line begins with a capital, a digit or a character
of a script without capitals, and any line ends a passage before a label (`Phone:`). Lines are
measured in the file where line ends of the file wrap them, and by their text where something else
does, such as `<br>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple
from unicodedata import east_asian_width

_NARROWEST = 40
"""Least width of wrapped text, in columns."""

_USUAL = 60
"""Least width of wrapped text, in columns, where all lines begin like passages."""

_WIDEST = 100
"""Columns of a line too wide for wrapping by hand."""

_LABEL = re.compile(r"[^\W\d_][\w'’./&()-]*(?: [\w'’./&()-]+){0,3} ?(?::(?=\s|$)|：)")
_BULLET = re.compile(r"[-*+•‣◦–—]\s+(?=\S)")
_QUOTES = "\"'“”„«»‘‚¿¡「『《"
_FIRST_WORD = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]|\S+")
"""In scripts without spaces, text is wrapped between any two characters."""


class Piece(NamedTuple):
    """A part of a block.

    Attributes:
        text: the text; for a code, the substitute.
        size: the number of characters in the file.
        kind: text; a code, or a code in place of words; a line end of wrapped text, or a line end
            made by a code such as `<br>`.
    """

    text: str
    size: int
    kind: Literal["text", "code", "word", "wrap", "break"]


class _Line(NamedTuple):
    """A line of a block.

    Attributes:
        start: the offset in the text of the block at which it starts.
        text: the text, without white space around it.
        columns: the width of the line.
        word: the width of the first word.
        is_broken: whether a code ends the line before it.
        has_lead: whether it begins with a code in place of words.
    """

    start: int
    text: str
    columns: int
    word: int
    is_broken: bool
    has_lead: bool

    @property
    def begins(self) -> bool:
        """True if it begins as a passage does."""
        first = self.text.lstrip(_QUOTES)[:2]
        if self.has_lead or not first:
            return False
        if first[0] == "+":
            return first[1:].isdigit()
        return first[0].isalnum() and not first[0].islower()

    @property
    def has_label(self) -> bool:
        """True if it begins with a label."""
        return not self.has_lead and _LABEL.match(self.text) is not None


def passage_ranges(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    """The ranges of the text of a block, in order, for separate splitting into sentences.

    Args:
        pieces: the parts of the block.
    """
    text = "".join(piece.text for piece in pieces)
    lines = list(_lines(pieces))
    if len(lines) == 1:
        return [(0, len(text))]
    widest = max(line.columns for line in lines)
    is_prose = widest > _USUAL or any(line.text[:1].islower() for line in lines[1:])
    width = max(widest, _NARROWEST if is_prose else _USUAL)
    starts = [lines[0]]
    for before, line in pairwise(lines):
        if _ends(before, line, width, is_prose=is_prose, first=lines[0]):
            starts.append(line)
    if len(starts) == 1:
        return [(0, len(text))]
    ends = [*(line.start for line in starts[1:]), len(text)]
    return [(_after_bullet(text, line.start), end) for line, end in zip(starts, ends, strict=True)]


def _ends(before: _Line, line: _Line, width: int, *, is_prose: bool, first: _Line) -> bool:
    """Return whether a line ends a passage.

    Args:
        before: the line.
        line: the next line.
        width: the columns to which text may have been wrapped.
        is_prose: whether the block looks wrapped, apart from this line.
        first: the first line of the block.
    """
    is_full = before.columns + 1 + line.word > width
    begins_after_break = line.begins and (line.is_broken or not is_full)
    if line.has_label and (first.has_label or begins_after_break):
        return True
    if line.is_broken and (_BULLET.match(line.text) or width > _WIDEST):
        return line.begins or _BULLET.match(line.text) is not None
    if is_full:
        return False
    if before is first and _is_salutation(before):
        return True
    # Authors wrap unevenly, before names, too.
    is_short = line.is_broken or not is_prose or before.columns <= width // 2
    return is_short and line.begins


def _is_salutation(line: _Line) -> bool:
    """Return whether a line is like the first one of a letter."""
    return line.columns <= _NARROWEST and line.text.endswith((",", "，"))


def _after_bullet(text: str, start: int) -> int:
    """Return the start of a passage, behind the bullet."""
    start += len(text[start:]) - len(text[start:].lstrip())
    match = _BULLET.match(text, start)
    return match.end() if match else start


def _lines(pieces: Sequence[Piece]) -> Iterator[_Line]:
    """The lines of a block."""
    is_wrapped = any(piece.kind == "wrap" for piece in pieces)
    of_line: list[Piece] = []
    start, is_broken = 0, False
    for piece in pieces:
        if piece.kind not in ("wrap", "break"):
            of_line.append(piece)
            continue
        yield _line(of_line, start, is_broken=is_broken, is_wrapped=is_wrapped)
        start += sum(len(part.text) for part in (*of_line, piece))
        of_line, is_broken = [], piece.kind == "break"
    yield _line(of_line, start, is_broken=is_broken, is_wrapped=is_wrapped)


def _line(pieces: Sequence[Piece], start: int, *, is_broken: bool, is_wrapped: bool) -> _Line:
    """The line made of some pieces. Codes are as wide as in the file if line ends of the file wrap
    the block, and without width otherwise."""
    text = "".join(piece.text for piece in pieces).strip()
    shown = text
    if is_wrapped:
        shown = "".join(
            piece.text if piece.kind == "text" else "x" * piece.size for piece in pieces
        ).strip()
    word = _FIRST_WORD.match(shown)
    lead = next((p.kind for p in pieces if p.kind == "word" or p.text.strip()), "text")
    return _Line(
        start, text, _columns(shown), _columns(word[0]) if word else 0, is_broken, lead == "word"
    )


def _columns(text: str) -> int:
    """The width of a text; Chinese and Japanese characters take two columns."""
    if text.isascii():
        return len(text)
    return len(text) + sum(east_asian_width(character) in "WF" for character in text)
