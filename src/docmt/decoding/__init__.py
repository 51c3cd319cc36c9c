"""Search, and translation of whole documents and files with it."""

from docmt.decoding.batching import batches_by_length
from docmt.decoding.beam_search import Hypothesis, search
from docmt.decoding.files import translate_files
from docmt.decoding.parallel import ParallelResult, search_in_parallel
from docmt.decoding.translator import Translator

__all__ = [
    "Hypothesis", "ParallelResult", "Translator", "batches_by_length", "search",
    "search_in_parallel", "translate_files",
]  # fmt: skip
