"""Lines of subtitles: of usual width, of about the same length, and broken at the end of a nearby
clause."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from docmt_files.core.placement.breaks import UNSPACED

LINE_WIDTH = 42
"""The width of a line in columns; a Chinese or Japanese character takes two."""

_NEAR = 6
"""Number of compared places on each side of the best."""

_CLAUSE_WORTH = 8
"""Number of columns by which a line may be longer or shorter to end with a clause."""

_TOO_WIDE = 1000

_CLAUSE_END = re.compile(r"[,;:.!?…،؛؟、。，；：！？]")
_NO_END = re.compile(r"[(\[{¿¡«„“「『（【]")
_NO_START = re.compile(r"[)\]}»”’」』）】,;:.!?…%،؛؟、。，；：！？\-‐‑‒–—―>#♪♫♬♩]")


class _Gap(NamedTuple):
    """A place where a line may end: the offsets of the end and of the next start, the columns
    before, and whether a clause ends there."""

    end: int
    start: int
    width: int
    is_clause: bool


def width(text: str) -> int:
    """The width of a text in columns."""
    return sum(map(_columns, text))


def break_line(
    text: str, tag: re.Pattern[str], most_columns: int, most_lines: int, fewest_lines: int = 1
) -> list[str]:
    """A text on as few lines as hold it, up to a limit.

    Args:
        text: the text, with tags.
        tag: the pattern of a tag.
        most_columns: the largest width of a line, where the number of lines allows it.
        most_lines: the largest number of lines.
        fewest_lines: the smallest number of lines, where the text has words for them.
    """
    gaps, whole = _gaps(text, tag)
    fewest = min(max(fewest_lines, -(-whole // most_columns)), most_lines)
    for count in range(fewest, min(fewest + 1, most_lines) + 1):
        lines, widest = _divided(text, gaps, whole, count, most_columns)
        if widest <= most_columns:
            break
    return lines


def _columns(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def _gaps(text: str, tag: re.Pattern[str]) -> tuple[list[_Gap], int]:
    """The places where lines may end, and the columns of the whole text."""
    gaps: list[_Gap] = []
    hidden = {position for match in tag.finditer(text) for position in range(*match.span())}
    columns = 0
    before = ""
    space = at_space = -1
    for position, character in enumerate(text):
        if position in hidden:
            continue
        if character.isspace() and character != "\u00a0" and character != "\u202f":
            if space < 0:
                space, at_space = position, columns
        else:
            unspaced = UNSPACED.match(character) or (before and UNSPACED.match(before))
            if before and not _NO_START.match(character) and not _NO_END.match(before):
                clause = _CLAUSE_END.match(before) is not None
                if space >= 0:
                    gaps.append(_Gap(space, space + 1, at_space, clause))
                elif unspaced and not hidden:
                    gaps.append(_Gap(position, position, columns, clause))
            before, space = character, -1
        columns += _columns(character)
    return gaps, columns


def _divided(
    text: str, gaps: list[_Gap], whole: int, count: int, most_columns: int
) -> tuple[list[str], int]:
    """A text on so many lines of about the same width, and the width of the widest."""
    widths = [gap.width for gap in gaps]
    lines: list[str] = []
    start = first = widest = done = 0
    for left in range(count, 1, -1):
        ideal = done + (whole - done) / left
        middle = bisect_left(widths, ideal)
        near = range(max(first, middle - _NEAR), min(len(gaps), middle + _NEAR))
        if not near:
            break

        def cost(index: int, ideal: float = ideal, done: int = done, left: int = left) -> float:
            gap = gaps[index]
            distance = abs(gap.width - ideal) - (_CLAUSE_WORTH if gap.is_clause else 0)
            rest = (whole - gap.width) / (left - 1)
            return distance + _TOO_WIDE * (max(gap.width - done, rest) > most_columns)

        best = min(near, key=cost)
        lines.append(text[start : gaps[best].end])
        widest = max(widest, gaps[best].width - done)
        start, done, first = gaps[best].start, gaps[best].width, best + 1
    lines.append(text[start:].lstrip())
    return lines, max(widest, whole - done)
