"""What a trained system has learned of context: contrastive suites, and what context is worth."""

from docmt.analysis.context_value import ContextValue, context_value
from docmt.analysis.contrast import Decisions, SuiteResult, contrast

__all__ = ["ContextValue", "Decisions", "SuiteResult", "context_value", "contrast"]
