"""Whether the difference between the scores of two systems could be chance: `compare`, by the tests
of `docmt.evaluation.resampling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from docmt.choices import ResampledUnit
from docmt.documents import Document
from docmt.errors import InputError
from docmt.evaluation.metrics import METRICS, Kind, MetricSettings, build_metric, metric_kind
from docmt.evaluation.resampling import (
    SEED,
    SignTest,
    bootstrap,
    mean_score,
    randomization_p,
    sign_test,
)
from docmt.evaluation.scores import Unit
from docmt.evaluation.segments import ParallelDocuments, References
from docmt.evaluation.statistics import Statistics
from docmt.wording import counted

if TYPE_CHECKING:
    from docmt.text import Pipeline

_FEW_DOCUMENTS = 20
"""Fewer documents than this say little about others."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems compared by one metric.

    Attributes:
        name: the metric.
        score, baseline: the scores of the system and of the baseline, each the mean of its seeds.
        low, high: the ends of the 95 % interval of `difference`, by bootstrap resampling.
        p: the probability of a difference at least as large, in either direction, between equally
            good systems, by approximate randomization. None if the numbers of seeds differ.
        bootstrap_p: the same by bootstrap resampling.
        sign: the result of the sign test. None if the numbers of seeds differ.
        unit: what was compared as one segment.
        resampled: what was swapped and drawn.
        segments: how many of these there are.
        trials, resamples, seed: of the randomization, of the bootstrap, and of both.
        settings: the signature of the metric.
        notes: anything else that a reader must know.
        system_name, baseline_name: what the two are called, such as their files; empty if they
            have no names.
        seeds, baseline_seeds: how many trainings of each were scored.
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
    lower_is_better: bool = False

    @property
    def difference(self) -> float:
        """The score minus that of the baseline, in points."""
        return self.score - self.baseline

    @property
    def signature(self) -> str:
        """What was compared, and how it was tested."""
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
        tests = [] if self.p is None else [f"p = {self.p:.4f}"]
        tests.append(f"bootstrap p = {self.bootstrap_p:.4f}")
        if self.sign is not None:
            tests.append(
                f"sign test p = {self.sign.p:.4f} ({self.sign.better} better, {self.sign.worse} "
                "worse)"
            )
        return (
            f"{self.name}{' of ' if self.system_name else ''}{self.system_name} {self.score:.2f} "
            f"against {self.baseline:.2f}{' of ' if self.baseline_name else ''}"
            f"{self.baseline_name}: {self.difference:+.2f} "
            f"({self.low:+.2f} to {self.high:+.2f}), {', '.join(tests)} · {self.signature}"
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
    pipeline: Pipeline | None = None,
    resample: ResampledUnit | None = None,
    trials: int = 10_000,
    resamples: int = 1000,
    seed: int = SEED,
) -> list[Comparison]:
    """Compare two systems' translations of the same documents.

    Args:
        hypotheses, baseline: the translations of the system, and of the one to compare it with.
        references, lowercase, tokenize, language, instances, pipeline: as for `evaluate`.
        metrics: those to compare by; any but metrics of other packages.
        resample: what is swapped and drawn at random: sentences, or documents, whose sentences
            belong together. Default: what the metric compares as one segment.
        trials: the number of random swaps for each p-value.
        resamples: the number of samples for each interval.
        seed: of the random numbers.

    Returns:
        One comparison for each metric, in order; the same on every machine.

    Raises:
        InputError: as `evaluate`, or a metric is of another package, or its segments are not
            sentences, which are to be resampled.
    """
    return compare_systems(
        [hypotheses], [baseline], references, metrics=metrics, instances=instances,
        settings=MetricSettings(lowercase, tokenize, language, pipeline), resample=resample,
        trials=trials, resamples=resamples, seed=seed,
    )  # fmt: skip


def compare_systems(
    system: Sequence[Sequence[Document]],
    baseline: Sequence[Sequence[Document]],
    references: References,
    *,
    metrics: Sequence[str],
    settings: MetricSettings,
    instances: Sequence[int] | None = None,
    resample: ResampledUnit | None = None,
    trials: int = 10_000,
    resamples: int = 1000,
    seed: int = SEED,
) -> list[Comparison]:
    """Compare two systems of which there are several trainings with different seeds: the mean
    score of one with the mean score of the other.

    Args:
        system, baseline: for each seed, its translation of the same documents.
        settings: how text is compared.
        references, metrics, instances, resample, trials, resamples, seed: as for `compare`.

    Raises:
        InputError: as `compare`.
    """
    kinds = [_comparable(name, resample) for name in metrics]
    ours, theirs = _joined_alike(system, baseline)
    if any(kind.unit == "instance" for kind in kinds):
        _check_same_instances([*ours, *theirs])
    aligned, others = (
        [ParallelDocuments.of(one, references, instances, name=name) for one in translations]
        for name, translations in (("the translation", ours), ("the baseline", theirs))
    )
    return [
        _compare(
            kind, aligned, others, settings, resample,
            trials=trials, resamples=resamples, seed=seed,
        )
        for kind in kinds
    ]  # fmt: skip


