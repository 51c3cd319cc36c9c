"""SAN: selective attention to the document (Maruf et al. 2019, "Selective Attention for
Context-aware Neural Machine Translation").

A sentence-level Transformer encodes and writes each sentence. At its top each word attends to the
other sentences of the document, first by sparsemax to sentences and then to their words
(`docmt_research.nn.selective`); what it finds passes a feed-forward sublayer, with no residual
sums, and a gate. With h_t the state of a word, q_t what it asks with and Att that attention,

    c_t = LayerNorm(FFN(LayerNorm(Att(q_t))))
    λ_t = σ(W_s h_t + W_c c_t),  h̃_t = λ_t h_t + (1 − λ_t) c_t

Monolingual context: in the encoder h and q are its output, and so are the keys and values of other
sentences. Bilingual context: in the decoder h is its output and q that of its last cross-attention;
the keys of other sentences are made of q, which saw the source, and the values of h, of their draft
translations. Online, a sentence sees those before it; offline, all others.

Shapes: N tokens; in steps N = R hypotheses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal, cast

import torch
from torch import Tensor, nn

from docmt_nmt.base.settings import Conditions
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.gates import GateProjection, gated_sum
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.layers import FeedForward, Layer
from docmt_nmt.nn.views import View
from docmt_nmt.systems.system_settings import EncoderDecoderSettings
from docmt_nmt.systems.transformer import SentenceEncoderDecoder, last_norm
from docmt_research.nn.reaches import OtherSentences
from docmt_research.nn.selective import ContextLevel, SelectiveAttention, WordWeights


class SANSettings(EncoderDecoderSettings):
    """Selective attention networks over the document (Maruf et al. 2019)."""

    name: Literal["san"] = "san"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("tokens", "whole")
    writing_order: ClassVar[WritingOrder] = WritingOrder.ALONE

    integration: Literal["encoder", "decoder"] = "encoder"
    """Side on which other sentences are attended to: source sentences in the `encoder` (monolingual
    context), or draft translations in the `decoder` (bilingual context)."""

    context: Literal["online", "offline"] = "online"
    """Other sentences of the document that are attended to: those before (`online`), or all
    (`offline`)."""

    context_attention: ContextLevel = "hierarchical"
    """Attention to other sentences. `hierarchical`: to sentences by sparsemax, then to the words of
    each. `sentence`: to the mean of each sentence by softmax. `word`: to all words by softmax."""

    word_weights: WordWeights = "softmax"
    """Function by which hierarchical attention distributes the weight of a sentence over its
    words."""

    context_gradient: bool = False
    """Let the gradient pass through the attention into the states of other sentences. If false,
    these are constant, as in the published code."""

    only_with: ClassVar[Conditions] = {
        **EncoderDecoderSettings.only_with,
        "word_weights": {"context_attention": ("hierarchical",)},
    }


class ContextLayer(nn.Module):
    """Selective attention, the feed-forward sublayer and the gate."""

    def __init__(self, settings: SANSettings) -> None:
        super().__init__()
        d_model = settings.d_model
        self.past_only, self.gradient = settings.context == "online", settings.context_gradient
        self.dropout = settings.dropout
        self.attention = SelectiveAttention(
            d_model, settings.heads, settings.context_attention, settings.word_weights
        )
        self.attention_norm = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, settings.ffn_dim, settings.activation)
        self.feed_forward_norm = nn.LayerNorm(d_model)
        self.gate = GateProjection(d_model, bias=False)  # W_s and W_c

    def forward(self, h: Tensor, query: Tensor, states: Tensor, view: View) -> Tensor:
        """The enriched states.

        Args:
            h: (N, d_model) the states; a word without other sentences keeps its own.
            query: (N, d_model) what they attend with.
            states: (N, d_model or 2 d_model) what keys and values of other sentences are made of;
                see `SelectiveAttention.keys_and_values`.
            view: what gives the other sentences.

        Returns:
            (N, d_model)
        """
        others = view.look(
            OtherSentences(self.past_only), states if self.gradient else states.detach()
        )
        context = dropout(self.attention(query, others), self.dropout, self.training)
        context = self.feed_forward(self.attention_norm(context))
        context = self.feed_forward_norm(dropout(context, self.dropout, self.training))
        return gated_sum(self.gate, h, context, others.has_keys(h))


class SAN(SentenceEncoderDecoder):
    """A sentence-level Transformer with selective attention to the document."""

    settings_class = SANSettings

    def __init__(
        self, settings: SANSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.source_context: ContextLayer | None = None
        self.target_context: ContextLayer | None = None
        if settings.integration == "encoder":
            self.source_context = ContextLayer(settings)
        else:
            self.target_context = ContextLayer(settings)
            self.target_query_norm = last_norm(settings)
            self.writing_order = WritingOrder.AFTER_DRAFTS

    def encode(self, source: Packed) -> Memory:
        memory = super().encode(source)
        if self.source_context is None:
            return memory
        h = memory.states
        return replace(memory, states=self.source_context(h, h, h, FullPass(source)))

    def decode(self, tokens: Tensor, view: View) -> Tensor:
        if self.target_context is None:
            return self.decoder_norm(super().decode(tokens, view))
        query, h = self.decode_alone(tokens, view)
        return self.target_context(h, query, torch.cat([query, h], dim=1), view)

    def decode_alone(self, tokens: Tensor, view: View) -> tuple[Tensor, Tensor]:
        """Return what the last cross-attention and the decoder give without other sentences: (N,
        d_model) each."""
        x = self.embed(self.target_embedding, tokens, view.positions(self.count_positions))
        for layer in self.decoder[:-1]:
            x = layer(x, view)
        last = cast(Layer, self.decoder[-1])
        query = last["cross_attention"](last["self_attention"](x, view), view)
        h = self.decoder_norm(last["feed_forward"](query, view))
        return self.target_query_norm(query), h

    def readout(self, x: Tensor) -> Tensor:
        """They are normalized before they are enriched."""
        return x

    def read_translations(self, target: Packed, memory: Memory) -> Tensor:
        """Return what other sentences see of drafts: (N_target, 2 d_model)."""
        return torch.cat(self.decode_alone(target.tokens, FullPass(target, memory)), dim=1)
