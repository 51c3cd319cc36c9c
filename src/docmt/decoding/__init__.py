"""From a trained system to translated documents."""

from docmt.decoding.beam_search import Hypothesis, search
from docmt.decoding.parallel import Settled, search_in_parallel
from docmt.decoding.translator import Alternative, Translation, Translator, groups

__all__ = [
    "Alternative", "Hypothesis", "Settled", "Translation", "Translator", "groups", "search",
    "search_in_parallel",
]  # fmt: skip
