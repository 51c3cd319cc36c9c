"""Log-probabilities of given translations, by trained systems and by language models."""

from docmt_research.scoring.loading import load_scorer
from docmt_research.scoring.scorer import Candidates, Scorer, SentenceScore

__all__ = ["Candidates", "Scorer", "SentenceScore", "load_scorer"]
