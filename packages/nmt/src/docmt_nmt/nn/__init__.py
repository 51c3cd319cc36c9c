"""Attention over spans, layers, and the views of layers.

`nn` knows nothing of text or of data preparation: it sees token ids, spans and states.

Names are loaded on first use: what needs no torch can be imported without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt_nmt.base.choices import Precision
    from docmt_nmt.nn.attention import CrossAttention, MultiHeadAttention, Scope, SelfAttention
    from docmt_nmt.nn.batch import IGNORED, Batch, Encoded, Memory, Packed
    from docmt_nmt.nn.embeddings import Embedding
    from docmt_nmt.nn.full_pass import FullPass
    from docmt_nmt.nn.incremental import BeamState, IncrementalView
    from docmt_nmt.nn.kernels.attend import attend, attend_dense
    from docmt_nmt.nn.layers import FeedForward, Layer, Residual
    from docmt_nmt.nn.quantization import in_precision, prepack_weights
    from docmt_nmt.nn.recording import AttentionRecord, GateRecord, Recorder
    from docmt_nmt.nn.spans import Spans
    from docmt_nmt.nn.views import KeysValues, Positions, Scopes, View

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
    "AttentionRecord": "docmt_nmt.nn.recording",
    "Batch": "docmt_nmt.nn.batch",
    "BeamState": "docmt_nmt.nn.incremental",
    "CrossAttention": "docmt_nmt.nn.attention",
    "Embedding": "docmt_nmt.nn.embeddings",
    "Encoded": "docmt_nmt.nn.batch",
    "FeedForward": "docmt_nmt.nn.layers",
    "FullPass": "docmt_nmt.nn.full_pass",
    "GateRecord": "docmt_nmt.nn.recording",
    "IGNORED": "docmt_nmt.nn.batch",
    "IncrementalView": "docmt_nmt.nn.incremental",
    "KeysValues": "docmt_nmt.nn.views",
    "Layer": "docmt_nmt.nn.layers",
    "Memory": "docmt_nmt.nn.batch",
    "MultiHeadAttention": "docmt_nmt.nn.attention",
    "Packed": "docmt_nmt.nn.batch",
    "Positions": "docmt_nmt.nn.views",
    "Precision": "docmt_nmt.base.choices",
    "Recorder": "docmt_nmt.nn.recording",
    "Residual": "docmt_nmt.nn.layers",
    "Scope": "docmt_nmt.nn.attention",
    "Scopes": "docmt_nmt.nn.views",
    "SelfAttention": "docmt_nmt.nn.attention",
    "Spans": "docmt_nmt.nn.spans",
    "View": "docmt_nmt.nn.views",
    "attend": "docmt_nmt.nn.kernels.attend",
    "attend_dense": "docmt_nmt.nn.kernels.attend",
    "in_precision": "docmt_nmt.nn.quantization",
    "prepack_weights": "docmt_nmt.nn.quantization",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt_nmt.nn' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
