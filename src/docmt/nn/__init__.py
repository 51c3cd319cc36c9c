"""Attention over spans, the mixers made of it, and the layers made of mixers."""

from docmt.nn.attention import attend, attend_densely
from docmt.nn.cache import Cache, Memory
from docmt.nn.layers import DecoderLayer, Embedding, EncoderLayer, FeedForward
from docmt.nn.mixers import Attention, Mixer, Scope
from docmt.nn.precision import Precision, in_precision, pack

__all__ = [
    "Attention", "Cache", "DecoderLayer", "Embedding", "EncoderLayer", "FeedForward", "Memory",
    "Mixer", "Precision", "Scope", "attend", "attend_densely", "in_precision", "pack",
]  # fmt: skip
