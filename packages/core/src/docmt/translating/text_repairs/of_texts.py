"""`repairs`: the repairs of files and texts."""

from __future__ import annotations

from docmt.translating.text_repairs.added_words import AddedWords
from docmt.translating.text_repairs.calendar_names import CalendarNames
from docmt.translating.text_repairs.code_edges import CodeEdges
from docmt.translating.text_repairs.copied_labels import CopiedLabels
from docmt.translating.text_repairs.left_words import LeftWords
from docmt.translating.text_repairs.lost_names import LostNames
from docmt.translating.text_repairs.measured_terms import MeasuredTerms
from docmt.translating.text_repairs.similar_words import SimilarWords
from docmt_nmt.translators.repair import Repair
from docmt_nmt.translators.repairs import STANDARD

OF_TEXTS: tuple[Repair, ...] = (
    *STANDARD,
    CalendarNames(),
    LeftWords(),
    SimilarWords(),
    LostNames(),
    AddedWords(),
    CopiedLabels(),
    MeasuredTerms(),
)
"""The repairs of files and texts that somebody reads. They put right what a system is known to do
wrong, so systems are compared without them."""


def repairs(*, consistent: bool) -> tuple[Repair, ...]:
    """The repairs of files and texts, with consistent terms on request."""
    if not consistent:
        return (*OF_TEXTS, CodeEdges())
    from docmt.translating.consistent_terms import ConsistentTerms

    return (*OF_TEXTS, ConsistentTerms(), CodeEdges())
