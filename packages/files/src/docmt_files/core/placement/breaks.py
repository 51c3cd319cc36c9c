"""Places of the breaks of a sentence in a translation: boundaries of subtitle cues, and moments in
a cue at which words appear.

Unlike other codes, breaks keep their order, stand between words, and have a word between them if
there are enough words. A boundary of cues moves to the end of a nearby clause, where readers pause.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import regex

from docmt_files.core.inline import Code, InlineSentence

ORDERED = ("break", "moment")
"""The kinds of codes with a fixed order."""

_NEAR = 12
"""Most characters by which a boundary may move to the end of a clause."""

_CLAUSE_END = re.compile(r"[,;:.!?…–—،؛؟、。，；：！？]")
_OPENING = re.compile(r"[(\[{¿¡«„“‘「『（【]")
_CLOSING = re.compile(r"[)\]}»”’」』）】,;:.!?…%،؛؟、。，；：！？]")
# `re` takes milliseconds to compile a class of such ranges.
UNSPACED = regex.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]")
"""Characters of scripts without spaces between words."""


def word_gaps(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places in a text where a line may end. Each is a pair of offsets: the end of the text
    before, and the start of the text after. Between words the offsets differ by white space; in
    scripts without spaces they are equal.

    Args:
        text: the text.
        spans: the offsets of words and punctuation characters, as from `word_spans`.
    """
    gaps = []
    for (_, end), (start, _) in pairwise(spans):
        before, after = text[end - 1], text[start]
        is_gap = end < start or UNSPACED.match(before) or UNSPACED.match(after)
        # French has spaces before some marks.
        if is_gap and not _CLOSING.match(after) and not _OPENING.match(before):
            gaps.append((end, start))
    return gaps


def ends_clause(text: str, offset: int) -> bool:
    """Return whether the punctuation before an offset of a text ends a clause."""
    return _CLAUSE_END.match(text[offset - 1 : offset]) is not None


def break_offsets(
    text: str, spans: Sequence[tuple[int, int]], wanted: Sequence[int], breaks: Sequence[Code]
) -> list[int]:
    """The offsets of breaks in a translation, in ascending order.

    Args:
        text: the translation.
        spans: the offsets of words, as from `word_spans`.
        wanted: the offset of each break by the alignment.
        breaks: the breaks, in order.
    """
    gaps = word_gaps(text, spans)
    ends = [end for end, _ in gaps]
    offsets: list[int] = []
    first = 0
    for index, (offset, code) in enumerate(zip(sorted(wanted), breaks, strict=True)):
        # So many gaps are left for the breaks after this one.
        last = len(ends) - (len(breaks) - index - 1)
        if first >= last:
            if first >= len(ends):
                offsets.append(len(text))
                continue
            last = first + 1
        position = _nearest_gap(text, ends, offset, first, last, is_cue=code.kind == "break")
        offsets.append(ends[position])
        first = position + 1
    return offsets


def _nearest_gap(
    text: str, ends: Sequence[int], offset: int, first: int, last: int, *, is_cue: bool
) -> int:
    """The gap nearest to an offset, out of a range of gaps. For the boundary of a cue, a nearby gap
    at the end of a clause is preferred."""
    middle = min(max(bisect_left(ends, offset), first), last - 1)
    near = [
        index
        for index in range(max(first, middle - _NEAR), min(last, middle + _NEAR + 1))
        if index == middle or abs(ends[index] - offset) <= _NEAR or index == middle - 1
    ]

    def cost(index: int) -> int:
        reward = _NEAR + 1 if is_cue and ends_clause(text, ends[index]) else 0
        distance = abs(ends[index] - offset)
        return distance - (reward if distance <= _NEAR else 0)

    return min(near, key=cost)


def without_breaks(source: InlineSentence) -> tuple[InlineSentence, list[tuple[int, Code]]]:
    """A sentence without breaks, and the breaks with their offsets in the text."""
    breaks = [item for item in source.codes if item[1].kind in ORDERED]
    if not breaks:
        return source, breaks
    rest = [
        pair
        for pair in zip(source.codes, source.neighbors, strict=True)
        if pair[0][1].kind not in ORDERED
    ]
    codes, neighbors = tuple(code for code, _ in rest), tuple(around for _, around in rest)
    return replace(source, codes=codes, neighbors=neighbors), breaks


def with_breaks(
    source: InlineSentence,
    parts: Sequence[str | Code],
    text: str,
    spans: Sequence[tuple[int, int]],
    wanted: Sequence[int],
) -> list[str | Code]:
    """A translation with breaks and other codes.

    Args:
        source: the source sentence with all codes.
        parts: the translation with the other codes, possibly with other white space.
        text: the translation.
        spans: the offsets of words, as from `word_spans`.
        wanted: the offset of each break in the translation by the alignment.
    """
    breaks = [code for _, code in source.codes if code.kind in ORDERED]
    if not breaks:
        return list(parts)
    order = {code.start: index for index, (_, code) in enumerate(source.codes)}
    # Characters other than white space are the same in both.
    until = list(accumulate((not character.isspace() for character in text), initial=0))
    counts = [until[offset] for offset in break_offsets(text, spans, wanted, breaks)]
    waiting = list(zip(counts, breaks, strict=True))[::-1]
    parts_with_breaks: list[str | Code] = []
    seen = 0
    for part in parts:
        if isinstance(part, Code):
            while waiting and waiting[-1][0] <= seen and _follows(part, waiting[-1][1], order):
                parts_with_breaks.append(waiting.pop()[1])
            parts_with_breaks.append(part)
            continue
        position = 0
        for index, character in enumerate(part):
            if character.isspace():
                continue
            if waiting and waiting[-1][0] <= seen:
                parts_with_breaks.append(part[position:index])
                while waiting and waiting[-1][0] <= seen:
                    parts_with_breaks.append(waiting.pop()[1])
                position = index
            seen += 1
        parts_with_breaks.append(part[position:])
    return _without_space_at_breaks([*parts_with_breaks, *(code for _, code in reversed(waiting))])


def _follows(part: Code, code: Code, order: dict[int, int]) -> bool:
    """Return whether a code at the same place as a break comes after it."""
    return part.kind == "open" or (part.kind != "close" and order[part.start] > order[code.start])


def _without_space_at_breaks(parts: Sequence[str | Code]) -> list[str | Code]:
    """Parts without white space beside the boundaries of cues."""
    stripped: list[str | Code] = []
    parts = [part for part in parts if part]
    for index, part in enumerate(parts):
        if isinstance(part, str):
            if index and _is_boundary(parts[index - 1]):
                part = part.lstrip()
            if index + 1 < len(parts) and _is_boundary(parts[index + 1]):
                part = part.rstrip()
        stripped.append(part)
    return stripped


def _is_boundary(part: str | Code) -> bool:
    return isinstance(part, Code) and part.kind == "break"
