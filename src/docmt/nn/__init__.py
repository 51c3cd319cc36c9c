"""Attention over spans, layers, and the views of layers.

`nn` knows nothing of text or of data preparation: it sees token ids, spans and states.

Names are loaded on first use: what needs no torch can be imported without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt.ground.choices import Precision
    from docmt.nn.attention import CrossAttention, MultiHeadAttention, Scope, SelfAttention
    from docmt.nn.batch import IGNORED, Batch, Encoded, Memory, Packed
    from docmt.nn.embeddings import Embedding
    from docmt.nn.full_pass import FullPass
    from docmt.nn.incremental import BeamState, IncrementalView
    from docmt.nn.kernels.attend import attend, attend_dense
    from docmt.nn.layers import FeedForward, Layer, Residual
    from docmt.nn.quantization import in_precision, prepack_weights
    from docmt.nn.recording import AttentionRecord, GateRecord, Recorder
    from docmt.nn.spans import Spans
    from docmt.nn.views import KeysValues, Positions, Scopes, View

__all__ = [
    "IGNORED",
    "AttentionRecord",
    "Batch",
    "BeamState",
    "CrossAttention",
    "Embedding",
    "Encoded",
    "FeedForward",
    "FullPass",
    "GateRecord",
    "IncrementalView",
    "KeysValues",
    "Layer",
    "Memory",
    "MultiHeadAttention",
    "Packed",
    "Positions",
    "Precision",
    "Recorder",
    "Residual",
    "Scope",
    "Scopes",
    "SelfAttention",
    "Spans",
    "View",
    "attend",
    "attend_dense",
    "in_precision",
    "prepack_weights",
]

_MODULES = {
    "AttentionRecord": "docmt.nn.recording",
    "Batch": "docmt.nn.batch",
    "BeamState": "docmt.nn.incremental",
    "CrossAttention": "docmt.nn.attention",
    "Embedding": "docmt.nn.embeddings",
    "Encoded": "docmt.nn.batch",
    "FeedForward": "docmt.nn.layers",
    "FullPass": "docmt.nn.full_pass",
    "GateRecord": "docmt.nn.recording",
    "IGNORED": "docmt.nn.batch",
    "IncrementalView": "docmt.nn.incremental",
    "KeysValues": "docmt.nn.views",
    "Layer": "docmt.nn.layers",
    "Memory": "docmt.nn.batch",
    "MultiHeadAttention": "docmt.nn.attention",
    "Packed": "docmt.nn.batch",
    "Positions": "docmt.nn.views",
    "Precision": "docmt.ground.choices",
    "Recorder": "docmt.nn.recording",
    "Residual": "docmt.nn.layers",
    "Scope": "docmt.nn.attention",
    "Scopes": "docmt.nn.views",
    "SelfAttention": "docmt.nn.attention",
    "Spans": "docmt.nn.spans",
    "View": "docmt.nn.views",
    "attend": "docmt.nn.kernels.attend",
    "attend_dense": "docmt.nn.kernels.attend",
    "in_precision": "docmt.nn.quantization",
    "prepack_weights": "docmt.nn.quantization",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt.nn' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
