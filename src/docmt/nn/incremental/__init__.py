"""Views of decoding step by step: the KV caches and the bookkeeping of search."""

from docmt.nn.incremental.beam_state import BeamState
from docmt.nn.incremental.incremental_view import IncrementalView

__all__ = ["BeamState", "IncrementalView"]
