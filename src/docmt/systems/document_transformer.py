"""The Document Transformer (Zhang et al. 2018, "Improving the Transformer Translation Model with
Document-Level Context").

A context encoder of N_c layers reads the source sentences before the one that is translated, as one
row X_c. Every layer of the encoder and of the decoder looks at what comes of it, C, between its
self-attention and what follows there:

    encoder  B = MultiHead(X, X, X),  D = MultiHead(B, C, C),  FFN(D)
    decoder  E = MultiHead(Y, Y, Y),  F = MultiHead(E, C, C),  G = MultiHead(F, S, S),  FFN(G)

where S is the encoder's output. A gate stands in the place of the residual sum around attention to
the context:

    Gating(H) = λ ⊙ H + (1 − λ) ⊙ SubLayer(H),  λ = σ(W_i H + W_s SubLayer(H))

A sentence without context passes attention to the context by.

Shapes: N tokens, W d_model; in steps R rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import torch
from pydantic import model_validator
from torch import Tensor, nn

from docmt.nn.attention import MultiHeadAttention, Read, Scope, ScopedAttention
from docmt.nn.batch import Encoded, Packed
from docmt.nn.incremental.state import DecodingState, Memory
from docmt.nn.layers import DecoderLayer, EncoderLayer, NormOrder
from docmt.nn.spans import Spans
from docmt.settings import PositiveInt
from docmt.systems.settings import EncoderDecoderSettings
from docmt.systems.transformer import (
    EncoderDecoder,
    around,
    feed_forward,
    last_norm,
    plain_decoder_layer,
    plain_encoder_layer,
)

CONTEXT = "context"
"""The name of the context among all that is encoded."""


class DocumentTransformerSettings(EncoderDecoderSettings):
    """The Document Transformer (Zhang et al. 2018)."""

    name: Literal["document-transformer"] = "document-transformer"
    """Name of the system."""

    context_layers: PositiveInt = 1
    """Number of layers of the context encoder (N_c in the paper)."""

    encoder_context: bool = True
    """Add context attention to every encoder layer."""

    decoder_context: bool = True
    """Add context attention to every decoder layer."""

    @model_validator(mode="after")
    def context_layers_count(self) -> DocumentTransformerSettings:
        """Check that some layers look at what the context encoder makes; that either do is enough,
        which `only_with` cannot say."""
        usual = type(self).model_fields["context_layers"].default
        if self.context_layers != usual and not (self.encoder_context or self.decoder_context):
            raise ValueError(
                f"context_layers: {self.context_layers} has no effect with encoder_context: false "
                "and decoder_context: false; leave it out, or set one of them to true"
            )
        return self


class ContextAttention(nn.Module):
    """Attention to the context, with a gate in the place of the residual sum."""

    def __init__(self, d_model: int, heads: int, *, norm_order: NormOrder) -> None:
        super().__init__()
        self.norm_order = norm_order
        self.attention = MultiHeadAttention(d_model, heads)
        self.gate = nn.Linear(2 * d_model, d_model, bias=False)  # W_i and W_s
        nn.init.xavier_uniform_(self.gate.weight)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, context: Encoded, instances: Spans) -> Tensor:
        """States x, (N, W), of these instances, which have this context: (N, W)."""
        y = self.attention(self.before(x), context.states, instances, context.spans)
        return self.join(x, y, (context.spans.lengths > 0)[instances.index])

    def step(self, x: Tensor, cache: DecodingState) -> Tensor:
        """One new token a row: (R, W) to (R, W)."""
        y = self.attention.step_instance(self.before(x), cache, CONTEXT)
        there = cache.memory.encoded(CONTEXT).spans.lengths[cache.open] > 0
        return self.join(x, y, there.repeat_interleave(len(x) // len(there)))

    def before(self, x: Tensor) -> Tensor:
        """What attention is given of x, (N, W)."""
        return self.norm(x) if self.norm_order == "pre" else x

    def join(self, x: Tensor, y: Tensor, there: Tensor) -> Tensor:
        """The gate-sum of x and y, (N, W), where a context is `there`, (N,), and x elsewhere."""
        y = self.norm(y) if self.norm_order == "output" else y
        gate = torch.sigmoid(self.gate(torch.cat([x, y], dim=-1)))
        joined = gate * x + (1 - gate) * y
        joined = self.norm(joined) if self.norm_order == "post" else joined
        return torch.where(there[:, None], joined, x)


class ContextEncoderLayer(EncoderLayer):
    """Self-attention, attention to the context, and feed-forward."""

    def __init__(self, settings: EncoderDecoderSettings, scope: Scope) -> None:
        d_model, heads = settings.d_model, settings.heads
        super().__init__(
            ScopedAttention(d_model, heads, scope), feed_forward(settings), **around(settings)
        )
        self.context = ContextAttention(d_model, heads, norm_order=settings.norm)

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        """States x, (N, W), of the source of a memory that is being made: (N, W)."""
        source = memory.source
        x = self.around_self(x, lambda x: self.self_attention(x, x, source, source))
        x = self.context(x, memory.encoded(CONTEXT), source.instances)
        return self.around_feed_forward(x, self.feed_forward)


class ContextDecoderLayer(DecoderLayer):
    """Self-attention, attention to the context, cross-attention, and feed-forward."""

    def __init__(self, settings: EncoderDecoderSettings, scope: Scope, cross: Scope) -> None:
        d_model, heads = settings.d_model, settings.heads
        mixers = ScopedAttention(d_model, heads, scope), ScopedAttention(d_model, heads, cross)
        super().__init__(*mixers, feed_forward(settings), **around(settings))
        self.context = ContextAttention(d_model, heads, norm_order=settings.norm)

    def forward(
        self, x: Tensor, memory: Memory, target: Packed, read: Read | None = None
    ) -> Tensor:
        """States x, (N_target, W), given what is encoded: (N_target, W)."""
        x = self.around_self(
            x, lambda x: self.self_attention(x, x, target, target, causal=True, read=read)
        )
        x = self.context(x, memory.encoded(CONTEXT), target.instances)
        x = self.around_cross(x, lambda x: self.cross(x, memory, target))
        return self.around_feed_forward(x, self.feed_forward)

    def step(self, x: Tensor, cache: DecodingState) -> Tensor:
        """States x, (R, W), of one new token a row: (R, W)."""
        x = self.around_self(x, lambda x: self.self_attention.step_self(x, cache))
        x = self.context.step(x, cache)
        x = self.around_cross(x, lambda x: self.step_cross(x, cache))
        return self.around_feed_forward(x, self.feed_forward)


class DocumentTransformer(EncoderDecoder):
    """A sentence Transformer whose layers look at the sentences before."""

    instance_kinds = ("sentence",)
    one_pass = False
    reads_context = True

    def __init__(
        self, settings: DocumentTransformerSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        encoder: list[Scope] = ["group"] * settings.layers
        decoder: list[Scope] = ["group"] * settings.layers_of_decoder
        super().__init__(
            settings, source_vocabulary, target_vocabulary,
            encoder_scopes=encoder, decoder_scopes=decoder, cross_scopes=decoder,
            count_positions="sentence",
            encoder_layer=ContextEncoderLayer if settings.encoder_context else plain_encoder_layer,
            decoder_layer=ContextDecoderLayer if settings.decoder_context else plain_decoder_layer,
        )  # fmt: skip
        self.context_encoder: nn.ModuleList | None = None
        if settings.encoder_context or settings.decoder_context:
            self.context_encoder = nn.ModuleList(
                plain_encoder_layer(settings, "global") for _ in range(settings.context_layers)
            )
            self.context_norm = last_norm(settings)

    def encode(self, source: Packed) -> Memory:
        """Read the source of a batch of instances and their context, once each."""
        return self.encode_beside(source, self.encode_context(source))

    def encode_context(self, source: Packed) -> Mapping[str, Encoded]:
        """The encoded context of these instances, by its name; nothing if no layer looks at it."""
        if self.context_encoder is None:
            return {}
        context = source.context
        assert context is not None, "instances are packed with their context"
        x = self.embed(self.source_embedding, context.tokens, context.positions)
        for layer in self.context_encoder:
            x = layer(x, Memory(context, x))
        return {CONTEXT: Encoded(self.context_norm(x), context.instances)}
