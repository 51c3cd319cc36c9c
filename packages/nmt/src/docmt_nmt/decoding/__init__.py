"""Search, and translation of whole documents with it.

Names are loaded on first use: what needs no torch can be imported without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt_nmt.decoding.batches import batches_by_length
    from docmt_nmt.decoding.beam_search import search
    from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
    from docmt_nmt.decoding.beams import Hypothesis
    from docmt_nmt.decoding.glossary_terms import GlossaryTerms
    from docmt_nmt.decoding.sampling import Sampling
    from docmt_nmt.decoding.term_constraints import TermConstraint, TermConstraints, WordEdges

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

_MODULES = {
    "BeamSearchTranslator": "docmt_nmt.decoding.beam_search_translator",
    "GlossaryTerms": "docmt_nmt.decoding.glossary_terms",
    "Hypothesis": "docmt_nmt.decoding.beams",
    "Sampling": "docmt_nmt.decoding.sampling",
    "TermConstraint": "docmt_nmt.decoding.term_constraints",
    "TermConstraints": "docmt_nmt.decoding.term_constraints",
    "WordEdges": "docmt_nmt.decoding.term_constraints",
    "batches_by_length": "docmt_nmt.decoding.batches",
    "search": "docmt_nmt.decoding.beam_search",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt_nmt.decoding' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
