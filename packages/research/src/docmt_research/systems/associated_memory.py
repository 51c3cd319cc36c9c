"""The associated memory network of Jiang et al. 2019 ("Document-level Neural Machine Translation
with Inter-Sentence Attention").

A sentence-level Transformer encodes and writes each sentence. The memory that is associated with a
sentence holds the states of the words of the other sentences of its document. Inter-sentence
attention finds in it what belongs to each word, with one softmax over all words of the memory, and
a gate adds that to the word's state. With h_t the state of a word and m_i those in the memory,

    α_t,i = softmax_i(W_q h_t · W_k m_i / √D),  c_t = W_o Σ_i α_t,i W_v m_i
    λ_t = σ(W_g [h_t; c_t] + b_g),  h̃_t = λ_t h_t + (1 − λ_t) c_t

in several heads; cross-attention sees h̃. A sentence without others passes the memory by.

Shapes: N tokens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from torch import Tensor, nn

from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.gates import GateProjection, gated_sum
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.views import View
from docmt_nmt.systems.system_settings import EncoderDecoderSettings
from docmt_nmt.systems.transformer import SentenceEncoderDecoder
from docmt_research.nn.reaches import OtherSentences
from docmt_research.nn.selective import SelectiveAttention


class AssociatedMemorySettings(EncoderDecoderSettings):
    """A memory of the document's other sentences (Jiang et al. 2019)."""

    name: Literal["associated-memory"] = "associated-memory"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("window", "tokens", "whole")
    writing_order: ClassVar[WritingOrder] = WritingOrder.ALONE

    memory_sentences: Literal["others", "previous"] = "others"
    """Sentences of the document that the memory of a sentence holds: all `others`, or those
    `previous` to it."""


class InterSentenceAttention(nn.Module):
    """Attention to the memory, and the gate.

    Args:
        settings: the sizes, and what the memory holds.
    """

    def __init__(self, settings: AssociatedMemorySettings) -> None:
        super().__init__()
        d_model = settings.d_model
        self.past_only = settings.memory_sentences == "previous"
        self.dropout = settings.dropout
        self.attention = SelectiveAttention(d_model, settings.heads, "word", "softmax")
        self.gate = GateProjection(d_model)  # W_g and b_g

    def forward(self, h: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model)"""
        memory = view.look(OtherSentences(self.past_only), h)
        context = dropout(self.attention(h, memory), self.dropout, self.training)
        return gated_sum(self.gate, h, context, memory.has_keys(h))


class AssociatedMemory(SentenceEncoderDecoder):
    """A sentence-level Transformer whose encoder looks up other sentences in a memory."""

    settings_class = AssociatedMemorySettings
    reconstruction = (
        "the abstract of Jiang et al. 2019 and a system of the same name for another task"
    )

    def __init__(
        self, settings: AssociatedMemorySettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.memory = InterSentenceAttention(settings)

    def encode(self, source: Packed) -> Memory:
        encoded = super().encode(source)
        return replace(encoded, states=self.memory(encoded.states, FullPass(source)))
