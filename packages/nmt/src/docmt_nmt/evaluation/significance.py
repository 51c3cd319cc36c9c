"""Tests of the difference between the scores of two systems: `compare`, by the tests
of `docmt_nmt.evaluation.resampling`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_nmt.base.choices import ResampledUnit
from docmt_nmt.evaluation.comparison import Comparison, compare_statistics
from docmt_nmt.evaluation.metric_settings import (
    DEFAULT_SETTINGS,
    DEFAULT_TEST,
    MetricSettings,
    SignificanceTest,
)
from docmt_nmt.evaluation.metrics import (
    METRICS,
    Kind,
    build_metric,
    check_tokenizer_fits,
    metric_kind,
)
from docmt_nmt.evaluation.resampling import interval
from docmt_nmt.evaluation.scores import Unit
from docmt_nmt.evaluation.segments import ParallelDocuments, References
from docmt_nmt.evaluation.statistics import Statistics

_FEW_DOCUMENTS = 20
"""Fewer documents than this say little about others."""


def compare(
    hypotheses: Sequence[Document],
    baseline: Sequence[Document],
    references: References,
    settings: MetricSettings = DEFAULT_SETTINGS,
    test: SignificanceTest = DEFAULT_TEST,
) -> list[Comparison]:
    """Compare two systems' translations of the same documents.

    >>> reference = [Document(str(i), ("Hello.",), ("Guten Tag!",)) for i in range(30)]
    >>> other = [document.translated(["Gute Tage!"]) for document in reference]
    >>> (comparison,) = compare(reference, other, reference, MetricSettings(metrics=["ter"]))
    >>> print(f"{comparison.difference:+.0f}, p = {comparison.p:.4f}")
    -100, p = 0.0001

    Args:
        hypotheses, baseline: the translations of the system, and of the one to compare it with.
        references: as for `evaluate`.
        settings: the metrics, except metrics of other packages, and the comparison of text. Default
            metrics: s-BLEU and d-BLEU.
        test: unit and number of the random swaps and draws.

    Returns:
        One comparison for each metric, in order; the same on every machine.

    Raises:
        InputError: as `evaluate`, or a metric is of another package, or sentences are to be
            resampled and the metric's segments are not sentences.
    """
    comparer = Comparer(
        {"the translation": [hypotheses], "the baseline": [baseline]},
        references,
        replace(settings, metrics=("s-bleu", "d-bleu")) if settings.metrics is None else settings,
        test,
    )
    return comparer.compare("the translation", "the baseline")


class Comparer:
    """Compares systems with one or more trainings with different seeds: the mean score of one
    system with the mean score of another. The statistics of each system are computed once.

    Args:
        systems: by name, for each seed the translation of the same documents.
        references, settings, test: as for `compare`.

    Raises:
        InputError: as `compare`.
    """

    def __init__(
        self,
        systems: Mapping[str, Sequence[Sequence[Document]]],
        references: References,
        settings: MetricSettings,
        test: SignificanceTest,
    ) -> None:
        self._kinds = [_comparable(name, test.resample) for name in settings.chosen_metrics]
        joined = _joined_alike(systems)
        if any(kind.unit == "instance" for kind in self._kinds):
            _check_same_instances([one for seeds in joined.values() for one in seeds])
        self._systems = {
            name: [
                ParallelDocuments.of(one, references, settings.instances, name=name)
                for one in seeds
            ]
            for name, seeds in joined.items()
        }
        self._settings, self._test = settings, test
        self._statistics: dict[tuple[str, str], list[Statistics]] = {}

    def compare(self, system: str, baseline: str) -> list[Comparison]:
        """Compare a system with a baseline, by each metric in order."""
        return [self._compare(kind, system, baseline) for kind in self._kinds]

    def interval(self, system: str) -> list[tuple[float, float]]:
        """The 95 % interval of a system's mean score, by each metric in order: the middle of the
        scores on random samples of the segments (Koehn 2004)."""
        return [
            interval(self._of(kind, system), self._test.resamples, self._test.seed)
            for kind in self._kinds
        ]

    def _same_text(self, system: str, baseline: str) -> bool:
        ours, theirs = (
            [[document.target for document in one.hypothesis] for one in self._systems[name]]
            for name in (system, baseline)
        )
        return ours == theirs

    def _of(self, kind: Kind, system: str) -> list[Statistics]:
        if (kind.name, system) not in self._statistics:
            self._statistics[kind.name, system] = [
                segment_statistics(kind, one, self._settings, self._test.resample)
                for one in self._systems[system]
            ]
        return self._statistics[kind.name, system]

    def _compare(self, kind: Kind, system: str, baseline: str) -> Comparison:
        ours, theirs = self._of(kind, system), self._of(kind, baseline)
        resampled, segments = self._test.resample or kind.unit, len(ours[0].counts)
        notes = _notes(self._systems[system], self._systems[baseline], resampled, segments)
        if self._same_text(system, baseline):
            notes.insert(0, f"{system} and {baseline} have the same text, so they do not differ")
        return compare_statistics(
            kind.name,
            ours,
            theirs,
            unit=kind.unit,
            resampled=resampled,
            notes=notes,
            test=self._test,
            lower_is_better=kind.lower_is_better,
        )


def segment_statistics(
    kind: Kind,
    parallel: ParallelDocuments,
    settings: MetricSettings,
    resample: ResampledUnit | None = None,
) -> Statistics:
    """Return the statistics of each segment of a translation, or with `resample: document` of the
    segments of each document.

    Raises:
        InputError: as `ParallelDocuments.segments` and `build_metric`.
    """
    if kind.family == "COMET":
        statistics, _ = settings.comet_scorer.statistics(
            parallel, settings.sources, document_level=kind.name == "doc-COMET"
        )
    else:
        translated, expected = parallel.segments(kind.unit)
        check_tokenizer_fits(kind, settings, expected)
        statistics = build_metric(kind, settings).statistics(translated, expected)
    if resample == "document":
        return statistics.grouped(parallel.segments_by_document(kind.unit))
    return statistics


def _notes(
    system: Sequence[ParallelDocuments],
    baseline: Sequence[ParallelDocuments],
    resampled: Unit,
    segments: int,
) -> list[str]:
    """Return notes for the reader of a comparison."""
    notes = []
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
            "all tests but `seeds p` say whether other test sets would show the difference of "
            "these trainings, not whether other seeds would"
        )
    return notes


def _comparable(name: str, resample: ResampledUnit | None) -> Kind:
    """Look up a metric. The metric must be a sum over the resampled units."""
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
    systems: Mapping[str, Sequence[Sequence[Document]]],
) -> dict[str, list[list[Document]]]:
    """All translations, with sentences joined where any of them has them joined."""
    joined = {name: [list(one) for one in seeds] for name, seeds in systems.items()}
    every = [one for seeds in joined.values() for one in seeds]
    for i in range(min(map(len, every))):
        sizes = next((one[i].joined for one in every if one[i].joined is not None), None)
        for one in every:
            if sizes is not None and one[i].joined is None and len(one[i]) == sum(sizes):
                one[i] = one[i].join(sizes)
    return joined


def _check_same_instances(translations: Sequence[Sequence[Document]]) -> None:
    """Require the same instances in all translations, where instances are of joined sentences."""
    for document, *others in zip(*translations, strict=False):
        if any(other.joined != document.joined for other in others):
            raise InputError(
                f"document {document.id!r} is cut into other instances in the baseline",
                cure="Compare by d-bleu alone (`metrics=d-bleu`)",
                parameters=("metrics=d-bleu",),
            )
