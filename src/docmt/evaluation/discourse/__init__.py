"""Phenomena of discourse, measured on translations: pronouns (APT), lexical consistency (LTCR), and
the categories of BlonDe. All of it runs on text and word alignments, without torch."""

from docmt.evaluation.discourse.blonde import blonde_score
from docmt.evaluation.discourse.categories import (
    FIRST,
    OTHER,
    Categories,
    CategorySettings,
    categorize,
)
from docmt.evaluation.discourse.discourse_comparison import compare_discourse
from docmt.evaluation.discourse.discourse_files import (
    DiscourseEvaluation,
    DiscourseOptions,
    SystemScores,
    evaluate_discourse,
)
from docmt.evaluation.discourse.discourse_scores import DiscourseScore
from docmt.evaluation.discourse.lexical_consistency import lexical_consistency, term_accuracy
from docmt.evaluation.discourse.pronouns import PronounSettings, pronoun_accuracy
from docmt.evaluation.discourse.scores_by_category import (
    CategoryScore,
    WhereEvaluation,
    evaluate_where,
)
from docmt.evaluation.discourse.terms import Term, read_terms
from docmt.evaluation.discourse.text_alignment import AlignDocuments
from docmt.evaluation.discourse.texts import Sentence, Text

__all__ = [
    "FIRST",
    "OTHER",
    "AlignDocuments",
    "Categories",
    "CategoryScore",
    "CategorySettings",
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
    "categorize",
    "compare_discourse",
    "evaluate_discourse",
    "evaluate_where",
    "lexical_consistency",
    "pronoun_accuracy",
    "read_terms",
    "term_accuracy",
]
