"""Attention over spans, layers, and the views of layers.

`nn` knows nothing of text or of data preparation: it sees token ids, spans and states.
"""

from docmt.ground.choices import Precision
from docmt.nn.attention import CrossAttention, MultiHeadAttention, Scope, SelfAttention
from docmt.nn.batch import IGNORED, Batch, Encoded, Memory, Packed
from docmt.nn.embeddings import Embedding
from docmt.nn.full_pass import FullPass
from docmt.nn.incremental import BeamState, IncrementalView
from docmt.nn.kernels.attend import attend, attend_dense
from docmt.nn.layers import FeedForward, Layer, Residual
from docmt.nn.quantization import in_precision, prepack_weights
from docmt.nn.recording import AttentionRecord, GateRecord, Recorder, recording
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
    "recording",
]
