"""Views of decoding step by step: the KV caches and the bookkeeping of search.

Names are loaded on first use: what needs no torch can be imported without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt_nmt.nn.incremental.beam_state import BeamState
    from docmt_nmt.nn.incremental.incremental_view import IncrementalView

__all__ = ["BeamState", "IncrementalView"]

_MODULES = {
    "BeamState": "docmt_nmt.nn.incremental.beam_state",
    "IncrementalView": "docmt_nmt.nn.incremental.incremental_view",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt_nmt.nn.incremental' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
