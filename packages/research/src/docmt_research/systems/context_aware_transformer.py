"""The context-aware Transformer of Voita et al. 2018 ("Context-Aware Neural Machine Translation
Learns Anaphora Resolution").

A sentence is translated given the source sentence before it. The encoders of both share all layers
but the last. In the last one of the source, c^s comes from self-attention and c^c from attention to
what the encoder of the context has made, and a gate adds them up instead of c^s:

    g_i = σ(W_g [c_i^s; c_i^c] + b_g)
    c_i = g_i ⊙ c_i^s + (1 − g_i) ⊙ c_i^c

The context begins with a token of its own, by which the layers that are shared know it. The decoder
is that of the Transformer. A sentence without context passes the gate by.

Shapes: N tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal, cast

import torch
from torch import Tensor, nn

from docmt_nmt.nn.attention import MultiHeadAttention, SelfAttention
from docmt_nmt.nn.batch import Encoded, Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.gates import GateProjection, gated_sum
from docmt_nmt.nn.layers import Layer, Residual
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import View
from docmt_nmt.systems.system_settings import Context, EncoderDecoderSettings
from docmt_nmt.systems.transformer import EncoderDecoder, encoder_layer, last_norm, residual

CONTEXT = "context"
"""The name of the context among all that is encoded."""


class ContextAwareTransformerSettings(EncoderDecoderSettings):
    """The context-aware Transformer (Voita et al. 2018)."""

    name: Literal["context-aware-transformer"] = "context-aware-transformer"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence",)
    outer_context: ClassVar[Context] = "previous"


class ContextAwareAttention(SelfAttention):
    """Self-attention and attention to the context, added up through a gate."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__(d_model, heads, "global")
        self.context_attention = MultiHeadAttention(d_model, heads)
        self.context_gate = GateProjection(d_model)  # W_g and b_g

    def forward(self, x: Tensor, view: View) -> Tensor:
        context = view.auxiliary(CONTEXT)
        assert context is not None, "the context is encoded"
        own_sentence, from_context = super().forward(x, view), self.context_attention(x, context)
        return gated_sum(self.context_gate, own_sentence, from_context, context.has_keys(x))


class ContextAwareTransformer(EncoderDecoder):
    """A sentence Transformer whose last encoder layer looks at the sentence before."""

    settings_class = ContextAwareTransformerSettings

    def __init__(
        self,
        settings: ContextAwareTransformerSettings,
        source_vocabulary: int,
        target_vocabulary: int,
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        last = cast(Layer, self.encoder[-1])
        last["self_attention"] = residual(
            settings, ContextAwareAttention(settings.d_model, settings.heads)
        )
        self.context_layer = encoder_layer(settings, "global")
        self.context_norm = last_norm(settings)
        # What its first token has that the same token of a source sentence has not.
        self.context_begin = nn.Parameter(torch.empty(settings.d_model))
        nn.init.normal_(self.context_begin, std=settings.d_model**-0.5)

    def twins(self) -> Iterator[tuple[nn.Module, nn.Module]]:
        last = cast(Layer, self.encoder[-1])
        attention = cast(ContextAwareAttention, cast(Residual, last["self_attention"]).sublayer)
        yield attention.context_attention, attention.attention
        yield self.context_layer, last
        yield self.context_norm, self.encoder_norm

    def encode(self, source: Packed) -> Memory:
        assert source.context is not None, "instances are packed with their context"
        return self.encode_with(source, {CONTEXT: self.encode_context(source.context)})

    def encode_context(self, context: Packed) -> Encoded:
        """Return what the encoder of the context makes of it."""
        view = FullPass(context)
        x = self.embed(self.source_embedding, context.tokens, view.positions("instance"))
        spans = context.instances
        first = to_device(spans.host_offsets[:-1][spans.host_lengths > 0], x.device)
        x = x.index_add(0, first, self.context_begin.to(x.dtype).expand(len(first), -1))
        for layer in self.encoder[:-1]:
            x = layer(x, view)
        return Encoded(self.context_norm(self.context_layer(x, view)), spans)
