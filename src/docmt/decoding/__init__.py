"""From a trained system to translated documents."""

from docmt.decoding.beam_search import Hypothesis, search
from docmt.decoding.files import translate_files
from docmt.decoding.parallel import Settled, search_in_parallel
from docmt.decoding.translator import Translator, groups

__all__ = [
    "Hypothesis", "Settled", "Translator", "groups", "search", "search_in_parallel",
    "translate_files",
]  # fmt: skip
