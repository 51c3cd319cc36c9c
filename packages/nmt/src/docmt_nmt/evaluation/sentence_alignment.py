"""Alignment of the sentences of two texts in the same order, by dynamic programming over the
similarity of their vectors, after vecalign (Thompson and Koehn 2019): one sentence for one, one for
several, several for one, and sentences without a counterpart.

As in vecalign, similarity counts relative to that of sentences drawn at random, so encoders whose
vectors are all alike can be used. Vectors are additive: the vector of several sentences joined is
the sum, where vecalign encodes the joined text again.

Shapes: n and m sentences of the two sides, d dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""(sentences, d): vectors whose sums stand for joined sentences."""

MOST_JOINED = 4
"""The most sentences on one side that are aligned with a sentence on the other."""

_LEAST = 0.1
"""Gain of two sentences aligned one for one, however unlike they are: a bad translation is aligned
with the sentence in whose place it stands."""

_SKIPPED = 0.0
"""Gain of a sentence without a counterpart."""

_JOINED = -0.3
"""Gain of each further sentence in a group, besides the similarity: a sentence that adds nothing is
skipped."""

_MARGIN = 1.0
"""Where one for one is likely, the gain from which another alignment is preferred."""

_BAND = 100
"""Distance from the diagonal, in sentences, within which alignments are looked for, besides the
difference of the lengths."""

_SAMPLE = 100
"""The most sentences from which the similarity of random sentences is estimated."""

_BLOCK = 256
"""Number of sentences whose similarities are computed at once."""

ALIKE = 0.35
"""Similarity from which a sentence counts as the translation of another, wherever it stands."""

_MOST_COMPARED = 4_000_000
"""The most similarities from which the order of two texts is told; of longer texts, a sample."""

_SHAPES = [
    (1, 1),
    *((1, size) for size in range(2, MOST_JOINED + 1)),
    *((size, 1) for size in range(2, MOST_JOINED + 1)),
]
"""Sentences of the two sides in a group."""

_MOVES = [*_SHAPES, (1, 0), (0, 1)]


