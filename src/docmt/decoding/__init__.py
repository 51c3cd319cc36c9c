"""Search, and translation of whole documents with it."""

from docmt.decoding.beam_search import search
from docmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt.decoding.beams import Hypothesis
from docmt.decoding.glossary_terms import GlossaryTerms
from docmt.decoding.instance_search import batches_by_length
from docmt.decoding.sampling import Sampling
from docmt.decoding.term_constraints import TermConstraint, TermConstraints, WordEdges

__all__ = [
    "BeamSearchTranslator",
    "GlossaryTerms",
    "Hypothesis",
    "Sampling",
    "TermConstraint",
    "TermConstraints",
    "WordEdges",
    "batches_by_length",
    "search",
]
