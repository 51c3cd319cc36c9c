"""The Transformer of Vaswani et al. 2017, over whatever an instance is.

Attention (Bao et al. 2021, Eq. 4 and 11):

    Attention(Q, K, V) = softmax(QKᵀ / √d_k) V

Over single sentences it is the sentence-level baseline of all papers, over windows the
concatenation baseline, over 512 tokens or whole documents the document-level baseline.

Shapes: N tokens, V tokens of the vocabulary; in steps R hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from docmt_nmt.nn.attention import (
    CrossAttention,
    MultiHeadAttention,
    Scope,
    ScopedAttention,
    SelfAttention,
)
from docmt_nmt.nn.autocast import in_autocast_format
from docmt_nmt.nn.batch import Encoded, Memory, Packed
from docmt_nmt.nn.choices import CountPositions, SequenceUnit
from docmt_nmt.nn.embeddings import Embedding
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.layers import FeedForward, Layer, Residual
from docmt_nmt.nn.ssru import SSRU
from docmt_nmt.nn.views import Positions, View
from docmt_nmt.systems.system import EmbeddingSystem, output_layer
from docmt_nmt.systems.system_settings import EncoderDecoderSettings
from docmt_nmt.systems.transformer_settings import TransformerSettings


def residual(settings: EncoderDecoderSettings, sublayer: nn.Module) -> Residual:
    """A sublayer with what surrounds it."""
    return Residual(sublayer, settings.d_model, dropout=settings.dropout, norm_order=settings.norm)


def feed_forward(settings: EncoderDecoderSettings) -> Residual:
    """The feed-forward sublayer."""
    return residual(settings, FeedForward(settings.d_model, settings.ffn_dim, settings.activation))


def last_norm(settings: EncoderDecoderSettings) -> nn.Module:
    """Return what follows the last layer: pre-norm leaves its sum unnormalized."""
    return nn.LayerNorm(settings.d_model) if settings.norm == "pre" else nn.Identity()


def encoder_layer(
    settings: EncoderDecoderSettings, scope: Scope, *, attention: MultiHeadAttention | None = None
) -> Layer:
    """Self-attention of this scope, which may be shared with another layer, and feed-forward."""
    self_attention = SelfAttention(settings.d_model, settings.heads, scope, attention=attention)
    return Layer(
        {
            "self_attention": residual(settings, self_attention),
            "feed_forward": feed_forward(settings),
        }
    )


def past_words(settings: EncoderDecoderSettings, scope: Scope) -> dict[str, Residual]:
    """The sublayer of a decoder that reads the words so far: self-attention of this scope, or a
    recurrence."""
    if settings.decoder_recurrence == "ssru":
        seen: SequenceUnit = "sentence" if scope == "group" else "instance"
        recurrence = SSRU(settings.d_model, settings.recurrence_unit or seen)
        return {"recurrence": residual(settings, recurrence)}
    attention = SelfAttention(settings.d_model, settings.heads, scope)
    return {"self_attention": residual(settings, attention)}


def decoder_layer(
    settings: EncoderDecoderSettings,
    scope: Scope,
    cross_scope: Scope,
    *,
    cross: type[CrossAttention] = CrossAttention,
) -> Layer:
    """Causal self-attention or a recurrence, and cross-attention, of these scopes, and
    feed-forward."""
    sizes = settings.d_model, settings.heads
    return Layer(
        {
            **past_words(settings, scope),
            "cross_attention": residual(settings, cross(*sizes, cross_scope)),
            "feed_forward": feed_forward(settings),
        }
    )


class EncoderDecoder(EmbeddingSystem):
    """An encoder and a decoder whose layers differ in the scope of their attention.

    Args:
        encoder_scopes: scope of self-attention in each encoder layer, from the bottom; default:
            `scope` in all.
        decoder_scopes: the same for the decoder.
        cross_scopes: scope of cross-attention in each decoder layer, from the bottom.
        count_positions: where positions are counted from; default: as the class says.

    Attributes:
        scope: the scope of all attention that is given no other.
        count_positions: where positions are counted from.
    """

    scope: ClassVar[Scope] = "global"
    count_positions: CountPositions = "instance"

    def __init__(
        self,
        settings: EncoderDecoderSettings,
        source_vocabulary: int,
        target_vocabulary: int,
        *,
        encoder_scopes: Sequence[Scope] | None = None,
        decoder_scopes: Sequence[Scope] | None = None,
        cross_scopes: Sequence[Scope] | None = None,
        count_positions: CountPositions | None = None,
    ) -> None:
        super().__init__()
        d_model = settings.d_model
        self.dropout = settings.dropout
        if count_positions is not None:
            self.count_positions = count_positions
        form: dict[str, Any] = {
            "positions": settings.positions,
            "max_positions": settings.max_positions,
            "scale": settings.scale_embeddings,
            "normalize": settings.normalize_embeddings,
        }
        own_form = {} if settings.target_embeddings == "sinusoidal" else form
        self.target_embedding = Embedding(target_vocabulary, d_model, **own_form)
        if settings.share_embeddings:
            assert source_vocabulary == target_vocabulary, "shared embeddings, one vocabulary"
        table = self.target_embedding.table if settings.share_embeddings else None
        segments = 2 if settings.segment_embeddings else 0
        self.source_embedding = Embedding(
            source_vocabulary, d_model, table=table, segments=segments, **form
        )
        encoder = encoder_scopes or [self.scope] * settings.layers
        decoder, cross_attention = (
            scopes or [self.scope] * settings.layers_of_decoder
            for scopes in (decoder_scopes, cross_scopes)
        )
        self.encoder = nn.ModuleList(self.encoder_layer(settings, scope) for scope in encoder)
        self.decoder = nn.ModuleList(
            self.decoder_layer(settings, scope, cross)
            for scope, cross in zip(decoder, cross_attention, strict=True)
        )
        self.encoder_norm = last_norm(settings)
        self.decoder_norm = last_norm(settings)
        self.output = None if settings.share_output else output_layer(d_model, target_vocabulary)
        biases = torch.zeros(target_vocabulary) if settings.output_bias else None
        self.score_bias = None if biases is None else nn.Parameter(biases)

    def encoder_layer(self, settings: Any, scope: Scope) -> Layer:
        """A layer of the encoder."""
        return encoder_layer(settings, scope)

    def decoder_layer(self, settings: Any, scope: Scope, cross_scope: Scope) -> Layer:
        """A layer of the decoder."""
        return decoder_layer(settings, scope, cross_scope)

    def twins(self) -> Iterator[tuple[nn.Module, nn.Module]]:
        for module in self.modules():
            if isinstance(module, ScopedAttention) and module.scope == "combined":
                yield module.global_attention, module.attention

    @property
    def target_positions(self) -> tuple[int, CountPositions] | None:
        learned = self.target_embedding.learned
        return None if learned is None else (learned.num_embeddings, self.count_positions)

    def embed(
        self,
        embedding: Embedding,
        tokens: Tensor,
        positions: Positions,
        segments: Tensor | None = None,
    ) -> Tensor:
        """(N,) tokens at their positions and of their segments: (N, d_model)."""
        x = in_autocast_format(embedding(tokens, positions, segments))
        return dropout(x, self.dropout, self.training)

    def encode(self, source: Packed) -> Memory:
        return self.encode_with(source, {})

    def encode_with(self, source: Packed, auxiliary: Mapping[str, Encoded]) -> Memory:
        """Encode the source of a batch of instances, given context encodings."""
        view = FullPass(source, auxiliary=auxiliary)
        return Memory(source, self.encode_tokens(source.tokens, view), auxiliary)

    def encode_tokens(self, tokens: Tensor, view: View) -> Tensor:
        """The encoder's states, (N, d_model), of source tokens, (N,)."""
        x = self.embed(self.source_embedding, tokens, view.positions(self.count_positions))
        for layer in self.encoder:
            x = layer(x, view)
        return self.encoder_norm(x)

    def target_states(self, tokens: Tensor, view: View) -> Tensor:
        return self.readout(self.decode(tokens, view))

    def decode(self, tokens: Tensor, view: View) -> Tensor:
        """The states of the last layer, (N, d_model), given target tokens, (N,), whether a view is
        of all of them or of one new token of every hypothesis."""
        x = self.embed(self.target_embedding, tokens, view.positions(self.count_positions))
        for layer in self.decoder:
            x = layer(x, view)
        return x

    def readout(self, x: Tensor) -> Tensor:
        """States of `decode`, as the vocabulary is scored against them: (N, d_model)."""
        return self.decoder_norm(x)


class SentenceEncoderDecoder(EncoderDecoder):
    """Its layers see one sentence each, as a sentence-level Transformer's; a system that builds on
    it adds what sees other sentences."""

    scope = "group"
    count_positions = "sentence"


class Transformer(EncoderDecoder):
    """All attention runs over the instance. It can also learn to write a masked sentence (Zhang et
    al. 2020, "PEGASUS"), which makes its encoder one that others can use."""

    settings_class = TransformerSettings

    numbers_instances = True
    refills_batches = True

    def __init__(
        self, settings: TransformerSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(
            settings, source_vocabulary, target_vocabulary, count_positions=settings.count_positions
        )
