"""Which characters of two spellings of a sentence stand for each other, such as of the sentence as
it is and as a text pipeline changed it: normalized, tokenized, escaped, in another case.

Both are read from left to right. Where they differ, the nearest place is searched from which on
they are alike again, within a window, so that the time is linear in their length.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

Span = tuple[int, int]
"""The offsets, in characters, at which something starts and ends."""

_WINDOW = 24
"""How many characters are searched for the next place at which both are alike."""

_ALIKE = 3
"""So many characters in a row must be alike there."""

_CACHED = 10_000
"""Characters whose folded form is kept."""


def matched_characters(first: str, second: str) -> list[tuple[int, int]]:
    """Pairs of the offsets of characters that stand for each other, in order.

    White space stands for nothing. Case and the composition of characters do not count. A stretch
    that differs is divided in proportion.
    """
    if "".join(first.split()) == "".join(second.split()):
        return list(zip(_solid(first), _solid(second), strict=True))
    folded, offsets = _folded(first)
    other, other_offsets = _folded(second)
    if folded == other:
        return list(zip(offsets, other_offsets, strict=True))
    return [(offsets[i], other_offsets[j]) for i, j in _matched(folded, other)]


def carried_spans(spans: Sequence[Span], first: str, second: str) -> list[Span]:
    """Ranges of a text as ranges of another spelling of it, in order. A range whose characters
    stand for nothing there is empty.

    Args:
        spans: ranges of `first`, in order; they may share characters.
        first, second: the text in both spellings.
    """
    if first == second:
        return [stripped_span(first, *span) for span in spans]
    starts, ends = [-1] * len(first), [-1] * len(first)
    for i, j in matched_characters(first, second):
        starts[i] = j if starts[i] < 0 else starts[i]
        ends[i] = j + 1
    carried: list[Span] = []
    at = 0
    for start, end in spans:
        own = [i for i in range(start, end) if starts[i] >= 0]
        if own:
            carried.append((starts[own[0]], ends[own[-1]]))
            at = ends[own[-1]]
        else:
            carried.append((at, at))
    return carried


def stripped_span(text: str, start: int, end: int) -> Span:
    """A range of a text without the white space at its ends."""
    own = text[start:end].strip()
    if own:
        start = text.index(own, start)
    return start, start + len(own)


def _solid(text: str) -> list[int]:
    """The offsets of the characters of a text that are not white space."""
    return [offset for offset, character in enumerate(text) if not character.isspace()]


def _folded(text: str) -> tuple[str, list[int]]:
    """The characters of a text, decomposed and in lower case, without white space, and the offset
    in the text that each comes from."""
    characters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        for one in _folded_character(character):
            characters.append(one)
            offsets.append(offset)
    return "".join(characters), offsets


@lru_cache(_CACHED)
def _folded_character(character: str) -> str:
    """A character, decomposed and in lower case; nothing for white space."""
    return "".join(unicodedata.normalize("NFKD", character).lower().split())


def _matched(first: str, second: str) -> Iterator[tuple[int, int]]:
    """Pairs of the offsets of two strings."""
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            yield i, j
            i, j = i + 1, j + 1
            continue
        size, other = _until_alike(first, second, i, j)
        steps = max(size, other) if size and other else 0
        for step in range(steps):
            yield i + step * size // steps, j + step * other // steps
        i, j = i + size, j + other


def _until_alike(first: str, second: str, i: int, j: int) -> tuple[int, int]:
    """How many characters of both, the fewest in all, come before they are alike again."""
    size, other = min(_WINDOW, len(first) - i), min(_WINDOW, len(second) - j)
    for total in range(1, size + other + 1):
        for a in sorted(
            range(max(0, total - other), min(size, total) + 1), key=lambda a: abs(2 * a - total)
        ):
            here = first[i + a : i + a + _ALIKE]
            if here == second[j + total - a : j + total - a + _ALIKE] and (
                here or (i + a == len(first) and j + total - a == len(second))
            ):
                return a, total - a
    return size, other
