"""Measures of the context use learned by a trained system: contrastive suites, the value of
context, the probability of given translations, attention maps, the choice of attention for word
alignment, and gates."""

from docmt_research.analysis.attention_maps import (
    AttentionMap,
    DocumentMaps,
    Side,
    map_attention,
    measure_attention,
)
from docmt_research.analysis.context_value import (
    ContextValue,
    context_notes,
    context_value,
    context_value_signature,
)
from docmt_research.analysis.contrastive_evaluation import Decisions, SuiteResult, contrast
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
    "context_notes",
    "context_value",
    "context_value_signature",
    "contrast",
    "map_attention",
    "measure_attention",
    "read_curves",
    "value_by_category",
]
