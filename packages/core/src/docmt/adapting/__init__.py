"""Adapting a model to a person's own translations: material, training, and a verdict by which the
model is made or not."""

from docmt.adapting.adaptation import Adaptation, Outcome, adapt
from docmt.adapting.division import MIN_PAIRS, TooFewPairsError
from docmt.adapting.verdict import Verdict

__all__ = ["MIN_PAIRS", "Adaptation", "Outcome", "TooFewPairsError", "Verdict", "adapt"]