def _compare(
    kind: Kind,
    system: Sequence[ParallelDocuments],
    baseline: Sequence[ParallelDocuments],
    settings: MetricSettings,
    resample: ResampledUnit | None,
    **numbers: int,
) -> Comparison:
    """Compare two systems by one metric; `numbers` are the trials, the resamples and the seed."""
    ours = [segment_statistics(kind, one, settings, resample) for one in system]
    theirs = [segment_statistics(kind, one, settings, resample) for one in baseline]
    trials, resamples, seed = (numbers[name] for name in ("trials", "resamples", "seed"))
    paired = len(ours) == len(theirs)
    drawn = bootstrap(ours, theirs, resamples, seed)
    return Comparison(
        name=kind.name,
        score=mean_score(ours),
        baseline=mean_score(theirs),
        low=drawn.low,
        high=drawn.high,
        p=randomization_p(ours, theirs, trials, seed) if paired else None,
        bootstrap_p=drawn.p,
        sign=sign_test(ours, theirs, lower_is_better=kind.lower_is_better) if paired else None,
        unit=kind.unit,
        resampled=resample or kind.unit,
        segments=len(ours[0].counts),
        trials=trials,
        resamples=resamples,
        seed=seed,
        settings=ours[0].signature,
        notes=tuple(_notes(system, baseline, resample or kind.unit, len(ours[0].counts))),
        seeds=len(ours),
        baseline_seeds=len(theirs),
        lower_is_better=kind.lower_is_better,
    )


def segment_statistics(
    kind: Kind,
    parallel: ParallelDocuments,
    settings: MetricSettings,
    resample: ResampledUnit | None = None,
) -> Statistics:
    """What a metric counts in each segment of a translation, or with `resample: document` in the
    segments of each document.

    Raises:
        InputError: as `ParallelDocuments.segments` and `build_metric`.
    """
    found = build_metric(kind, settings).statistics(*parallel.segments(kind.unit))
    if resample == "document":
        return found.grouped(parallel.segments_by_document(kind.unit))
    return found


def _notes(
    system: Sequence[ParallelDocuments],
    baseline: Sequence[ParallelDocuments],
    resampled: Unit,
    segments: int,
) -> list[str]:
    """What a reader of a comparison must know."""
    notes = []
    if [_texts(one) for one in system] == [_texts(one) for one in baseline]:
        notes.append("the two translations are the same, so there is nothing to compare")
    if resampled == "document" and segments < _FEW_DOCUMENTS:
        notes.append(
            f"only {counted(segments, 'document')} to resample; with fewer than {_FEW_DOCUMENTS}, "
            "the interval is too narrow and p is coarse"
        )
    least = 2.0 ** (1 - segments)
    if least > 0.01:
        notes.append(f"with {counted(segments, resampled)}, p cannot be less than {least:.2g}")
    if len(system) > 1 or len(baseline) > 1:
        notes.append(
            "the tests say whether other test sets would show the difference of these trainings, "
            "not whether other seeds would"
        )
    return notes


def _texts(parallel: ParallelDocuments) -> list[tuple[str, ...] | None]:
    return [document.target for document in parallel.hypothesis]


def _comparable(name: str, resample: ResampledUnit | None) -> Kind:
    """Look up a metric, which must be a sum over what is resampled.

    Raises:
        InputError: it is of another package, or `resample` is `sentence` but its segments are not.
    """
    kind = metric_kind(name)
    if kind.custom is not None:
        known = ", ".join(METRICS)
        raise InputError(
            f"no significance test for {kind.name}, a metric of another package",
            cure=f"Compare by any of {known}",
        )
    if resample == "sentence" and kind.unit != "sentence":
        raise InputError(
            f"{kind.name} compares {kind.unit}s, so sentences cannot be resampled",
            cure="Leave the metric out, or resample documents",
        )
    return kind


def _joined_alike(
    system: Sequence[Sequence[Document]], baseline: Sequence[Sequence[Document]]
) -> tuple[list[list[Document]], list[list[Document]]]:
    """All translations, with sentences joined where any of them has them joined."""
    sides = [list(map(list, system)), list(map(list, baseline))]
    every = [*sides[0], *sides[1]]
    for i in range(min(map(len, every))):
        joined = next((one[i].joined for one in every if one[i].joined is not None), None)
        for one in every:
            if joined is not None and one[i].joined is None and len(one[i]) == sum(joined):
                one[i] = one[i].join(joined)
    return sides[0], sides[1]


def _check_same_instances(translations: Sequence[Sequence[Document]]) -> None:
    """Check that all translations have the same instances, where those are of joined sentences.

    Raises:
        InputError: naming the first document that differs.
    """
    for document, *others in zip(*translations, strict=False):
        if any(other.joined != document.joined for other in others):
            raise InputError(
                f"document {document.id!r} is cut into other instances in the baseline",
                cure="Compare by d-bleu alone (--metric d-bleu)",
            )
