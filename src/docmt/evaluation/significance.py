"""Whether the difference between the BLEU scores of two systems could be chance.

Three tests answer, all on the n-gram counts of segments and all paired, that is, segment by segment
of the two systems:

- approximate randomization (Riezler and Maxwell 2005) gives a p-value. If the systems were equally
  good, swapping their translations of a segment would change nothing. p is the share of random
  swaps after which the scores differ at least as much as observed, counting the observation itself:
  (1 + as extreme) / (1 + trials).
- bootstrap resampling (Koehn 2004) gives an interval. Segments are drawn with replacement, and the
  middle 95 % of the differences are kept.
- the sign test (Collins et al. 2005, "Clause Restructuring for Statistical Machine Translation")
  gives a p-value as Bao et al. 2021 report it; see `sign_test`.

The segments of d-BLEU are documents. Documents are few, and swapping all or none of them leaves the
difference as it is. So "at least as much" matters: a test that counts only larger differences finds
any difference significant if there are one or two documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from docmt.documents import Document
from docmt.errors import InputError
from docmt.evaluation.metrics import (
    METRICS,
    Kind,
    build_bleu,
    forget_segments,
    metric_kind,
    tokenizer_name,
)
from docmt.evaluation.scores import Unit
from docmt.evaluation.segments import ParallelDocuments, References
from docmt.wording import counted

Counts = NDArray[np.int64]
"""(segments, 10): the tokens of the translation and of the closest reference, the matching n-grams
for n = 1 to 4, and all n-grams of the translation for n = 1 to 4."""

_RESAMPLES = 1000
_SEED = 12345


@dataclass(frozen=True, slots=True)
class SignTest:
    """The sign test of Collins et al. 2005.

    Attributes:
        better, worse, same: the number of segments whose translation by the baseline, exchanged for
            that of the system, raises, lowers or keeps the score of the baseline's translation.
        p: the probability of so unequal numbers of better and worse ones, in either direction, if
            both were equally probable.
    """

    better: int
    worse: int
    same: int
    p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems compared by one metric.

    Attributes:
        name: the metric.
        score, baseline: the scores of the system and of the baseline.
        low, high: the ends of the 95 % interval of `difference`.
        p: the probability of a difference at least as large, in either direction, between equally
            good systems, by approximate randomization.
        sign: the result of the sign test.
        unit, segments: what was swapped and drawn, and how many there are.
        trials, resamples, seed: of the randomization, of the bootstrap, and of both.
        settings: sacrebleu's signature of the metric.
        notes: anything else that a reader must know.
        baseline_name: what the baseline is called, such as its file; empty if it has no name.
    """

    name: str
    score: float
    baseline: float
    low: float
    high: float
    p: float
    sign: SignTest
    unit: Unit
    segments: int
    trials: int
    resamples: int
    seed: int
    settings: str
    notes: tuple[str, ...] = ()
    baseline_name: str = ""

    @property
    def difference(self) -> float:
        """The score minus that of the baseline, in points."""
        return self.score - self.baseline

    @property
    def signature(self) -> str:
        """What was compared, and how it was tested."""
        return (
            f"unit {self.unit} · segments {self.segments} · approximate randomization "
            f"{self.trials} · bootstrap {self.resamples} · seed {self.seed} · {self.settings}"
        )

    def __str__(self) -> str:
        return (
            f"{self.name} {self.score:.2f} against {self.baseline:.2f}"
            f"{' of ' if self.baseline_name else ''}{self.baseline_name}: {self.difference:+.2f} "
            f"({self.low:+.2f} to {self.high:+.2f}), p = {self.p:.4f}, sign test p = "
            f"{self.sign.p:.4f} ({self.sign.better} better, {self.sign.worse} worse) · "
            f"{self.signature}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All attributes, the difference and the signature as plain values."""
        return {**asdict(self), "difference": self.difference, "signature": self.signature}


def compare(
    hypotheses: Sequence[Document],
    baseline: Sequence[Document],
    references: References,
    *,
    metrics: Sequence[str] = ("s-bleu", "d-bleu"),
    lowercase: bool = False,
    tokenize: str | None = None,
    language: str | None = None,
    instances: Sequence[int] | None = None,
    trials: int = 10_000,
) -> list[Comparison]:
    """Compare two systems' translations of the same documents.

    Args:
        hypotheses, baseline: the translations of the system, and of the one to compare it with.
        references, lowercase, tokenize, language, instances: as for `evaluate`.
        metrics: any of `s-bleu`, `d-bleu` and `instance-bleu`.
        trials: the number of random swaps for each p-value.

    Returns:
        One comparison for each metric, in order; the same on every machine, as the seed is fixed.

    Raises:
        InputError: as `evaluate`, or a metric is not a BLEU score.
    """
    kinds = [_bleu_kind(name) for name in metrics]
    hypotheses, baseline = _joined_alike(hypotheses, baseline)
    if any(kind.unit == "instance" for kind in kinds):
        _check_same_instances(hypotheses, baseline)
    system = ParallelDocuments.of(hypotheses, references, instances)
    other = ParallelDocuments.of(baseline, references, instances, name="the baseline")
    metric = build_bleu(lowercase=lowercase, tokenizer=tokenizer_name(tokenize, language))
    # This only mutes a warning; the counts of a segment do not depend on it.
    metric.effective_order = True
    counts = [
        (_segment_counts(metric, system, kind.unit), _segment_counts(metric, other, kind.unit))
        for kind in kinds
    ]
    metric.effective_order = False
    settings = str(metric.get_signature())
    forget_segments(metric)
    return [
        _compare_counts(kind, *both, trials=trials, settings=settings)
        for kind, both in zip(kinds, counts, strict=True)
    ]


def _joined_alike(
    hypotheses: Sequence[Document], baseline: Sequence[Document]
) -> tuple[list[Document], list[Document]]:
    """Both translations, of which one has its sentences joined where the other has."""
    ours, theirs = list(hypotheses), list(baseline)
    for i, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one.joined is None and other.joined is not None and len(one) == sum(other.joined):
            ours[i] = one.join(other.joined)
        elif other.joined is None and one.joined is not None and len(other) == sum(one.joined):
            theirs[i] = other.join(one.joined)
    return ours, theirs


def _check_same_instances(hypotheses: Sequence[Document], baseline: Sequence[Document]) -> None:
    """Check that both translations have the same instances, where those are of joined sentences.

    Raises:
        InputError: naming the first document that differs.
    """
    for one, other in zip(hypotheses, baseline, strict=False):
        if one.joined != other.joined:
            raise InputError(
                f"document {one.id!r} is cut into other instances in the baseline",
                cure="Compare by d-bleu alone (--metric d-bleu)",
            )


def _bleu_kind(name: str) -> Kind:
    """Look up a metric, which must be BLEU because only its counts add up over segments."""
    kind = metric_kind(name)
    if kind.family != "BLEU":
        known = ", ".join(key for key, value in METRICS.items() if value.family == "BLEU")
        raise InputError(f"no significance test for {kind.name}", cure=f"Compare by one of {known}")
    return kind


def _segment_counts(metric: BLEU, parallel: ParallelDocuments, unit: Unit) -> Counts:
    """The n-gram counts of each segment."""
    translated, expected = parallel.segments(unit)
    counts = []
    for hypothesis, *references in zip(translated, *expected, strict=True):
        score = metric.sentence_score(hypothesis, references)
        counts.append([score.sys_len, score.ref_len, *score.counts, *score.totals])
    return np.array(counts, dtype=np.int64)


def corpus_bleu(counts: Counts) -> float:
    """BLEU of the sum of segments' counts, (10,)."""
    translated, expected, *ngrams = counts.tolist()
    return float(
        BLEU.compute_bleu(ngrams[:4], ngrams[4:], translated, expected, smooth_method="exp").score
    )


def _compare_counts(
    kind: Kind, system: Counts, baseline: Counts, *, trials: int, settings: str
) -> Comparison:
    """Compare two systems by the counts of their segments."""
    segments = len(system)
    low, high = _interval(system, baseline)
    least = 2.0 ** (1 - segments)
    notes: tuple[str, ...] = ()
    if least > 0.01:
        notes = (f"with {counted(segments, kind.unit)}, p cannot be less than {least:.2g}",)
    return Comparison(
        name=kind.name,
        score=corpus_bleu(system.sum(0)),
        baseline=corpus_bleu(baseline.sum(0)),
        low=low,
        high=high,
        p=p_value(system, baseline, trials),
        sign=sign_test(system, baseline),
        unit=kind.unit,
        segments=segments,
        trials=trials,
        resamples=_RESAMPLES,
        seed=_SEED,
        settings=settings,
        notes=notes,
    )


def p_value(system: Counts, baseline: Counts, trials: int) -> float:
    """The p-value of paired approximate randomization (Riezler and Maxwell 2005)."""
    random = np.random.default_rng(_SEED)
    total_system, total_baseline = system.sum(0), baseline.sum(0)
    observed = abs(corpus_bleu(total_system) - corpus_bleu(total_baseline))
    exchange = baseline - system
    extreme = 0
    for _ in range(trials):
        moved = random.integers(2, size=len(system)) @ exchange
        difference = corpus_bleu(total_system + moved) - corpus_bleu(total_baseline - moved)
        extreme += abs(difference) >= observed
    return (extreme + 1) / (trials + 1)


def sign_test(system: Counts, baseline: Counts) -> SignTest:
    """The sign test of Collins et al. 2005: each segment says which system is better on it.

    BLEU of a single segment says little, so the segment is judged within the whole: it speaks for
    the system if the baseline's translation has a higher BLEU with the system's translation of this
    segment in the place of its own, and for the baseline if it has a lower one. Segments that
    change nothing do not count. The p-value is two-sided and exact, from the binomial distribution
    of heads among as many throws of a coin.
    """
    total = baseline.sum(0)
    before = corpus_bleu(total)
    after = np.array([corpus_bleu(total + change) for change in system - baseline])
    better, worse = int((after > before).sum()), int((after < before).sum())
    throws = better + worse
    tail = sum(comb(throws, heads) for heads in range(min(better, worse) + 1))
    p = min(1.0, 2 * tail / 2**throws)
    return SignTest(better, worse, len(system) - throws, p)


def _interval(system: Counts, baseline: Counts) -> tuple[float, float]:
    """The middle 95 % of the differences over samples of the segments (Koehn 2004)."""
    random = np.random.default_rng(_SEED)
    segments = len(system)
    differences = []
    for _ in range(_RESAMPLES):
        drawn = np.bincount(random.integers(segments, size=segments), minlength=segments)
        differences.append(corpus_bleu(drawn @ system) - corpus_bleu(drawn @ baseline))
    low, high = np.percentile(differences, [2.5, 97.5])
    return float(low), float(high)
