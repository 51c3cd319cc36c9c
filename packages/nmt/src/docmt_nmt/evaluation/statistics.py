"""Counts of a metric in each segment, and the score of a sum of such counts.

All metrics here are functions of sums over segments, so the score of any sample of the segments
follows from a sum of the rows of one table. The scores of thousands of samples are computed at
once; `docmt_nmt.evaluation.resampling` draws the samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]
"""(segments, k): the counts of each segment, such as matching n-grams."""

Scores = Callable[[Counts], NDArray[np.float64]]
"""From sums of counts, (..., k), to their scores, (...)."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of a metric in each segment of a translation.

    Attributes:
        counts: (segments, k).
        scores: computes scores from sums of the counts.
        signature: of the metric.
    """

    counts: Counts
    scores: Scores
    signature: str

    @property
    def score(self) -> float:
        """The score of the whole translation."""
        return float(self.scores(self.counts.sum(0)))

    def grouped(self, sizes: Sequence[int]) -> Statistics:
        """The sums over groups of so many segments each, such as the sentences of a document."""
        assert sum(sizes) == len(self.counts), "the groups are all segments"
        starts = np.cumsum([0, *sizes[:-1]])
        return Statistics(np.add.reduceat(self.counts, starts), self.scores, self.signature)


def bleu(counts: Counts) -> NDArray[np.float64]:
    """BLEU (Papineni et al. 2002), smoothed as in mteval-v13a: the k-th order without a match
    counts as 1 / 2^k matches.

    Args:
        counts: (..., 10): the tokens of the translation and of the closest reference, the matching
            n-grams for n = 1 to 4, and all n-grams of the translation for n = 1 to 4.
    """
    correct, total = counts[..., 2:6], counts[..., 6:10]
    missing = (correct == 0) & (total > 0)
    smoothed = 0.5 ** np.cumsum(missing, axis=-1)
    score = _bleu(counts, np.where(missing, smoothed, correct))
    return np.where(correct.any(-1), score, 0.0)


def unsmoothed_bleu(counts: Counts) -> NDArray[np.float64]:
    """BLEU as multi-bleu.perl computes it: 0 if n-grams of a length have no match.

    Args:
        counts: as for `bleu`.
    """
    return _bleu(counts, counts[..., 2:6])


def _bleu(counts: Counts, correct: Counts) -> NDArray[np.float64]:
    translated, expected, total = counts[..., 0], counts[..., 1], counts[..., 6:10]
    # Where a denominator is 0, no n-gram matches, and the logarithm makes BLEU 0.
    with np.errstate(divide="ignore", over="ignore"):
        precisions = np.where(total > 0, correct / np.maximum(total, 1), 0.0)
        brevity = np.minimum(1 - expected / np.maximum(translated, 1e-300), 0.0)
        logarithm = np.log(precisions).mean(-1) + brevity
    return np.asarray(100 * np.exp(logarithm))


def chrf(counts: Counts) -> NDArray[np.float64]:
    """chrF (Popović 2015): the F2 score of the mean precision and the mean recall over the lengths
    of n-grams present on both sides.

    Args:
        counts: (..., 3 n): for each length of n-grams, how many the translation has, the reference
            has, and match.
    """
    translated, expected, matching = (counts[..., i::3] for i in range(3))
    used = (translated > 0) & (expected > 0)
    orders = np.maximum(used.sum(-1), 1)
    precision = np.where(used, matching / np.maximum(translated, 1), 0.0).sum(-1) / orders
    recall = np.where(used, matching / np.maximum(expected, 1), 0.0).sum(-1) / orders
    denominator = 4 * precision + recall
    return np.asarray(500 * precision * recall / np.where(denominator > 0, denominator, 1.0))


def ter(counts: Counts) -> NDArray[np.float64]:
    """TER (Snover et al. 2006): edits per 100 words of the reference.

    Args:
        counts: (..., 2): edits, and words of the reference.
    """
    edits, words = counts[..., 0], counts[..., 1]
    return np.where(words > 0, 100 * edits / np.where(words > 0, words, 1), 100.0 * (edits > 0))


def mean(counts: Counts) -> NDArray[np.float64]:
    """The mean over segments.

    Args:
        counts: (..., 2): the sum of the segments' scores, and their number.
    """
    return np.asarray(counts[..., 0] / counts[..., 1])


def as_counts(rows: Sequence[Sequence[Any]]) -> Counts:
    """Counts from a row for each segment."""
    return np.array(rows, dtype=np.float64)
