"""Phenomena of discourse, measured on translations: pronouns (APT), lexical consistency (LTCR), and
the categories of BlonDe. All of it runs on text and word alignments, without torch."""

from docmt.evaluation.discourse.aligner import align_words
from docmt.evaluation.discourse.alignment import (
    Alignment,
    Links,
    alignment_error_rate,
    grow_diag_final_and,
    read_alignment,
)
from docmt.evaluation.discourse.blonde import blonde_score
from docmt.evaluation.discourse.categories import (
    FIRST,
    OTHER,
    Categories,
    CategorySettings,
    categorize,
)
from docmt.evaluation.discourse.comparison import compare_discourse
from docmt.evaluation.discourse.consistency import lexical_consistency, term_accuracy
from docmt.evaluation.discourse.files import (
    DiscourseEvaluation,
    DiscourseOptions,
    SystemScores,
    evaluate_discourse,
)
from docmt.evaluation.discourse.pronouns import PronounSettings, pronoun_accuracy
from docmt.evaluation.discourse.scores import DiscourseScore
from docmt.evaluation.discourse.terms import Term, read_terms
from docmt.evaluation.discourse.text_alignment import AlignDocuments
from docmt.evaluation.discourse.texts import Sentence, Text
from docmt.evaluation.discourse.where import CategoryScore, WhereEvaluation, evaluate_where
from docmt.evaluation.discourse.words import split_words

__all__ = [
    "FIRST",
    "OTHER",
    "AlignDocuments",
    "Alignment",
    "Categories",
    "CategoryScore",
    "CategorySettings",
    "DiscourseEvaluation",
    "DiscourseOptions",
    "DiscourseScore",
    "Links",
    "PronounSettings",
    "Sentence",
    "SystemScores",
    "Term",
    "Text",
    "WhereEvaluation",
    "align_words",
    "alignment_error_rate",
    "blonde_score",
    "categorize",
    "compare_discourse",
    "evaluate_discourse",
    "evaluate_where",
    "grow_diag_final_and",
    "lexical_consistency",
    "pronoun_accuracy",
    "read_alignment",
    "read_terms",
    "split_words",
    "term_accuracy",
]
