"""Places of ranges of source words in a translation: `Projection` finds the target words most
linked with a range of source words and least with the others.

Shapes: S source words, T target words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from docmt.formats.core.word_links import WordLinks

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
        partners: for each bracket and quotation mark among the target words, the partner.
        points: for some source words, the target words before which codes before them stand.
    """

    def __init__(
        self,
        links: WordLinks,
        partners: Mapping[int, int] | None = None,
        points: Mapping[int, int] | None = None,
    ) -> None:
        self.partners, self._points = partners or {}, points or {}
        self.sums = np.zeros((len(links) + 1, links.shape[1]))  # (S + 1, T)
        np.cumsum(links, 0, out=self.sums[1:])

    @property
    def target_words(self) -> int:
        """The number of target words."""
        return self.sums.shape[1]

    def _gains(self, start: int, end: int) -> NDArray[np.float64]:
        """(T) for each target word, how much it is linked with a range of source words less how
        much with others."""
        return np.asarray(2 * (self.sums[end] - self.sums[start]) - self.sums[-1] - _EDGE)

    def span(self, start: int, end: int, free: NDArray[np.bool_]) -> tuple[int, int]:
        """The run of free target words with the largest gain from being in a range of source words.

        Args:
            start, end: the range.
            free: (T) which target words are free, at least one.
        """
        gains = self._gains(start, end)
        best: tuple[float, int, int] | None = None
        edges = np.flatnonzero(np.diff(np.concatenate([[False], free, [False]])))
        for low, high in edges.reshape(-1, 2).tolist():
            totals = np.concatenate([[0.0], np.cumsum(gains[low:high])])
            least = np.minimum.accumulate(totals[:-1])
            last = int((totals[1:] - least).argmax())
            # Of equal runs the shortest: words without links at the edges stay outside.
            first = int(np.flatnonzero(totals[: last + 1] <= least[last] + _EQUAL)[-1])
            strength = float(totals[last + 1] - totals[first]), low + first, low + last + 1
            if best is None or strength[0] > best[0] + _EQUAL:
                best = strength
        assert best is not None, "a word is free"
        return best[1:]

    def order(self, ranges: Sequence[tuple[int, int]], low: int, high: int) -> list[int]:
        """The indices of ranges of source words, in the order of their translations among target
        words from `low` to `high`, and in source order where translations coincide."""
        free = np.zeros(self.target_words, bool)
        free[low:high] = True
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
        best = np.zeros(size + 1)  # by how many words are used up
        steps: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        for (start, end), need in zip(ranges, needs, strict=True):
            totals = np.concatenate([[0.0], np.cumsum(self._gains(start, end)[low:high])])
            before = best - totals  # what is gained if the run starts after so many words
            after = np.full(size + 1, -np.inf)  # if it ends after so many
            after[need:] = np.maximum.accumulate(before)[: size + 1 - need] + totals[need:]
            best = np.maximum.accumulate(after)
            steps.append((before, after))
        runs = []
        limit = size
        for need, (before, after) in zip(reversed(needs), reversed(steps), strict=True):
            last = int(after[: limit + 1].argmax())
            starts = before[: last - need + 1]
            # Of equal runs the shortest.
            limit = int(np.flatnonzero(starts >= starts.max() - _EQUAL)[-1])
            runs.append((low + limit, low + last))
        return runs[::-1]

    def point(self, start: int, low: int = 0, high: int | None = None) -> int:
        """The target word of a range, or the end of the range, before which a code crosses the
        fewest links. In the source the code stands before word `start`."""
        known = self._points.get(start, -1)
        if low <= known <= (self.target_words if high is None else high):
            return known
        before, after = self.sums[start], self.sums[-1] - self.sums[start]
        crossed = np.zeros(len(before) + 1)
        crossed[1:] = np.cumsum(after)
        crossed[:-1] += np.cumsum(before[::-1])[::-1]
        return low + int(np.round(crossed[low : None if high is None else high + 1], 6).argmin())
