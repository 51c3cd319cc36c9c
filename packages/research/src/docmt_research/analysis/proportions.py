"""Shares of right decisions: their intervals, and whether two systems differ in them."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from docmt_nmt.evaluation.resampling import binomial_p

_Z = 1.959963984540054
"""The number of standard deviations around the mean with 95 % of the mass of the normal
distribution."""


class Accuracy(NamedTuple):
    """The frequency with which a decision was right.

    Attributes:
        right, total: counts.
        low, high: the ends of the 95 % interval of the share; of an accuracy of 0 cases 0 and 1.
    """

    right: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """right / total, from 0 to 1; 0 of no cases."""
        return self.right / self.total if self.total else 0.0


def accuracy(right: Sequence[bool]) -> Accuracy:
    """The accuracy of decisions, with Wilson's score interval (Wilson 1927), which holds for few
    cases and for shares near 0 and 1."""
    n, k = len(right), sum(right)
    if n == 0:
        return Accuracy(0, 0, 0.0, 1.0)
    share = k / n
    center = share + _Z**2 / (2 * n)
    spread = _Z * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    scale = 1 + _Z**2 / n
    return Accuracy(k, n, max(0.0, (center - spread) / scale), min(1.0, (center + spread) / scale))


def mcnemar(right: Sequence[bool], baseline: Sequence[bool]) -> float:
    """McNemar's exact test of two systems on the same cases (McNemar 1947; the binomial test of the
    discordant cases). A discordant case is right for one system alone. The result is the
    probability of so unequal numbers of discordant cases, in either direction, if both systems were
    equally probable to be right on each."""
    only_own = sum(a and not b for a, b in zip(right, baseline, strict=True))
    only_other = sum(b and not a for a, b in zip(right, baseline, strict=True))
    return binomial_p(only_own, only_other)


def mean_interval(
    values: ArrayLike, groups: ArrayLike, *, resamples: int = 1000, seed: int = 12345
) -> tuple[float, float]:
    """The 95 % interval of the mean of values in groups, such as the sentences of documents, by
    bootstrap resampling of whole groups.

    Args:
        values: (n,)
        groups: (n,) the group of each value, from 0.
        resamples: number of samples of groups.
        seed: of the draws.
    """
    numbers, owners = np.asarray(values, float), np.asarray(groups)
    sums, sizes = np.bincount(owners, numbers), np.bincount(owners)
    drawn = np.random.default_rng(seed).integers(len(sizes), size=(resamples, len(sizes)))
    means = sums[drawn].sum(1) / np.maximum(sizes[drawn].sum(1), 1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def mean_difference_interval(
    values: ArrayLike,
    others: ArrayLike,
    groups: ArrayLike,
    other_groups: ArrayLike,
    *,
    resamples: int = 1000,
    seed: int = 12345,
) -> tuple[float, float]:
    """The 95 % interval of the difference between the means of two kinds of values in the same
    groups, such as two kinds of sentences of documents, by bootstrap resampling of whole groups.
    Samples without values of one kind are left out.

    Args:
        values, others: (n,) and (m,)
        groups, other_groups: (n,) and (m,) the group of each value, from 0.
        resamples: number of samples of groups.
        seed: of the draws.
    """
    sides = [np.asarray(values, float), np.asarray(others, float)]
    owners = [np.asarray(groups), np.asarray(other_groups)]
    number = 1 + max(int(owners_of_side.max()) for owners_of_side in owners)
    drawn = np.random.default_rng(seed).integers(number, size=(resamples, number))
    means = []
    for side, owners_of_side in zip(sides, owners, strict=True):
        sums, sizes = (
            np.bincount(owners_of_side, side, number),
            np.bincount(owners_of_side, minlength=number),
        )
        total = sizes[drawn].sum(1)
        means.append(np.where(total > 0, sums[drawn].sum(1) / np.maximum(total, 1), np.nan))
    low, high = np.nanquantile(means[0] - means[1], (0.025, 0.975))
    return float(low), float(high)
