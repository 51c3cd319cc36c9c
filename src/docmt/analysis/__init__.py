"""What a trained system has learned of context: contrastive suites, what context is worth, where
attention looks and what gates let through."""

from docmt.analysis.attention_statistics import (
    AttentionEntropy,
    AttentionStatistics,
    GateStatistics,
    StatisticsRecorder,
    merge_statistics,
)
from docmt.analysis.context_value import ContextValue, context_value
from docmt.analysis.contrast import Decisions, SuiteResult, contrast
from docmt.analysis.where import CategoryValue, value_by_category

__all__ = [
    "AttentionEntropy", "AttentionStatistics", "CategoryValue", "ContextValue", "Decisions",
    "GateStatistics", "StatisticsRecorder", "SuiteResult", "context_value", "contrast",
    "merge_statistics", "value_by_category",
]  # fmt: skip
