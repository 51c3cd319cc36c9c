"""From a trained system to translated documents."""

from docmt.decoding.search import Hypothesis, search
from docmt.decoding.translator import Alternative, Translation, Translator

__all__ = ["Alternative", "Hypothesis", "Translation", "Translator", "search"]
