"""Results over seeds, and the criterion, from the measures alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_GAIN, MOST_BLEU_LOST = 5.0, 0.3
"""The criterion, in points of accuracy and of BLEU."""

_RESAMPLES, _SEED = 10_000, 12345

Measures = Mapping[str, Any]
"""What `context_measures.measure` gives of a run."""

Cases = Sequence[Mapping[str, Any]]


def accuracy(cases: Cases, condition: str = "context") -> float:
    """Share of the cases that were decided right, in percent."""
    return 100 * float(np.mean([case[condition] for case in cases]))


@dataclass(frozen=True)
class Gain:
    """A difference of accuracies, in points.

    Attributes:
        by_seed: of each seed.
        low, high: the ends of the 95 % interval of its mean, by bootstrap over episodes and seeds.
    """

    by_seed: tuple[float, ...]
    low: float
    high: float

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return float(np.mean(self.by_seed))


def gain(seeing: Sequence[Cases], others: Sequence[Cases], condition: str = "context") -> Gain:
    """How much more often a system is right in its context than another, or than itself.

    Args:
        seeing: the cases of each seed of the system.
        others: those of the other, the same cases in the same order.
        condition: in which the other decides.
    """
    differences = np.array(
        [
            [100.0 * (a["context"] - b[condition]) for a, b in zip(own, other, strict=True)]
            for own, other in zip(seeing, others, strict=True)
        ]
    )  # (seeds, cases)
    episodes = np.unique([case["episode"] for case in seeing[0]], return_inverse=True)[1]
    low, high = interval(differences, episodes)
    return Gain(tuple(float(mean) for mean in differences.mean(1)), low, high)


def interval(values: NDArray[np.float64], groups: NDArray[np.int64]) -> tuple[float, float]:
    """The 95 % interval of the mean, with seeds and groups drawn anew.

    Args:
        values: (seeds, n)
        groups: (n,) the group of each value, from 0.
    """
    seeds, number = len(values), int(groups.max()) + 1
    sums = np.array([np.bincount(groups, own, number) for own in values])  # (seeds, groups)
    sizes = np.bincount(groups, minlength=number)
    draw = np.random.default_rng(_SEED)
    means = np.empty(_RESAMPLES)
    for index in range(_RESAMPLES):
        drawn = draw.integers(number, size=number)
        of_seeds = sums[draw.integers(seeds, size=seeds)].mean(0)
        means[index] = of_seeds[drawn].sum() / sizes[drawn].sum()
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def select(cases: Cases, keep: Callable[[Mapping[str, Any]], bool]) -> list[Mapping[str, Any]]:
    """Some of the cases."""
    return [case for case in cases if keep(case)]


def is_gendered(case: Mapping[str, Any]) -> bool:
    """Return whether a case is of *he* and *she*."""
    return case["pair"] in ("he:she", "she:he")


@dataclass(frozen=True)
class Verdict:
    """Whether the criterion holds.

    Attributes:
        over_twin, over_shuffled: the gains in accuracy.
        bleu: how much more s-BLEU than the twin, a mean over seeds.
    """

    over_twin: Gain
    over_shuffled: Gain
    bleu: float

    @property
    def holds(self) -> bool:
        """Return whether all of it holds."""
        gains = (self.over_twin, self.over_shuffled)
        return (
            all(min(one.by_seed) >= LEAST_GAIN and one.low > 0 for one in gains)
            and self.bleu >= -MOST_BLEU_LOST
        )


def verdict(seeing: Sequence[Measures], twins: Sequence[Measures]) -> Verdict:
    """Judge a pair by the criterion of the protocol.

    Args:
        seeing, twins: the measures of each seed, with and without context.
    """
    own, others = ([one["dropped"] for one in each] for each in (seeing, twins))
    bleu = [
        a["scores"]["s-BLEU"]["score"] - b["scores"]["s-BLEU"]["score"]
        for a, b in zip(seeing, twins, strict=True)
    ]
    return Verdict(gain(own, others), gain(own, own, "shuffled context"), float(np.mean(bleu)))


def sanity(seeing: Sequence[Measures], twins: Sequence[Measures]) -> dict[str, tuple[float, bool]]:
    """What must hold for the criterion to mean something: figures in percent or points, and whether
    each is as it should be."""
    overt = _mean([accuracy(select(one["overt"], is_gendered)) for one in twins])
    alone = _mean([accuracy(select(one["dropped"], is_gendered)) for one in twins])
    shuffled = _mean(
        [
            accuracy(a["dropped"], "shuffled context") - accuracy(b["dropped"])
            for a, b in zip(seeing, twins, strict=True)
        ]
    )
    found = {
        "overt *he* and *she*, the twin": (overt, overt >= 95),
        "dropped *he* and *she*, the twin": (alone, abs(alone - 50) <= 5),
        "gain that shuffled context leaves": (shuffled, shuffled < LEAST_GAIN),
    }
    first = [[select(one["dropped"], _is_first) for one in each] for each in (seeing, twins)]
    if first[0][0]:
        of_first = _mean([accuracy(a) - accuracy(b) for a, b in zip(*first, strict=True)])
        name = f"gain in first sentences ({len(first[0][0])} cases)"
        found[name] = (of_first, of_first < LEAST_GAIN)
    return found


def _is_first(case: Mapping[str, Any]) -> bool:
    return bool(case["sentences_before"] == 0)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
