"""Translation above all translators: whole requests, files and folders, with journal, consistent
terms and notes.
"""

from docmt.translating.consistent_terms import ConsistentTerms
from docmt.translating.cost_estimates import estimate_file_costs, estimate_folder_costs
from docmt.translating.file_translation import FileCounts, TermChoices, translate_files
from docmt.translating.folders import FolderCounts, translate_folder
from docmt.translating.memory_analysis import AnalysisRow, analyze_files
from docmt.translating.text_repairs.of_texts import repairs
from docmt.translating.texts import TextRequest, TranslatedText, translate_texts

__all__ = [
    "AnalysisRow",
    "ConsistentTerms",
    "FileCounts",
    "FolderCounts",
    "TermChoices",
    "TextRequest",
    "TranslatedText",
    "analyze_files",
    "estimate_file_costs",
    "estimate_folder_costs",
    "repairs",
    "translate_files",
    "translate_folder",
    "translate_texts",
]
