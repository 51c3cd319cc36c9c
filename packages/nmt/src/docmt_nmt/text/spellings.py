"""Two spellings of one sentence and the corresponding characters in them. One spelling may be the
sentence unchanged, the other the sentence after a text pipeline (normalized, tokenized, escaped, in
another case).

Both are read from left to right. After a difference, the nearest position with agreement of both is
searched within a window: the time is linear in the length.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

Span = tuple[int, int]
"""Offsets, in characters, at which a range of text starts and ends."""

_WINDOW = 24
"""Number of characters to search for the next position with agreement of both spellings."""

_ALIKE = 3
"""Minimum number of characters in a row with agreement at this position."""

_CACHED = 10_000
"""Number of characters with a cached folded form."""


def matched_characters(first: str, second: str) -> list[tuple[int, int]]:
    """Return pairs of offsets of corresponding characters in two spellings of a sentence, in order.

    White space corresponds to nothing. Case and the composition of characters do not count. A
    differing stretch is divided in proportion.

    >>> matched_characters("„So“", '"so"')
    [(0, 0), (1, 1), (2, 2), (3, 3)]
    """
    if "".join(first.split()) == "".join(second.split()):
        return list(zip(_solid(first), _solid(second), strict=True))
    folded, offsets = _folded(first)
    other, other_offsets = _folded(second)
    if folded == other:
        return list(zip(offsets, other_offsets, strict=True))
    return [(offsets[i], other_offsets[j]) for i, j in _matched(folded, other)]


def carried_spans(spans: Sequence[Span], first: str, second: str) -> list[Span]:
    """Carry ranges of a sentence over to another spelling of it, in order. A range without
    corresponding characters becomes empty.

    Args:
        spans: ranges of `first`, in order; they may share characters.
        first, second: both spellings.

    >>> carried_spans([(0, 4), (5, 9)], "don't stop", "do n't stop")
    [(0, 5), (5, 10)]
    """
    if first == second:
        return [stripped_span(first, *span) for span in spans]
    starts, ends = [-1] * len(first), [-1] * len(first)
    for i, j in matched_characters(first, second):
        starts[i] = j if starts[i] < 0 else starts[i]
        ends[i] = j + 1
    carried: list[Span] = []
    offset = 0
    for start, end in spans:
        matched = [i for i in range(start, end) if starts[i] >= 0]
        if matched:
            offset = ends[matched[-1]]
            carried.append((starts[matched[0]], offset))
        else:
            carried.append((offset, offset))
    return carried


def stripped_span(text: str, start: int, end: int) -> Span:
    """Return a range of a text without the white space at both ends."""
    stripped = text[start:end].strip()
    if stripped:
        start = text.index(stripped, start)
    return start, start + len(stripped)


def _solid(text: str) -> list[int]:
    """Return the offsets of all characters except white space."""
    return [offset for offset, character in enumerate(text) if not character.isspace()]


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the characters of a text, decomposed and in lower case, without white space, and the
    offset of each in the text."""
    characters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        folded = _folded_character(character)
        characters.append(folded)
        offsets += [offset] * len(folded)
    return "".join(characters), offsets


@lru_cache(_CACHED)
def _folded_character(character: str) -> str:
    """Decompose a character and put it in lower case; white space becomes nothing."""
    return "".join(unicodedata.normalize("NFKD", character).lower().split())


def _matched(first: str, second: str) -> Iterator[tuple[int, int]]:
    """Yield pairs of the offsets of two strings."""
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
    """Count the characters of both, the fewest in all, before both agree again."""
    size, other = min(_WINDOW, len(first) - i), min(_WINDOW, len(second) - j)
    for total in range(1, size + other + 1):
        for a in sorted(
            range(max(0, total - other), min(size, total) + 1), key=lambda a: abs(2 * a - total)
        ):
            following = first[i + a : i + a + _ALIKE]
            if following == second[j + total - a : j + total - a + _ALIKE] and (
                following or (i + a == len(first) and j + total - a == len(second))
            ):
                return a, total - a
    return size, other
