"""Tests whether the difference between two systems in a phenomenon of discourse could be chance.

Documents are swapped and drawn, whatever the metric counts: the pronouns and terms of one document
depend on each other.
"""

from __future__ import annotations

from docmt_files.base.wording import counted
from docmt_nmt.evaluation.comparison import Comparison, compare_statistics
from docmt_nmt.evaluation.metric_settings import DEFAULT_TEST, SignificanceTest
from docmt_research.discourse.discourse_scores import DiscourseScore

_FEW_DOCUMENTS = 20
"""Fewer documents than this say little about others."""


def compare_discourse(
    system: DiscourseScore,
    baseline: DiscourseScore,
    *,
    baseline_name: str = "",
    test: SignificanceTest = DEFAULT_TEST,
) -> Comparison:
    """Compare two systems by the same metric on the same documents.

    Args:
        system, baseline: the scores of the system, and of the one to compare it with.
        baseline_name: name of the baseline.
        test: number of swaps and draws.
    """
    assert system.name == baseline.name, "the scores are of one metric"
    return compare_statistics(
        system.name,
        [system.statistics],
        [baseline.statistics],
        unit="document",
        resampled="document",
        baseline_name=baseline_name,
        test=test,
        notes=_notes(system, baseline, len(system.statistics.counts)),
    )


def _notes(system: DiscourseScore, baseline: DiscourseScore, documents: int) -> tuple[str, ...]:
    """Return notes for the reader of the comparison."""
    notes = []
    if system.settings != baseline.settings:
        notes.append(
            "the signatures of the two differ, so the scores are not comparable: "
            f"{system.settings} and {baseline.settings}"
        )
    if (system.statistics.counts == baseline.statistics.counts).all():
        notes.append("all counts of the two are the same, so there is nothing to compare")
    if documents < _FEW_DOCUMENTS:
        notes.append(
            f"only {counted(documents, 'document')} to resample; with fewer than {_FEW_DOCUMENTS}, "
            "the interval is too narrow and p is coarse"
        )
    least = 2.0 ** (1 - documents)
    if least > 0.01:
        notes.append(f"with {counted(documents, 'document')}, p cannot be less than {least:.2g}")
    return tuple(notes)
