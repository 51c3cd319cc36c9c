"""Translation above all translators: whole requests, files and folders, with journal, consistent
terms and notes.

Names are loaded on first use: to translate a file does without folders, memories and costs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_MODULES = {
    "AnalysisRow": "memory_analysis",
    "ConsistentTerms": "consistent_terms",
    "FileCounts": "file_translation",
    "FolderCounts": "folders",
    "TermChoices": "file_translation",
    "TextRequest": "texts",
    "TranslatedText": "texts",
    "analyze_files": "memory_analysis",
    "estimate_file_costs": "cost_estimates",
    "estimate_folder_costs": "cost_estimates",
    "repairs": "text_repairs.of_texts",
    "translate_files": "file_translation",
    "translate_folder": "folders",
    "translate_texts": "texts",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt.translating' has no attribute {name!r}")
    return getattr(import_module(f"docmt.translating.{_MODULES[name]}"), name)
