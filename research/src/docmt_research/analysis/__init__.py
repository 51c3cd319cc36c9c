"""Measures of what a trained system has learned of context: contrastive suites, what context is
worth, how probable given translations are, where attention looks and which attention aligns words,
and what gates let through."""

from docmt_research.analysis.attention_maps import (
    AttentionMap,
    DocumentMaps,
    Side,
    map_attention,
    measure_attention,
)
from docmt_research.analysis.context_value import (
    ContextValue,
    context_value,
    context_value_signature,
)
from docmt_research.analysis.contrastive_scores import Decisions, SuiteResult, contrast
from docmt_research.analysis.training_curves import Curve, read_curves
from docmt_research.analysis.value_by_category import CategoryValue, value_by_category

__all__ = [
    "AttentionMap",
    "CategoryValue",
    "ContextValue",
    "Curve",
    "Decisions",
    "DocumentMaps",
    "Side",
    "SuiteResult",
    "context_value",
    "context_value_signature",
    "contrast",
    "map_attention",
    "measure_attention",
    "read_curves",
    "value_by_category",
]