class Group(NamedTuple):
    """Sentences aligned with each other: `[first, end)` of each side; one range may be empty."""

    first: int
    end: int
    other_first: int
    other_end: int

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of sentences on the two sides."""
        return self.end - self.first, self.other_end - self.other_first


class Similarities:
    """Similarities of sentences, and of sentences joined, of two sides: 1 for the same text, around
    0 for any two, the highest over several views.

    Args:
        views: the vectors of the two sides, (n, d) and (m, d), in each view, such as a translation
            with the reference, and a translation with the source.
    """

    def __init__(self, views: Sequence[tuple[Vectors, Vectors]]) -> None:
        self._views = [_View(ours, theirs) for ours, theirs in views]

    def __call__(self, shape: tuple[int, int], rows: slice, columns: slice) -> NDArray[np.float32]:
        """Similarities of joined sentences, (rows, columns).

        Args:
            shape: the numbers of sentences joined on each side.
            rows, columns: the first sentences of the joined ones on each side.
        """
        found = [view.similarities(shape, rows, columns) for view in self._views]
        return np.asarray(np.max(found, axis=0))


class _View:
    """The vectors of joined sentences of two sides, with their similarity to random sentences.

    The similarity is that of Dice, 2 x·y / (|x|² + |y|²), of vectors scaled to the same mean
    length. It is 1 for equal vectors only: the same sentence twice is less like it than once.
    """

    def __init__(self, *sides: Vectors) -> None:
        scaled = [side / max(float(_norms(side).mean()), 1e-9) for side in sides]
        samples = [side[:: max(1, -(-len(side) // _SAMPLE))] for side in scaled]
        self._joined: list[dict[int, tuple[Vectors, Vectors]]] = []
        for side, others in zip(scaled, reversed(samples), strict=True):
            by_size = {}
            for size in range(1, min(MOST_JOINED, len(side)) + 1):
                joined = _sums(side, size)
                by_size[size] = joined, _dice(joined, others).mean(1)
            self._joined.append(by_size)

    def similarities(
        self, shape: tuple[int, int], rows: slice, columns: slice
    ) -> NDArray[np.float32]:
        (ours, our_mean), (theirs, their_mean) = (
            (side[size][0][part], side[size][1][part])
            for side, size, part in zip(self._joined, shape, (rows, columns), strict=True)
        )
        chance = np.minimum((our_mean[:, None] + their_mean[None]) / 2, 0.95)
        return np.asarray((_dice(ours, theirs) - chance) / (1 - chance))


def _sums(vectors: Vectors, size: int) -> Vectors:
    """The sums of so many vectors in a row."""
    count = len(vectors) - size + 1
    return np.asarray(sum(vectors[i : i + count] for i in range(size)), dtype=np.float32)


def _norms(vectors: Vectors) -> NDArray[np.float32]:
    return np.asarray(np.linalg.norm(vectors, axis=1))


def _dice(ours: Vectors, theirs: Vectors) -> NDArray[np.float32]:
    squares = _norms(ours)[:, None] ** 2 + _norms(theirs)[None] ** 2
    return np.asarray(2 * (ours @ theirs.T) / np.maximum(squares, 1e-9))


def align_sentences(
    similarities: Similarities, n: int, m: int, *, is_likely_aligned: bool = False
) -> list[Group]:
    """The best alignment of n sentences with m, in order.

    The time is that of n · (100 + |n − m|) comparisons, and the memory n · m bytes.

    Args:
        similarities: of the sentences.
        n, m: numbers of sentences on the two sides.
        is_likely_aligned: whether to prefer one for one, with as many sentences on both sides.
    """
    moves = np.full((n + 1, m + 1), len(_MOVES) - 1, dtype=np.uint8)
    best: list[NDArray[np.float64]] = [np.arange(m + 1) * np.float64(_SKIPPED)]
    for first in range(0, n, _BLOCK):
        rows = range(first, min(first + _BLOCK, n))
        columns = _columns(rows[0], n, m).start, _columns(rows[-1], n, m).stop
        gains = _Gains(similarities, rows, slice(*columns), (n, m))
        for row in rows:
            scores, moves[row + 1] = _next_row(best, gains, row)
            inside = _columns(row, n, m)
            scores[: inside.start] = -np.inf
            scores[inside.stop + 1 :] = -np.inf
            best = [*best[-MOST_JOINED + 1 :], scores]
    if is_likely_aligned and best[-1][m] < _gain_one_for_one(similarities, n) + _MARGIN:
        return [Group(i, i + 1, i, i + 1) for i in range(n)]
    return _groups(moves)


def count_inversions(similarities: Similarities, n: int, m: int) -> tuple[int, int]:
    """Compare the order of two texts, without an alignment, which has but one order: the number of
    pairs of sentences that are most alike of all on either side, taken two and two, and the number
    of these that stand in another order.

    Args:
        similarities: of the sentences.
        n, m: numbers of sentences on the two sides.
    """
    if not (n and m):
        return 0, 0
    step = -(-n * m // _MOST_COMPARED)
    rows = range(0, n, step)
    best = np.full(m, np.float32(ALIKE))
    best_row, best_column = np.full(m, -1), np.zeros(len(rows), np.int64)
    for first in range(0, len(rows), _BLOCK):
        part = rows[first : first + _BLOCK]
        found = similarities((1, 1), slice(part.start, part.stop, step), slice(None))
        best_column[first : first + len(part)] = found.argmax(1)
        greatest = found.max(0)
        is_better = greatest > best
        best_row[is_better] = first + found.argmax(0)[is_better]
        best[is_better] = greatest[is_better]
    places = best_column[best_row[best_column] == np.arange(len(rows))]
    inverted = sum(int((places[i + 1 :] < place).sum()) for i, place in enumerate(places))
    return len(places) * (len(places) - 1) // 2, inverted


def _gain_one_for_one(similarities: Similarities, n: int) -> float:
    """The gain of the alignment of n sentences with n, each with the one at the same place."""
    blocks = (slice(first, min(first + _BLOCK, n)) for first in range(0, n, _BLOCK))
    diagonals = (similarities((1, 1), block, block).diagonal() for block in blocks)
    return float(sum(np.maximum(diagonal, _LEAST).sum() for diagonal in diagonals))


def _columns(row: int, n: int, m: int) -> slice:
    """The sentences of the other side that a sentence may be aligned with."""
    center, width = row * m // n, _BAND + abs(n - m)
    return slice(max(0, center - width), min(m, center + width + 1))


class _Gains:
    """The gains of groups that end in a block of rows.

    Attributes:
        columns: the sentences of the other side.
    """

    def __init__(
        self, similarities: Similarities, rows: range, columns: slice, sizes: tuple[int, int]
    ) -> None:
        self.columns = columns
        self._by_shape: dict[tuple[int, int], tuple[int, NDArray[np.float32]]] = {}
        for ours, theirs in _SHAPES:
            start = max(rows[0] - ours + 1, 0)
            if ours > sizes[0] or theirs > sizes[1] or rows[-1] - ours + 1 < 0:
                continue
            found = similarities((ours, theirs), slice(start, rows[-1] - ours + 2), columns)
            gain = (ours + theirs) / 2 * found + _JOINED * (ours + theirs - 2)
            if (ours, theirs) == (1, 1):
                gain = np.maximum(gain, _LEAST)
            self._by_shape[ours, theirs] = start, gain

    def of(self, shape: tuple[int, int], row: int) -> NDArray[np.float32] | None:
        """Gains of groups of this shape that end with this row, by first column from the first of
        `columns`; None if there are none."""
        if shape not in self._by_shape or row - shape[0] + 1 < 0:
            return None
        start, gains = self._by_shape[shape]
        return np.asarray(gains[row - shape[0] + 1 - start])


def _next_row(
    best: Sequence[NDArray[np.float64]], gains: _Gains, row: int
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """The best scores of alignments up to and with a row, by the number of sentences of the other
    side, and the last moves.

    Args:
        best: the scores of the rows before, the last of them last.
    """
    width = len(best[-1])
    scores = np.full((len(_MOVES) - 1, width), -np.inf)
    for i, (ours, theirs) in enumerate(_SHAPES):
        gain = gains.of((ours, theirs), row)
        if gain is not None:
            start = gains.columns.start
            before = best[-ours][start : start + len(gain)]
            scores[i, start + theirs : start + theirs + len(gain)] = before + gain
    scores[-1] = best[-1] + _SKIPPED
    moves = scores.argmax(0)
    kept = scores.max(0)
    # Sentences of the other side are skipped last: a running maximum over the columns.
    offsets = np.arange(width) * _SKIPPED
    skipping = np.maximum.accumulate(kept - offsets) + offsets
    skips = skipping > kept + 1e-9
    return np.where(skips, skipping, kept), np.where(skips, len(_MOVES) - 1, moves).astype(np.uint8)


def _groups(moves: NDArray[np.uint8]) -> list[Group]:
    """The groups of the best alignment, from the last moves."""
    i, j = (size - 1 for size in moves.shape)
    groups = []
    while i or j:
        ours, theirs = _MOVES[moves[i, j]] if i else (0, 1)
        groups.append(Group(i - ours, i, j - theirs, j))
        i, j = i - ours, j - theirs
    return groups[::-1]
