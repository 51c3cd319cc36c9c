"""Places of ranges of source words in a translation: `Projection` finds the target words most
linked with a range of source words and least with the others.

Shapes: S source words, T target words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, groupby

from docmt_files.core.placement.word_links import WordLinks

_EDGE = 0.1
"""A target word at the edge of a range has a share in the range above one half by this margin."""

_EQUAL = 1e-6
"""Sums of links with a smaller difference are equal."""


_CLOSING = {
    "(": ")",
    "[": "]",
    "{": "}",
    "«": "»",
    "„": "“”",
    "“": "”",
    "‚": "‘’",
    "‘": "’",
    '"': '"',
}
"""Closing characters by opening character. A mark that closes something opens nothing."""


class ConflictError(Exception):
    """The codes cannot all be put between words."""


def match_marks(words: Sequence[str]) -> dict[int, int]:
    """For each bracket and quotation mark with a partner in the sentence, the index of the
    partner."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index, word in enumerate(words):
        if opened and word in _CLOSING[words[opened[-1]]]:
            start = opened.pop()
            partners |= {start: index, index: start}
        elif word in _CLOSING:
            opened.append(index)
    return partners


class Projection:
    """The links of a sentence, for finding the target words of source words.

    Args:
        links: (S, T) how much words belong together.
        target_words: the number of target words.
        partners: for each bracket and quotation mark among the target words, the partner.
        points: for some source words, the target words before which codes before them stand.
    """

    def __init__(
        self,
        links: WordLinks,
        target_words: int,
        partners: Mapping[int, int] | None = None,
        points: Mapping[int, int] | None = None,
    ) -> None:
        self.partners, self._points = partners or {}, points or {}
        self.target_words = target_words
        self._sums = [[0.0] * target_words]  # (S + 1, T)
        for row in links:
            self._sums.append([a + b for a, b in zip(self._sums[-1], row, strict=True)])

    def _gains(self, start: int, end: int) -> list[float]:
        """(T) for each target word, how much it is linked with a range of source words less how
        much with others."""
        sums = zip(self._sums[start], self._sums[end], self._sums[-1], strict=True)
        return [2 * (to_end - to_start) - whole - _EDGE for to_start, to_end, whole in sums]

    def span(self, start: int, end: int, free: Sequence[bool]) -> tuple[int, int]:
        """The run of free target words with the largest gain from being in a range of source words.

        Args:
            start, end: the range.
            free: (T) which target words are free, at least one.
        """
        gains = self._gains(start, end)
        best: tuple[float, int, int] | None = None
        for is_free, run in groupby(range(len(free)), free.__getitem__):
            if not is_free:
                continue
            low, *_ = words = list(run)
            totals = [0.0, *accumulate(gains[low : low + len(words)])]
            least = list(accumulate(totals[:-1], min))
            last = _first_largest(a - b for a, b in zip(totals[1:], least, strict=True))
            # Of equal runs the shortest: words without links at the edges stay outside.
            first = _last_above([-total for total in totals[: last + 1]], -least[last] - _EQUAL)
            strength = totals[last + 1] - totals[first], low + first, low + last + 1
            if best is None or strength[0] > best[0] + _EQUAL:
                best = strength
        assert best is not None, "a word is free"
        return best[1:]

    def order(self, ranges: Sequence[tuple[int, int]], low: int, high: int) -> list[int]:
        """The indices of ranges of source words, in the order of their translations among target
        words from `low` to `high`, and in source order where translations coincide."""
        free = [low <= word < high for word in range(self.target_words)]
        middles = [sum(self.span(*words, free)) for words in ranges]
        return sorted(range(len(ranges)), key=lambda index: (middles[index], index))

    def divide(
        self, ranges: Sequence[tuple[int, int]], needs: Sequence[int], low: int, high: int
    ) -> list[tuple[int, int]]:
        """Consecutive runs of target words with the largest total gain from being in ranges of
        source words.

        Args:
            ranges: ranges of source words, in the order of their runs.
            needs: the least number of target words of each run.
            low, high: the target words to divide.

        Raises:
            ConflictError: there are too few target words.
        """
        size = high - low
        if sum(needs) > size:
            raise ConflictError
        best = [0.0] * (size + 1)  # by how many words are used up
        steps: list[tuple[list[float], list[float]]] = []
        for (start, end), need in zip(ranges, needs, strict=True):
            totals = [0.0, *accumulate(self._gains(start, end)[low:high])]
            # What is gained if the run starts after so many words, and if it ends after so many.
            before = [a - b for a, b in zip(best, totals, strict=True)]
            highest = accumulate(before[: size + 1 - need], max)
            after = [a + b for a, b in zip(highest, totals[need:], strict=True)]
            after = [-math.inf] * need + after
            best = list(accumulate(after, max))
            steps.append((before, after))
        runs = []
        limit = size
        for need, (before, after) in zip(reversed(needs), reversed(steps), strict=True):
            last = _first_largest(after[: limit + 1])
            starts = before[: last - need + 1]
            # Of equal runs the shortest.
            limit = _last_above(starts, max(starts) - _EQUAL)
            runs.append((low + limit, low + last))
        return runs[::-1]

    def point(self, start: int, low: int = 0, high: int | None = None) -> int:
        """The target word of a range, or the end of the range, before which a code crosses the
        fewest links. In the source the code stands before word `start`."""
        known = self._points.get(start, -1)
        if low <= known <= (self.target_words if high is None else high):
            return known
        before = self._sums[start]
        after = [whole - a for whole, a in zip(self._sums[-1], before, strict=True)]
        from_here = [*accumulate(reversed(before), initial=0.0)][::-1]
        to_here = accumulate(after, initial=0.0)
        crossed = [round(a + b, 6) for a, b in zip(to_here, from_here, strict=True)]
        places = crossed[low : None if high is None else high + 1]
        return low + places.index(min(places))


def _first_largest(values: Iterable[float]) -> int:
    """The index of the first of the largest values."""
    every = list(values)
    return every.index(max(every))


def _last_above(values: Sequence[float], least: float) -> int:
    """The index of the last value not below a limit; there is one."""
    return next(i for i in reversed(range(len(values))) if values[i] >= least)
