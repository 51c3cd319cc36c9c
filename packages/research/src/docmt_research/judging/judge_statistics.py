"""Means of judged scores, and differences between systems. Documents are drawn and swapped, as the
sentences of one document belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from docmt_nmt.evaluation.resampling import SEED, bootstrap, interval, randomization_p
from docmt_nmt.evaluation.statistics import Counts, Statistics

_RESAMPLES = 1000
_TRIALS = 10_000

DocumentScores = Mapping[int, Sequence[float]]
"""The scores of each document, by document index."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean.

    Attributes:
        mean: of all scores; not a number if there are none.
        low, high: the ends of the 95 % interval, by bootstrap over documents.
        scores: number of scores.
    """

    mean: float
    low: float
    high: float
    scores: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between the means of two systems.

    Attributes:
        difference: difference of the means over the common items.
        low, high: the ends of the 95 % interval, by paired bootstrap over documents.
        p: of paired approximate randomization of documents.
        scores: number of common items.
    """

    difference: float
    low: float
    high: float
    p: float
    scores: int


def estimate(scores: DocumentScores) -> Estimate:
    """The mean of scores."""
    if not scores:
        return Estimate(nan, nan, nan, 0)
    statistics = _statistics(scores)
    low, high = interval([statistics], _RESAMPLES, SEED)
    return Estimate(statistics.score, low, high, sum(map(len, scores.values())))


def difference(scores: DocumentScores, others: DocumentScores) -> Difference:
    """The difference between systems.

    Args:
        scores, others: of the same documents and as many of each.
    """
    if not scores:
        return Difference(nan, nan, nan, nan, 0)
    ours, theirs = _statistics(scores), _statistics(others)
    drawn = bootstrap([ours], [theirs], _RESAMPLES, SEED)
    p = randomization_p([ours], [theirs], _TRIALS, SEED)
    number = sum(map(len, scores.values()))
    return Difference(ours.score - theirs.score, drawn.low, drawn.high, p, number)


def _statistics(scores: DocumentScores) -> Statistics:
    """Sums and numbers of scores by document; the quotient is the mean."""
    rows = [(sum(values), len(values)) for _, values in sorted(scores.items())]
    return Statistics(np.array(rows, float), _means, "")


def _means(counts: Counts) -> NDArray[np.float64]:
    """(..., 2) → (...): sums divided by numbers."""
    return np.asarray(counts[..., 0] / counts[..., 1])
