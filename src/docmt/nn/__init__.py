"""Attention over spans, the mixers made of it, and the layers made of mixers."""

from docmt.choices import Precision
from docmt.nn.attention import MultiHeadAttention, Scope, ScopedAttention
from docmt.nn.incremental.state import BeamState, Memory
from docmt.nn.kernels.attend import attend, attend_dense
from docmt.nn.layers import DecoderLayer, Embedding, EncoderLayer, FeedForward
from docmt.nn.quantization import in_precision, prepack_weights

__all__ = [
    "BeamState",
    "DecoderLayer",
    "Embedding",
    "EncoderLayer",
    "FeedForward",
    "Memory",
    "MultiHeadAttention",
    "Precision",
    "Scope",
    "ScopedAttention",
    "attend",
    "attend_dense",
    "in_precision",
    "prepack_weights",
]  # fmt: skip
