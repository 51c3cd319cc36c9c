"""`Comparison`: whether the difference between the scores of two systems could be chance, by the
tests of `docmt_nmt.evaluation.resampling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from docmt_nmt.evaluation.metric_settings import DEFAULT_TEST, SignificanceTest
from docmt_nmt.evaluation.resampling import (
    SignTest,
    System,
    bootstrap,
    mean_score,
    randomization_p,
    seeds_p,
    sign_test,
)
from docmt_nmt.evaluation.scores import Unit


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems compared by one metric.

    Attributes:
        name: the metric.
        score, baseline: the scores of the system and of the baseline, each the mean over the seeds.
        low, high: the ends of the 95 % interval of `difference`, by bootstrap resampling.
        p: the probability of a difference at least as large, in either direction, between equally
            good systems, by approximate randomization. None if the numbers of seeds differ.
        bootstrap_p: the same by bootstrap resampling.
        sign: the result of the sign test. None if the numbers of seeds differ.
        unit: text compared as one segment.
        resampled: text swapped and drawn at random.
        segments: number of swapped and drawn texts.
        trials, resamples, seed: of the randomization, of the bootstrap, and of both.
        settings: the signature of the metric.
        notes: further notes for the reader.
        system_name, baseline_name: names of the two systems, such as file names; empty without
            names.
        seeds, baseline_seeds: number of scored trainings of each.
        seeds_p: the probability of so different means between trainings of equally good systems, by
            exact permutation. None unless both have several seeds, and no more than ten.
        lower_is_better: whether a better translation has a lower score.
    """

    name: str
    score: float
    baseline: float
    low: float
    high: float
    p: float | None
    bootstrap_p: float
    sign: SignTest | None
    unit: Unit
    resampled: Unit
    segments: int
    trials: int
    resamples: int
    seed: int
    settings: str
    notes: tuple[str, ...] = ()
    system_name: str = ""
    baseline_name: str = ""
    seeds: int = 1
    baseline_seeds: int = 1
    seeds_p: float | None = None
    lower_is_better: bool = False

    @property
    def difference(self) -> float:
        """The score minus the score of the baseline, in points."""
        return self.score - self.baseline

    @property
    def signature(self) -> str:
        """Return a description of the comparison and of the tests."""
        parts = [f"unit {self.unit}"]
        if (self.seeds, self.baseline_seeds) != (1, 1):
            parts.append(f"seeds {self.seeds} and {self.baseline_seeds}")
        if self.resampled != self.unit:
            parts.append(f"resampled {self.resampled}s")
        parts.append(f"segments {self.segments}")
        if self.p is not None:
            parts.append(f"approximate randomization {self.trials}")
        return " · ".join(
            [*parts, f"bootstrap {self.resamples}", f"seed {self.seed}", self.settings]
        )

    def __str__(self) -> str:
        tests = [] if self.p is None else [f"p {format_p(self.p)}"]
        tests.append(f"bootstrap p {format_p(self.bootstrap_p)}")
        if self.sign is not None:
            tests.append(
                f"sign test p {format_p(self.sign.p)} ({self.sign.better} better, "
                f"{self.sign.worse} worse)"
            )
        if self.seeds_p is not None:
            tests.append(f"seeds p {format_p(self.seeds_p)}")
        return (
            f"{self.name}{' of ' if self.system_name else ''}{self.system_name} {self.score:.2f} "
            f"against {self.baseline:.2f}{' of ' if self.baseline_name else ''}"
            f"{self.baseline_name}: {self.difference:+.2f} "
            f"({self.low:+.2f} to {self.high:+.2f}), {', '.join(tests)} · {self.signature}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All attributes, the difference and the signature as plain values."""
        return {**asdict(self), "difference": self.difference, "signature": self.signature}


def format_p(p: float) -> str:
    """A p-value with the sign before it, and no `= 0.0000`.

    >>> format_p(0.01234), format_p(0.00001)
    ('= 0.0123', '< 0.0001')
    """
    return f"= {p:.4f}" if p >= 0.00005 else "< 0.0001"


def compare_statistics(
    name: str,
    system: System,
    baseline: System,
    *,
    unit: Unit,
    resampled: Unit,
    notes: Sequence[str] = (),
    baseline_name: str = "",
    test: SignificanceTest = DEFAULT_TEST,
    lower_is_better: bool = False,
) -> Comparison:
    """Compare two systems by the statistics of each segment.

    Args:
        name: the metric.
        system, baseline: the statistics of each seed, of the same segments.
        unit: text compared as one segment by the metric.
        resampled: unit of the statistics, which is swapped and drawn at random.
        notes: notes for the reader.
        baseline_name: name of the baseline.
        test: number of swaps and draws.
        lower_is_better: whether a better translation has a lower score.
    """
    paired = len(system) == len(baseline)
    drawn = bootstrap(system, baseline, test.resamples, test.seed)
    return Comparison(
        name=name,
        score=mean_score(system),
        baseline=mean_score(baseline),
        low=drawn.low,
        high=drawn.high,
        p=randomization_p(system, baseline, test.trials, test.seed) if paired else None,
        bootstrap_p=drawn.p,
        sign=sign_test(system, baseline, lower_is_better=lower_is_better) if paired else None,
        unit=unit,
        resampled=resampled,
        segments=len(system[0].counts),
        trials=test.trials,
        resamples=test.resamples,
        seed=test.seed,
        settings=system[0].signature,
        notes=tuple(notes),
        baseline_name=baseline_name,
        seeds=len(system),
        baseline_seeds=len(baseline),
        seeds_p=seeds_p(system, baseline),
        lower_is_better=lower_is_better,
    )


def several_comparisons(number: str) -> str:
    """Return the note on the p-values of several comparisons.

    Args:
        number: number of comparisons, in words.
    """
    return (
        f"each p-value is of one comparison; with {number}, the chance that one of them seems "
        "different is higher"
    )
