"""Translators, requests to them, and repairs of their translations.

A `TranslationRequest` is one frozen value, and a `Translator` a function of it. `translate` is the
loop above both: it translates, and repairs what went wrong by asking again.
"""

from docmt_nmt.translators.decorator import TranslatorDecorator
from docmt_nmt.translators.repair import Repair, Retry
from docmt_nmt.translators.repairs import STANDARD, translate, translate_text
from docmt_nmt.translators.requests import (
    Revision,
    SentenceIndex,
    SourceDocument,
    TranslationRequest,
)
from docmt_nmt.translators.translator import (
    CostMeter,
    Feature,
    Journal,
    Plan,
    ProgressCallback,
    Translator,
    costs_of,
    planned,
    request_of,
)

__all__ = [
    "STANDARD",
    "CostMeter",
    "Feature",
    "Journal",
    "Plan",
    "ProgressCallback",
    "Repair",
    "Retry",
    "Revision",
    "SentenceIndex",
    "SourceDocument",
    "TranslationRequest",
    "Translator",
    "TranslatorDecorator",
    "costs_of",
    "planned",
    "request_of",
    "translate",
    "translate_text",
]
