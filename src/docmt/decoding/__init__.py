"""Search, and translation of whole documents with it.

Names are loaded on first use: what needs no torch can be imported without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_MODULES = {
    "BeamSearchTranslator": "docmt.decoding.beam_search_translator",
    "GlossaryTerms": "docmt.decoding.glossary_terms",
    "Hypothesis": "docmt.decoding.beams",
    "Sampling": "docmt.decoding.sampling",
    "TermConstraint": "docmt.decoding.term_constraints",
    "TermConstraints": "docmt.decoding.term_constraints",
    "WordEdges": "docmt.decoding.term_constraints",
    "batches_by_length": "docmt.decoding.instance_search",
    "search": "docmt.decoding.beam_search",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt.decoding' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
