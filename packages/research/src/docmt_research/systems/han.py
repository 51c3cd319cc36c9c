"""HAN: hierarchical attention to the sentences before (Miculicich et al. 2018, "Document-Level
Neural Machine Translation with Hierarchical Attention Networks").

A sentence-level Transformer encodes and writes each sentence. On its last states a network looks
back at the same states of the K sentences before: with h_t the state of a word of the sentence and
h^j_i that of word i of the j-th sentence before it,

    q_w = f_w(h_t),  s^j = MultiHead_i(q_w, h^j_i)                               (1-2)
    q_s = f_s(h_t),  d_t = FFN(MultiHead_j(q_s, s^j))                            (3-4)
    λ_t = σ(W_h h_t + W_p d_t),  h̃_t = λ_t h_t + (1 − λ_t) d_t                   (5-6)

first for each of these sentences over its words, then over the sentences. In the encoder h is its
output, and cross-attention sees h̃; in the decoder h is what the vocabulary is scored against, and
the sentences before are those that were translated, which are written in order.

Shapes: N tokens, K sentences, H heads, D head dimension; in steps N = R hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, Literal, cast

import torch
from torch import Tensor, nn

from docmt_nmt.base.settings import Conditions, PositiveInt
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.attention import MultiHeadAttention, SelfAttention
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.gates import GateProjection, gated_sum
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.layers import FeedForward, Layer, Residual
from docmt_nmt.nn.views import View
from docmt_nmt.systems.system_settings import EncoderDecoderSettings
from docmt_nmt.systems.transformer import SentenceEncoderDecoder
from docmt_research.nn.reaches import Previous


class HANSettings(EncoderDecoderSettings):
    """Hierarchical attention networks over the previous sentences (Miculicich et al. 2018)."""

    name: Literal["han"] = "han"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("tokens", "whole")
    writing_order: ClassVar[WritingOrder] = WritingOrder.ALONE

    integration: Literal["encoder", "decoder", "both", "none"] = "both"
    """Sides on which the previous sentences are attended to: source sentences in the `encoder`,
    their translations in the `decoder`, or `both`. `none` is the sentence-level Transformer."""

    context_sentences: PositiveInt = 3
    """Number of previous sentences that are attended to (K)."""

    context_gradient: bool = False
    """Let the gradient pass through the network into the states that it reads. If false, it reaches
    them only beside the network, through λ_t h_t, as in the published code."""

    only_with: ClassVar[Conditions] = {
        **EncoderDecoderSettings.only_with,
        **{
            key: {"integration": ("encoder", "decoder", "both")}
            for key in ("context_sentences", "context_gradient")
        },
    }


class HierarchicalAttention(nn.Module):
    """Attention over the words of each previous sentence, and over the sentences.

    Args:
        settings: the sizes and the number of previous sentences.
    """

    def __init__(self, settings: HANSettings) -> None:
        super().__init__()
        d_model, heads = settings.d_model, settings.heads
        self.sentences, self.gradient = settings.context_sentences, settings.context_gradient
        # f_w and f_s are the query projections of the attentions.
        self.word_query_norm = nn.LayerNorm(d_model)
        self.word_attention = MultiHeadAttention(d_model, heads)
        self.word_norm = nn.LayerNorm(d_model)
        self.sentence_query_norm = nn.LayerNorm(d_model)
        self.sentence_attention = MultiHeadAttention(d_model, heads)
        feed_forward = FeedForward(d_model, settings.ffn_dim, settings.activation)
        self.feed_forward = Residual(
            feed_forward, d_model, dropout=settings.dropout, norm_order="pre"
        )
        self.gate = GateProjection(d_model)  # W_h and W_p
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model); a token without previous sentences stays as it is."""
        h = x if self.gradient else x.detach()
        query = self.word_query_norm(h)
        summaries, there = [], []
        for distance in range(1, self.sentences + 1):
            words = view.look(Previous(distance), h)
            summaries.append(self.word_norm(self.word_attention(query, words)))
            there.append(words.has_keys(x))
        is_there = torch.stack(there, dim=1)  # (N, K)
        attended = self.over_sentences(
            self.sentence_query_norm(h), torch.stack(summaries, dim=1), is_there
        )
        context = self.feed_forward(attended, view)
        return gated_sum(self.gate, x, context, is_there.any(dim=1), norm=self.norm)

    def over_sentences(self, query: Tensor, summaries: Tensor, is_there: Tensor) -> Tensor:
        """Attention of each token to its own summaries of the previous sentences.

        Args:
            query: (N, d_model)
            summaries: (N, K, d_model)
            is_there: (N, K) which of the sentences there are.

        Returns:
            (N, d_model)
        """
        attention = self.sentence_attention
        q = attention.split(attention.query(query))  # (N, H, D)
        shape = *summaries.shape[:2], *q.shape[1:]
        keys, values = (y.view(shape) for y in attention.keys_and_values(summaries.flatten(0, 1)))
        scores = (q[:, None] * keys).sum(dim=3).float() * q.shape[2] ** -0.5  # (N, K, H)
        # A token that has none gets something finite, which is not used.
        scores = scores.masked_fill(~is_there[:, :, None], torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=1).to(values.dtype)
        weights = dropout(weights, attention.attention_dropout, self.training)
        return attention.output((weights[..., None] * values).sum(dim=1).flatten(1))


class HAN(SentenceEncoderDecoder):
    """A sentence-level Transformer with hierarchical attention to the sentences before."""

    settings_class = HANSettings

    def __init__(
        self, settings: HANSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.source_context: HierarchicalAttention | None = None
        self.target_context: HierarchicalAttention | None = None
        if settings.integration in ("encoder", "both"):
            self.source_context = HierarchicalAttention(settings)
        if settings.integration in ("decoder", "both"):
            self.target_context = HierarchicalAttention(settings)
            self.writing_order = WritingOrder.IN_ORDER
            self.sentences_back = settings.context_sentences

    def twins(self) -> Iterator[tuple[nn.Module, nn.Module]]:
        """Both attentions of a network, and self-attention of the last layer below it."""
        for context, layers in (
            (self.source_context, self.encoder),
            (self.target_context, self.decoder),
        ):
            if context is not None and "self_attention" in (last := cast(Layer, layers[-1])):
                sublayer = cast(SelfAttention, cast(Residual, last["self_attention"]).sublayer)
                yield context.word_attention, sublayer.attention
                yield context.sentence_attention, sublayer.attention

    def encode(self, source: Packed) -> Memory:
        memory = super().encode(source)
        if self.source_context is None:
            return memory
        return replace(memory, states=self.source_context(memory.states, FullPass(source)))

    def decode(self, tokens: Tensor, view: View) -> Tensor:
        x = self.decode_alone(tokens, view)
        return x if self.target_context is None else self.target_context(x, view)

    def decode_alone(self, tokens: Tensor, view: View) -> Tensor:
        """A copy without the sentences before."""
        return self.decoder_norm(super().decode(tokens, view))

    def readout(self, x: Tensor) -> Tensor:
        """They are normalized before hierarchical attention."""
        return x

    def read_translations(self, target: Packed, memory: Memory) -> Tensor:
        """The states of translated sentences before hierarchical attention: (N_target, d_model)."""
        return self.decode_alone(target.tokens, FullPass(target, memory))
