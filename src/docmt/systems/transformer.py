"""The Transformer of Vaswani et al. 2017, over whatever an instance is.

Attention (Bao et al. 2021, Eq. 4 and 11):

    Attention(Q, K, V) = softmax(QKᵀ / √d_k) V

Over single sentences it is the sentence-level baseline of all papers, over windows the
concatenation baseline, over 512 tokens or whole documents the document-level baseline.

Shapes: N tokens, W d_model, V vocabulary; in steps R rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from docmt.nn.attention import Read, Scope, ScopedAttention
from docmt.nn.autocast import in_autocast_format
from docmt.nn.batch import Batch, Encoded, Packed
from docmt.nn.incremental.state import DecodingState, Memory
from docmt.nn.kernels.dropout import dropout
from docmt.nn.layers import DecoderLayer, Embedding, EncoderLayer, FeedForward
from docmt.systems.base import System
from docmt.systems.settings import EncoderDecoderSettings

CountPositions = Literal["instance", "sentence"]


class TransformerSettings(EncoderDecoderSettings):
    """The Transformer (Vaswani et al. 2017)."""

    name: Literal["transformer"] = "transformer"
    """Name of the system."""

    count_positions: CountPositions = "instance"
    """Where positions start again: at the beginning of each `instance` or of each `sentence`."""


def feed_forward(settings: EncoderDecoderSettings) -> FeedForward:
    """The feed-forward part of a layer."""
    return FeedForward(settings.d_model, settings.ffn_dim, settings.activation)


def around(settings: EncoderDecoderSettings) -> dict[str, Any]:
    """What a layer is told of the sums around its sublayers."""
    return {
        "d_model": settings.d_model,
        "dropout": settings.dropout,
        "norm_order": settings.norm,
    }


def last_norm(settings: EncoderDecoderSettings) -> nn.Module:
    """What follows the last layer: before-norm leaves its sum unnormalised."""
    before = settings.norm == "pre"
    return nn.LayerNorm(settings.d_model) if before else nn.Identity()


def plain_encoder_layer(settings: EncoderDecoderSettings, scope: Scope) -> EncoderLayer:
    """An encoder layer whose self-attention has this scope."""
    return EncoderLayer(
        ScopedAttention(settings.d_model, settings.heads, scope),
        feed_forward(settings),
        **around(settings),
    )


def plain_decoder_layer(
    settings: EncoderDecoderSettings, scope: Scope, cross: Scope
) -> DecoderLayer:
    """A decoder layer whose self-attention and cross-attention have these scopes."""
    return DecoderLayer(
        ScopedAttention(settings.d_model, settings.heads, scope),
        ScopedAttention(settings.d_model, settings.heads, cross),
        feed_forward(settings),
        **around(settings),
    )


class EncoderDecoder(System):
    """An encoder and a decoder whose layers differ in the scope of their attention.

    Args:
        settings: the sizes and the form.
        source_vocabulary, target_vocabulary: numbers of types; equal if embeddings are shared.
        encoder_scopes: scope of self-attention in each encoder layer, from the bottom.
        decoder_scopes: the same for the decoder.
        cross_scopes: scope of cross-attention in each decoder layer, from the bottom.
        count_positions: where positions are counted from.
        encoder_layer, decoder_layer: what makes a layer of the sizes and the scopes of its
            attention.
    """

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence", "window", "tokens", "whole")

    def __init__(
        self,
        settings: EncoderDecoderSettings,
        source_vocabulary: int,
        target_vocabulary: int,
        *,
        encoder_scopes: Sequence[Scope],
        decoder_scopes: Sequence[Scope],
        cross_scopes: Sequence[Scope],
        count_positions: CountPositions = "instance",
        encoder_layer: Callable[
            [EncoderDecoderSettings, Scope], EncoderLayer
        ] = plain_encoder_layer,
        decoder_layer: Callable[
            [EncoderDecoderSettings, Scope, Scope], DecoderLayer
        ] = plain_decoder_layer,
    ) -> None:
        super().__init__()
        d_model = settings.d_model
        self.dropout, self.count_positions = settings.dropout, count_positions
        form: dict[str, Any] = {
            "positions": settings.positions,
            "max_positions": settings.max_positions,
            "scale": settings.scale_embeddings,
            "normalize": settings.normalize_embeddings,
        }
        self.target_embedding = Embedding(target_vocabulary, d_model, **form)
        if settings.share_embeddings:
            assert source_vocabulary == target_vocabulary, "shared embeddings, one vocabulary"
        table = self.target_embedding.table if settings.share_embeddings else None
        self.source_embedding = Embedding(source_vocabulary, d_model, table=table, **form)
        self.encoder = nn.ModuleList(encoder_layer(settings, s) for s in encoder_scopes)
        self.decoder = nn.ModuleList(
            decoder_layer(settings, scope, cross)
            for scope, cross in zip(decoder_scopes, cross_scopes, strict=True)
        )
        self.encoder_norm = last_norm(settings)
        self.decoder_norm = last_norm(settings)
        self.output = None
        if not settings.share_output:
            self.output = nn.Linear(d_model, target_vocabulary, bias=False)
            nn.init.normal_(self.output.weight, std=d_model**-0.5)
        biases = torch.zeros(target_vocabulary) if settings.output_bias else None
        self.score_bias = None if biases is None else nn.Parameter(biases)

    def positions(self, row: Packed) -> Tensor:
        """(N,) each token's place, from 0, in what positions are counted in."""
        return row.positions if self.count_positions == "instance" else row.sentences.positions

    def embed(self, embedding: Embedding, tokens: Tensor, positions: Tensor) -> Tensor:
        """(N,) tokens at (N,) positions: (N, W)."""
        x = in_autocast_format(embedding(tokens, positions))
        return dropout(x, self.dropout, self.training)

    def encode(self, source: Packed) -> Memory:
        """Read the source of a batch of instances, once each."""
        return self.encode_beside(source, {})

    def encode_beside(self, source: Packed, beside: Mapping[str, Encoded]) -> Memory:
        """Read the source of a batch of instances, given what was encoded beside it."""
        x = self.embed(self.source_embedding, source.tokens, self.positions(source))
        memory = Memory(source, x, beside)
        for layer in self.encoder:
            x = layer(x, memory)
        memory.states = self.encoder_norm(x)
        return memory

    def states(self, batch: Batch) -> Tensor:
        """The decoder's states after each target position: (N_target, W)."""
        return self.decoder_norm(self.read(self.encode(batch.source), batch.target))

    @property
    def output_weight(self) -> Tensor:
        """The target embeddings, or a table of its own: (V, W)."""
        return (self.output or self.target_embedding.table).weight

    @property
    def output_bias(self) -> Tensor | None:
        """What is added to the scores, (V,), if anything."""
        return self.score_bias

    def read(self, memory: Memory, target: Packed, read: Read | None = None) -> Tensor:
        """States after each target position, (N_target, W), that `logits` scores. The keys and
        values of self-attention are put into `read`."""
        x = self.embed(self.target_embedding, target.tokens, self.positions(target))
        for layer in self.decoder:
            x = layer(x, memory, target, read)
        return x

    def step(self, tokens: Tensor, cache: DecodingState) -> Tensor:
        """Logits, (R, V), after one more token, (R,), of every open hypothesis."""
        cache.advance(tokens)
        by_instance = self.count_positions == "instance"
        positions = cache.positions if by_instance else cache.positions_in_sentence
        x = self.embed(self.target_embedding, tokens, positions)
        for layer in self.decoder:
            assert isinstance(layer, DecoderLayer)
            x = layer.step(x, cache)
        return self.logits(x)

    def logits(self, x: Tensor) -> Tensor:
        """What `read` gives, (N, W), scored against the vocabulary: (N, V)."""
        return self.scores(self.decoder_norm(x))

    def forward(self, batch: Batch) -> Tensor:
        """Logits after each target position: (N_target, V)."""
        return self.scores(self.states(batch))

    def scores(self, x: Tensor) -> Tensor:
        """States, (N, W), scored against the vocabulary: (N, V)."""
        scores = self.target_embedding.scores(x) if self.output is None else self.output(x)
        return scores if self.score_bias is None else scores + self.score_bias


class Transformer(EncoderDecoder):
    """All attention runs over the instance. It can also learn to write a masked sentence (Zhang et
    al. 2020, "PEGASUS"), which makes its encoder one that others can use."""

    instance_kinds = (*EncoderDecoder.instance_kinds, "masked")

    def __init__(
        self, settings: TransformerSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        encoder: list[Scope] = ["global"] * settings.layers
        decoder: list[Scope] = ["global"] * settings.layers_of_decoder
        super().__init__(
            settings, source_vocabulary, target_vocabulary,
            encoder_scopes=encoder, decoder_scopes=decoder, cross_scopes=decoder,
            count_positions=settings.count_positions,
        )  # fmt: skip
