"""Phenomena of discourse, measured on translations: pronouns (APT). All of it runs on text and word
alignments, without models and without torch."""

from docmt.evaluation.discourse.aligner import align_words
from docmt.evaluation.discourse.alignment import Alignment, grow_diag_final_and, read_alignment
from docmt.evaluation.discourse.pronouns import PronounSettings, pronoun_accuracy
from docmt.evaluation.discourse.scores import DiscourseScore
from docmt.evaluation.discourse.texts import Sentence, Text
from docmt.evaluation.discourse.words import split_words

__all__ = [
    "Alignment", "DiscourseScore", "PronounSettings", "Sentence", "Text", "align_words",
    "grow_diag_final_and", "pronoun_accuracy", "read_alignment", "split_words",
]  # fmt: skip
