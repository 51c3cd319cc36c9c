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
from unicodedata import category, east_asian_width

import regex

MIN_COLUMNS = 40
"""Least width of wrapped text, in columns."""

USUAL_COLUMNS = 60
"""Least width of wrapped text, in columns, where all lines begin like passages."""

MAX_COLUMNS = 100
"""Columns of a line too wide for wrapping by hand."""

_LABEL = re.compile(r"[^\W\d_][\w'’./&()-]*(?: [\w'’./&()-]+){0,3} ?(?::(?=\s|$)|：)")
_BULLET = re.compile(r"[-*+•‣◦–—]\s+(?=\S)")
QUOTES = "\"'“”„«»‘‚¿¡「『《"
"""Characters that open a quotation, or a question and an exclamation in Spanish."""
# `re` takes milliseconds to compile a class of such ranges.
_FIRST_WORD = regex.compile(
    r"[「『（【]*[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60][、。，．：；！？」』）】]*"
    r"|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{1,10}|\S+"
)
"""In Chinese and Japanese, text is wrapped between any two characters, though not before closing
punctuation; in Thai and its neighbors, between words without spaces, of some characters."""


class Piece(NamedTuple):
    """A part of a block.

    Attributes:
        text: the text; for a code, the substitute.
        size: the number of characters in the file.
        kind: text; a code, or a code in place of words; a line end of wrapped text, a line end made
            by a code such as `<br>`, or a line end known to end a passage.
    """

    text: str
    size: int
    kind: Literal["text", "code", "word", "wrap", "break", "end"]


class _Line(NamedTuple):
    """A line of a block.

    Attributes:
        start: the offset in the text of the block at which it starts.
        text: the text, without white space around it.
        columns: the width of the line.
        word: the width of the first word.
        is_broken: whether a code ends the line before it.
        is_ended: whether the line before it is known to end a passage.
        has_lead: whether it begins with a code in place of words.
    """

    start: int
    text: str
    columns: int
    word: int
    is_broken: bool
    is_ended: bool
    has_lead: bool

    @property
    def begins(self) -> bool:
        """True if it begins as a passage does."""
        first = self.text.lstrip(QUOTES)[:2]
        if self.has_lead or not first:
            return False
        if first[0] == "+":
            return first[1:].isdigit()
        return first[0].isalnum() and not first[0].islower()

    @property
    def has_label(self) -> bool:
        """True if it begins with a label."""
        return not self.has_lead and has_label(self.text)


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
    is_prose = widest > USUAL_COLUMNS or any(line.text[:1].islower() for line in lines[1:])
    width = max(widest, MIN_COLUMNS if is_prose else USUAL_COLUMNS)
    is_list = (
        len(lines) > 2
        and all(line.text[:1].islower() for line in lines)
        and not lines[-1].text.endswith((".", "!", "?", "…"))
    )
    starts = [lines[0]]
    for before, line in pairwise(lines):
        if _ends(before, line, width, is_prose=is_prose, is_list=is_list, first=lines[0]):
            starts.append(line)
    if len(starts) == 1:
        return [(0, len(text))]
    ends = [*(line.start for line in starts[1:]), len(text)]
    return [(_after_bullet(text, line.start), end) for line, end in zip(starts, ends, strict=True)]


def _ends(
    before: _Line, line: _Line, width: int, *, is_prose: bool, is_list: bool, first: _Line
) -> bool:
    """Return whether a line ends a passage.

    Args:
        before: the line.
        line: the next line.
        width: the columns to which text may have been wrapped.
        is_prose: whether the block looks wrapped, apart from this line.
        is_list: whether all lines are like terms in lower case.
        first: the first line of the block.
    """
    if line.is_ended:
        return True
    is_full = before.columns + 1 + line.word > width
    begins_after_break = line.begins and (line.is_broken or not is_full)
    if line.has_label and (first.has_label or begins_after_break):
        return True
    if line.is_broken and (_BULLET.match(line.text) or width > MAX_COLUMNS):
        return line.begins or _BULLET.match(line.text) is not None
    if is_full:
        return False
    if line.is_broken and is_list:
        return True
    if before is first and _is_salutation(before):
        return True
    # Authors wrap unevenly, before names, too.
    is_short = line.is_broken or not is_prose or before.columns <= width // 2
    return is_short and line.begins


def _is_salutation(line: _Line) -> bool:
    """Return whether a line is like the first one of a letter."""
    return line.columns <= MIN_COLUMNS and line.text.endswith((",", "，"))


def _after_bullet(text: str, start: int) -> int:
    """Return the start of a passage, behind the bullet."""
    start += len(text[start:]) - len(text[start:].lstrip())
    match = _BULLET.match(text, start)
    return match.end() if match else start


def _lines(pieces: Sequence[Piece]) -> Iterator[_Line]:
    """The lines of a block."""
    is_wrapped = any(piece.kind == "wrap" for piece in pieces)
    of_line: list[Piece] = []
    start, end = 0, ""
    for piece in pieces:
        if piece.kind not in ("wrap", "break", "end"):
            of_line.append(piece)
            continue
        yield _line(of_line, start, end, is_wrapped=is_wrapped)
        start += sum(len(part.text) for part in (*of_line, piece))
        of_line, end = [], piece.kind
    yield _line(of_line, start, end, is_wrapped=is_wrapped)


def _line(pieces: Sequence[Piece], start: int, end: str, *, is_wrapped: bool) -> _Line:
    """The line made of some pieces, after a line end of some kind. Codes are as wide as in the file
    if line ends of the file wrap the block, and without width otherwise."""
    text = "".join(piece.text for piece in pieces).strip()
    shown = text
    if is_wrapped:
        shown = "".join(
            piece.text if piece.kind == "text" else "x" * piece.size for piece in pieces
        ).strip()
    lead = next((p.kind for p in pieces if p.kind == "word" or p.text.strip()), "text")
    return _Line(
        start,
        text,
        columns_of(shown),
        columns_of(first_word(shown)),
        is_broken=end == "break",
        is_ended=end == "end",
        has_lead=lead == "word",
    )


def has_label(text: str) -> bool:
    """Return whether a text begins with a label (`Phone:`)."""
    return _LABEL.match(text) is not None


def first_word(text: str) -> str:
    """The part of a text, at its beginning, that no line break divides."""
    word = _FIRST_WORD.match(text)
    return word[0] if word else ""


def columns_of(text: str) -> int:
    """The width of a text. Chinese and Japanese characters take two columns; marks over and under
    letters take none."""
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(category(character) in ("Mn", "Me", "Cf") for character in text)
