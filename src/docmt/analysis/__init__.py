"""What a trained system has learned of context: contrastive suites, what context is worth, where
attention looks and what gates let through."""

from docmt.analysis.attention_maps import (
    AttentionMap,
    DocumentMaps,
    Side,
    map_attention,
    measure_attention,
)
from docmt.analysis.attention_statistics import (
    AttentionEntropy,
    AttentionStatistics,
    GateStatistics,
    StatisticsRecorder,
    merge_statistics,
)
from docmt.analysis.context_value import ContextValue, context_value, context_value_signature
from docmt.analysis.contrastive_scores import Decisions, SuiteResult, contrast
from docmt.analysis.signatures import signature
from docmt.analysis.training_curves import Curve, read_curves
from docmt.analysis.value_by_category import CategoryValue, value_by_category

__all__ = [
    "AttentionEntropy",
    "AttentionMap",
    "AttentionStatistics",
    "CategoryValue",
    "ContextValue",
    "Curve",
    "Decisions",
    "DocumentMaps",
    "GateStatistics",
    "Side",
    "StatisticsRecorder",
    "SuiteResult",
    "context_value",
    "context_value_signature",
    "contrast",
    "map_attention",
    "measure_attention",
    "merge_statistics",
    "read_curves",
    "signature",
    "value_by_category",
]
