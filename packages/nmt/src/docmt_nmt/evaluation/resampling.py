"""Tests whether the difference between two systems could be chance, by the statistics of each
segment (see `docmt_nmt.evaluation.statistics`).

All tests are paired: they compare the two systems segment by segment. A system is a list of
statistics, one table for each training with a different seed; the score of the system is the mean
over the trainings.

- Approximate randomization (Riezler and Maxwell 2005) gives a p-value. If the systems were equally
  good, swapping their translations of a segment would change nothing. p is the share of random
  swaps after which the scores differ at least as much as observed, counting the observation itself:
  (1 + as extreme) / (1 + trials).
- Bootstrap resampling (Koehn 2004) gives an interval and a p-value. The interval is the middle 95 %
  of the differences between the systems on samples of the segments, drawn with replacement. The
  p-value is the share of samples whose difference is as far from the mean difference as the
  observed difference is from 0.
- The sign test (Collins et al. 2005, "Clause Restructuring for Statistical Machine Translation")
  gives a p-value as Bao et al. 2021 report it.
- The exact permutation test on seeds gives a p-value for other trainings, not other test sets.

The segments of d-BLEU are documents. Documents are few, and swapping all or none of them leaves the
difference as it is. So "at least as much" matters: a test counting only larger differences finds
any difference significant if there are one or two documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from docmt_nmt.evaluation.statistics import Counts, Scores, Statistics

SEED = 12345
"""The seed of all random numbers: results can be repeated."""

_EQUAL = 1e-9
"""Scores differing by less are equal, up to the rounding of floating-point numbers."""

_MOST_DIVISIONS = 200_000
"""Maximum number of divisions of seeds to try: enough for ten seeds of each system."""

_CELLS = 4_000_000
"""Maximum number of random numbers in memory at a time."""

System = Sequence[Statistics]
"""The statistics of a system's translations, one table per seed."""


@dataclass(frozen=True, slots=True)
class SignTest:
    """The sign test of Collins et al. 2005.

    Attributes:
        better, worse, same: the number of segments for which the baseline's score improves, worsens
            or stays when the system's translation of the segment replaces the baseline's.
        p: the probability of so unequal numbers of better and worse ones, in either direction, if
            both were equally probable.
    """

    better: int
    worse: int
    same: int
    p: float


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The result of bootstrap resampling.

    Attributes:
        low, high: the ends of the 95 % interval of the difference.
        p: the probability of a difference at least as large, in either direction, if the mean
            difference were 0.
    """

    low: float
    high: float
    p: float


def mean_score(system: System) -> float:
    """The mean of the scores of a system's seeds."""
    return float(np.mean([one.score for one in system]))


def randomization_p(system: System, baseline: System, trials: int, seed: int = SEED) -> float:
    """The p-value of paired approximate randomization (Riezler and Maxwell 2005).

    Args:
        system, baseline: the same number of seeds each; swaps are between the first of both, the
            second of both, and so on, of the same segments.
        trials: number of random swaps.
        seed: of the random numbers.
    """
    observed = abs(mean_score(system) - mean_score(baseline)) - _EQUAL
    random, segments = np.random.default_rng(seed), len(system[0].counts)
    pairs = list(zip(system, baseline, strict=True))
    extreme = 0
    for size in _chunks(trials, segments):
        swaps = random.integers(2, size=(size, segments), dtype=np.int8).astype(np.float64)
        difference = np.zeros(size)
        for ours, theirs in pairs:
            moved = swaps @ (theirs.counts - ours.counts)
            difference += ours.scores(ours.counts.sum(0) + moved)
            difference -= ours.scores(theirs.counts.sum(0) - moved)
        extreme += int((np.abs(difference / len(pairs)) >= observed).sum())
    return (extreme + 1) / (trials + 1)


def bootstrap(system: System, baseline: System, resamples: int, seed: int = SEED) -> Bootstrap:
    """Compare on random samples of the segments (Koehn 2004).

    Args:
        system, baseline: any number of seeds each.
        resamples: the number of samples.
        seed: of the random numbers.
    """
    differences = np.concatenate(
        [
            _mean_scores(system, drawn) - _mean_scores(baseline, drawn)
            for drawn in _samples(len(system[0].counts), resamples, seed)
        ]
    )
    observed = abs(mean_score(system) - mean_score(baseline)) - _EQUAL
    extreme = int((np.abs(differences - differences.mean()) >= observed).sum())
    low, high = np.percentile(differences, [2.5, 97.5])
    return Bootstrap(float(low), float(high), (extreme + 1) / (resamples + 1))


