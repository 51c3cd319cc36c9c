"""How good a translation is: scores with their signatures, and whether two systems differ."""

from docmt.evaluation.files import Evaluation, evaluate_files
from docmt.evaluation.scores import Score
from docmt.evaluation.scoring import evaluate
from docmt.evaluation.significance import Comparison, compare

__all__ = ["Comparison", "Evaluation", "Score", "compare", "evaluate", "evaluate_files"]
