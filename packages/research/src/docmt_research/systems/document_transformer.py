"""The Document Transformer (Zhang et al. 2018, "Improving the Transformer Translation Model with
Document-Level Context").

A context encoder of N_c layers reads the source sentences before the one that is translated, as one
row X_c. Every layer of the encoder and of the decoder looks at what comes of it, C, between its
self-attention and what follows there:

    encoder  B = MultiHead(X, X, X),  D = MultiHead(B, C, C),  FFN(D)
    decoder  E = MultiHead(Y, Y, Y),  F = MultiHead(E, C, C),  G = MultiHead(F, S, S),  FFN(G)

where S is the encoder's output. A gate stands instead of the residual sum around attention to
the context:

    Gating(H) = λ ⊙ H + (1 − λ) ⊙ SubLayer(H),  λ = σ(W_i H + W_s SubLayer(H))

A sentence without context passes attention to the context by.

Shapes: N tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal, cast

from pydantic import model_validator
from torch import Tensor, nn

from docmt_nmt.base.settings import LayerCount
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.attention import MultiHeadAttention, Scope
from docmt_nmt.nn.batch import Encoded, Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.gates import GateProjection, gated_sum
from docmt_nmt.nn.layers import Layer, Residual
from docmt_nmt.nn.views import View
from docmt_nmt.systems.system_settings import Context, EncoderDecoderSettings
from docmt_nmt.systems.transformer import SentenceEncoderDecoder, encoder_layer, last_norm

CONTEXT = "context"
"""The name of the context among all that is encoded."""


class DocumentTransformerSettings(EncoderDecoderSettings):
    """The Document Transformer (Zhang et al. 2018)."""

    name: Literal["document-transformer"] = "document-transformer"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence",)
    writing_order: ClassVar[WritingOrder] = WritingOrder.ALONE
    outer_context: ClassVar[Context] = "previous"

    context_layers: LayerCount = 1
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


class GatedContextAttention(nn.Module):
    """Attention to the context, with a gate instead of the residual sum.

    Args:
        settings: the sizes and the order of normalization.
    """

    def __init__(self, settings: EncoderDecoderSettings) -> None:
        super().__init__()
        d_model = settings.d_model
        self.norm_order = settings.norm
        self.attention = MultiHeadAttention(d_model, settings.heads)
        self.gate = GateProjection(d_model, bias=False)  # W_i and W_s
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model); a token without context stays as it is."""
        context = view.auxiliary(CONTEXT)
        assert context is not None, "the context is encoded"
        y = self.attention(self.norm(x) if self.norm_order == "pre" else x, context)
        return self.combine(x, y, context.has_keys(x))

    def combine(self, x: Tensor, y: Tensor, has_context: Tensor) -> Tensor:
        """The gate-sum of x and y, (N, d_model), where there is context, (N,), and x elsewhere."""
        y = self.norm(y) if self.norm_order == "output" else y
        norm = self.norm if self.norm_order == "post" else None
        return gated_sum(self.gate, x, y, has_context, norm=norm)


def with_context(settings: EncoderDecoderSettings, layer: Layer) -> Layer:
    """The layer with attention to the context after its self-attention."""
    return layer.inserted_after("self_attention", context_attention=GatedContextAttention(settings))


class DocumentTransformer(SentenceEncoderDecoder):
    """A sentence Transformer whose layers look at the sentences before."""

    settings_class = DocumentTransformerSettings

    def __init__(
        self, settings: DocumentTransformerSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.context_encoder: nn.ModuleList | None = None
        if settings.encoder_context or settings.decoder_context:
            self.context_encoder = nn.ModuleList(
                encoder_layer(settings, "global") for _ in range(settings.context_layers)
            )
            self.context_norm = last_norm(settings)

    def encoder_layer(self, settings: DocumentTransformerSettings, scope: Scope) -> Layer:
        layer = super().encoder_layer(settings, scope)
        return with_context(settings, layer) if settings.encoder_context else layer

    def decoder_layer(
        self, settings: DocumentTransformerSettings, scope: Scope, cross_scope: Scope
    ) -> Layer:
        layer = super().decoder_layer(settings, scope, cross_scope)
        return with_context(settings, layer) if settings.decoder_context else layer

    def twins(self) -> Iterator[tuple[nn.Module, nn.Module]]:
        """The layers of the context encoder with those of the encoder; attention to the context
        with attention to what is encoded likewise: self-attention, and cross-attention in the
        decoder."""
        if self.context_encoder is None:
            return
        yield from zip(self.context_encoder, self.encoder, strict=False)
        yield self.context_norm, self.encoder_norm
        for layers, name in (self.encoder, "self_attention"), (self.decoder, "cross_attention"):
            for layer in cast(Iterator[Layer], layers):
                if "context_attention" in layer:
                    context, trained = layer["context_attention"], cast(Residual, layer[name])
                    yield (
                        cast(nn.Module, context.attention),
                        cast(nn.Module, trained.sublayer.attention),
                    )
                    yield cast(nn.Module, context.norm), trained.norm

    def encode(self, source: Packed) -> Memory:
        return self.encode_with(source, self.encode_context(source))

    def encode_context(self, source: Packed) -> Mapping[str, Encoded]:
        """The encoded context of these instances, by its name; nothing if no layer looks at it."""
        if self.context_encoder is None:
            return {}
        context = source.context
        assert context is not None, "instances are packed with their context"
        view = FullPass(context)
        x = self.embed(self.source_embedding, context.tokens, view.positions("instance"))
        for layer in self.context_encoder:
            x = layer(x, view)
        return {CONTEXT: Encoded(self.context_norm(x), context.instances)}
