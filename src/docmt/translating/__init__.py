"""Translation above all translators: whole requests, files and folders, with journal, consistent
terms and notes."""

from docmt.translating.consistent_terms import ConsistentTerms, repairs
from docmt.translating.file_translation import FileCounts, TermChoices, translate_files
from docmt.translating.folders import FolderCounts, translate_folder
from docmt.translating.rehearsal import rehearse_files, rehearse_folder
from docmt.translating.texts import TextRequest, TranslatedText, translate_texts

__all__ = [
    "ConsistentTerms",
    "FileCounts",
    "FolderCounts",
    "TermChoices",
    "TextRequest",
    "TranslatedText",
    "rehearse_files",
    "rehearse_folder",
    "repairs",
    "translate_files",
    "translate_folder",
    "translate_texts",
]
