"""Phenomena of discourse, measured on translations: pronouns (APT), lexical consistency (LTCR), and
the categories of BlonDe. All of it runs on text and word alignments, without torch."""

from docmt_research.discourse.blonde import blonde_score
from docmt_research.discourse.discourse_comparison import compare_discourse
from docmt_research.discourse.discourse_files import (
    DiscourseEvaluation,
    SystemScores,
    evaluate_discourse,
)
from docmt_research.discourse.discourse_scores import DiscourseScore
from docmt_research.discourse.discourse_settings import DiscourseOptions
from docmt_research.discourse.discourse_text import Sentence, Text
from docmt_research.discourse.lexical_consistency import lexical_consistency, term_accuracy
from docmt_research.discourse.pronouns import PronounSettings, pronoun_accuracy
from docmt_research.discourse.scores_by_category import (
    CategoryScore,
    WhereEvaluation,
    evaluate_where,
)
from docmt_research.discourse.terms import Term, read_terms
from docmt_research.discourse.text_alignment import AlignDocuments

__all__ = [
    "AlignDocuments",
    "CategoryScore",
    "DiscourseEvaluation",
    "DiscourseOptions",
    "DiscourseScore",
    "PronounSettings",
    "Sentence",
    "SystemScores",
    "Term",
    "Text",
    "WhereEvaluation",
    "blonde_score",
    "compare_discourse",
    "evaluate_discourse",
    "evaluate_where",
    "lexical_consistency",
    "pronoun_accuracy",
    "read_terms",
    "term_accuracy",
]
