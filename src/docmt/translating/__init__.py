"""Translation above all translators: whole requests, files and folders, with journal, consistent
terms and notes."""

from docmt.translating.consistent_terms import translate
from docmt.translating.file_translation import FileCounts, TermChoices, translate_files
from docmt.translating.folders import FolderCounts, translate_folder
from docmt.translating.rehearsal import rehearse_files, rehearse_folder

__all__ = [
    "FileCounts",
    "FolderCounts",
    "TermChoices",
    "rehearse_files",
    "rehearse_folder",
    "translate",
    "translate_files",
    "translate_folder",
]