def seeds_p(system: System, baseline: System) -> float | None:
    """The p-value of the exact permutation test on seeds. If the systems were equally good, the
    trainings could be assigned to either system. p is the share of all divisions of the trainings
    into two groups of the same sizes whose mean scores are at least as far apart as observed.

    Returns:
        None if one system has a single seed, or there are more than 200,000 divisions.
    """
    scores = np.array([one.score for one in (*system, *baseline)])
    ours = len(system)
    if min(ours, len(baseline)) < 2 or comb(len(scores), ours) > _MOST_DIVISIONS:
        return None
    chosen = np.array(list(combinations(range(len(scores)), ours)))
    sums = scores[chosen].sum(1)
    differences = sums / ours - (scores.sum() - sums) / len(baseline)
    # The first way is the observed one.
    return float((np.abs(differences) >= abs(differences[0]) - _EQUAL).mean())


def interval(system: System, resamples: int, seed: int = SEED) -> tuple[float, float]:
    """The 95 % interval of a system's score, by bootstrap resampling of the segments."""
    scores = np.concatenate(
        [_mean_scores(system, d) for d in _samples(len(system[0].counts), resamples, seed)]
    )
    low, high = np.percentile(scores, [2.5, 97.5])
    return float(low), float(high)


def sign_test(system: System, baseline: System, *, lower_is_better: bool = False) -> SignTest:
    """The sign test of Collins et al. 2005: each segment counts for the system that is better on
    it.

    BLEU of a single segment says little, so a segment is evaluated within the whole. The system's
    translation of the segment replaces the baseline's. If the score of the whole baseline improves,
    the segment counts for the system; if it worsens, for the baseline. Segments without effect do
    not count. The p-value is two-sided and exact, from the binomial distribution of heads among as
    many throws of a coin.

    Args:
        system, baseline: the same number of seeds each; the first of both, the second of both and
            so on are exchanged.
        lower_is_better: whether a better translation has a lower score.
    """
    gains = np.zeros(len(system[0].counts))
    for ours, theirs in zip(system, baseline, strict=True):
        total = theirs.counts.sum(0)
        gains += ours.scores(total + ours.counts - theirs.counts) - ours.scores(total)
    if lower_is_better:
        gains = -gains
    better, worse = int((gains > _EQUAL).sum()), int((gains < -_EQUAL).sum())
    return SignTest(better, worse, len(gains) - better - worse, binomial_p(better, worse))


def binomial_p(first: int, second: int) -> float:
    """The probability of so unequal numbers of heads and tails, in either direction, from fair
    coins."""
    n, most = first + second, max(first, second)
    if first == second:
        return 1.0
    tail = [lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2) for k in range(most, n)]
    return min(1.0, 2 * sum(map(exp, [*tail, -n * log(2)])))


def _mean_scores(system: System, drawn: Counts) -> NDArray[np.float64]:
    """The mean score of a system's seeds on each sample.

    Args:
        drawn: (samples, segments), count of each segment in each sample.
    """
    scores: Scores = system[0].scores
    return np.asarray(np.mean([scores(drawn @ one.counts) for one in system], axis=0))


def _samples(segments: int, resamples: int, seed: int) -> Iterator[Counts]:
    """Samples with replacement of as many segments as there are, a chunk of samples at a time:
    (samples, segments), how often each segment was drawn."""
    random = np.random.default_rng(seed)
    for size in _chunks(resamples, segments):
        drawn = random.integers(segments, size=(size, segments))
        drawn += segments * np.arange(size)[:, None]
        counted = np.bincount(drawn.ravel(), minlength=size * segments)
        yield counted.reshape(size, segments).astype(np.float64)


def _chunks(total: int, segments: int) -> Iterator[int]:
    """Sizes of chunks of random samples, small enough for the memory."""
    most = max(1, _CELLS // segments)
    for start in range(0, total, most):
        yield min(most, total - start)
