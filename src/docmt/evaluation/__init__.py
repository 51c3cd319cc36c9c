"""How good a translation is: scores with their signatures, and whether two systems differ."""

from docmt.evaluation.scores import Score
from docmt.evaluation.scoring import evaluate
from docmt.evaluation.significance import Comparison, compare

__all__ = ["Comparison", "Score", "compare", "evaluate"]
