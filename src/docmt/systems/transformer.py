"""The Transformer of Vaswani et al. 2017, over whatever an instance is.

Attention (Bao et al. 2021, Eq. 4 and 11):

    Attention(Q, K, V) = softmax(QKᵀ / √d_k) V

Over single sentences it is the sentence-level baseline of all papers, over windows the
concatenation baseline, over 512 tokens or whole documents the document-level baseline.

Shapes: N tokens, W width, V vocabulary; in steps R rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from torch import Tensor, nn

from docmt.batches.packing import Batch, Packed
from docmt.nn.cache import Memory, Steps
from docmt.nn.dropout import dropout
from docmt.nn.formats import in_autocast_format
from docmt.nn.layers import DecoderLayer, Embedding, EncoderLayer, FeedForward
from docmt.nn.mixers import Mixer, Read, Scope
from docmt.systems.base import System
from docmt.systems.settings import SizeSettings

CountPositions = Literal["instance", "sentence"]


class TransformerSettings(SizeSettings):
    """The Transformer (Vaswani et al. 2017)."""

    name: Literal["transformer"] = "transformer"
    """The system."""

    count_positions: CountPositions = "instance"
    """Where positions are counted from: the beginning of the `instance` or of the `sentence`."""


class EncoderDecoder(System):
    """An encoder and a decoder whose layers differ in the scope of their attention.

    Args:
        settings: the sizes.
        source_vocabulary, target_vocabulary: numbers of types; equal if embeddings are shared.
        encoder_scopes: scope of self-attention in each encoder layer, from the bottom.
        decoder_scopes: the same for the decoder.
        cross_scopes: scope of cross-attention in each decoder layer, from the bottom.
        count_positions: where positions are counted from.
    """

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence", "window", "tokens", "whole")

    def __init__(
        self,
        settings: SizeSettings,
        source_vocabulary: int,
        target_vocabulary: int,
        *,
        encoder_scopes: Sequence[Scope],
        decoder_scopes: Sequence[Scope],
        cross_scopes: Sequence[Scope],
        count_positions: CountPositions = "instance",
    ) -> None:
        super().__init__()
        width, heads, inner = settings.width, settings.heads, settings.feed_forward
        self.dropout, self.count_positions = settings.dropout, count_positions
        self.target_embedding = Embedding(target_vocabulary, width)
        if settings.share_embeddings:
            assert source_vocabulary == target_vocabulary, "shared embeddings, one vocabulary"
            self.source_embedding = self.target_embedding
        else:
            self.source_embedding = Embedding(source_vocabulary, width)
        self.encoder = nn.ModuleList(
            EncoderLayer(
                Mixer(width, heads, scope), FeedForward(width, inner),
                width=width, dropout=settings.dropout, normalise=settings.normalise,
            )
            for scope in encoder_scopes
        )  # fmt: skip
        self.decoder = nn.ModuleList(
            DecoderLayer(
                Mixer(width, heads, scope), Mixer(width, heads, cross), FeedForward(width, inner),
                width=width, dropout=settings.dropout, normalise=settings.normalise,
            )
            for scope, cross in zip(decoder_scopes, cross_scopes, strict=True)
        )  # fmt: skip
        # Before-norm leaves the last sum unnormalised.
        before = settings.normalise == "before"
        self.encoder_norm = nn.LayerNorm(width) if before else nn.Identity()
        self.decoder_norm = nn.LayerNorm(width) if before else nn.Identity()

    def positions(self, row: Packed) -> Tensor:
        """(N,) each token's place, from 0, in what positions are counted in."""
        return row.positions if self.count_positions == "instance" else row.sentences.positions

    def embed(self, embedding: Embedding, tokens: Tensor, positions: Tensor) -> Tensor:
        """(N,) tokens at (N,) positions: (N, W)."""
        x = in_autocast_format(embedding(tokens, positions))
        return dropout(x, self.dropout, self.training)

    def encode(self, source: Packed) -> Memory:
        """Read the source of a batch of instances, once each."""
        x = self.embed(self.source_embedding, source.tokens, self.positions(source))
        for layer in self.encoder:
            x = layer(x, source)
        return Memory(source, self.encoder_norm(x))

    def states(self, batch: Batch) -> Tensor:
        """The decoder's states after each target position: (N_target, W)."""
        return self.decoder_norm(self.read(self.encode(batch.source), batch.target))

    @property
    def output_weight(self) -> Tensor:
        """The target embeddings: (V, W)."""
        return self.target_embedding.table.weight

    def read(self, memory: Memory, target: Packed, read: Read | None = None) -> Tensor:
        """States after each target position, (N_target, W), that `logits` scores. The keys and
        values of self-attention are put into `read`."""
        x = self.embed(self.target_embedding, target.tokens, self.positions(target))
        for layer in self.decoder:
            x = layer(x, memory.states, target, memory.source, read)
        return x

    def step(self, tokens: Tensor, cache: Steps) -> Tensor:
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
        """States, (N, W), scored against the target embeddings: (N, V)."""
        return self.target_embedding.scores(self.decoder_norm(x))


class Transformer(EncoderDecoder):
    """All attention runs over the instance. It can also learn to write a masked sentence (Zhang et
    al. 2020, "PEGASUS"), which makes its encoder one that others can use."""

    instance_kinds = (*EncoderDecoder.instance_kinds, "masked")

    def __init__(
        self, settings: TransformerSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        scopes: list[Scope] = ["global"] * settings.layers
        super().__init__(
            settings, source_vocabulary, target_vocabulary,
            encoder_scopes=scopes, decoder_scopes=scopes, cross_scopes=scopes,
            count_positions=settings.count_positions,
        )  # fmt: skip
