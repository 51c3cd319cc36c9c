"""Long-short term masking (Zhang et al. 2020, "Long-Short Term Masking Transformer: A Simple but
Effective Baseline for Document-level Neural Machine Translation").

Two streams of states run through one encoder and one decoder and share all their parameters. They
differ in the mask M of self-attention:

    A = softmax(QKᵀ / √(d/h) + M)                                                (1)

In the long (global) stream M is that of a Transformer over k sentences; in the short (local) one it
is a block-diagonal matrix, a block for each sentence. After the last layer both are joined by a
feed-forward layer before the output (section 3, "dimensionality 1024"):

    y = max(0, [H_long, H_short] W₁ + b₁) W₂ + b₂

Here no mask is built: a row holds its tokens twice, once in instances and once in sentences, and
attention keeps to these spans. The long stream is then a Transformer over instances and the short
one a Transformer over single sentences, its cross-attention to the source sentence of the same
number and its positions from the beginning of the sentence.

Shapes: N tokens, W d_model, V vocabulary; in steps R rows.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from docmt.nn.attention import SHORT, Read, Scope
from docmt.nn.batch import Batch, Encoded, Packed
from docmt.nn.incremental.state import DecodingState, Memory
from docmt.nn.layers import DecoderLayer, FeedForward
from docmt.nn.spans import Spans
from docmt.settings import PositiveInt
from docmt.systems.settings import EncoderDecoderSettings
from docmt.systems.transformer import EncoderDecoder


class LongShortSettings(EncoderDecoderSettings):
    """Long-short term masking (Zhang et al. 2020)."""

    name: Literal["long-short"] = "long-short"
    """Name of the system."""

    joining_ffn_dim: PositiveInt | None = None
    """Inner size of the feed-forward layer that joins the two streams before the output. Default:
    twice `d_model`, which for a `d_model` of 512 is the paper's 1024."""


class LongShort(EncoderDecoder):
    """A Transformer over instances and over sentences at once, with one set of parameters."""

    def __init__(
        self, settings: LongShortSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        encoder: list[Scope] = ["two-stream"] * settings.layers
        decoder: list[Scope] = ["two-stream"] * settings.layers_of_decoder
        super().__init__(
            settings, source_vocabulary, target_vocabulary,
            encoder_scopes=encoder, decoder_scopes=decoder, cross_scopes=decoder,
        )  # fmt: skip
        both = 2 * settings.d_model
        inner = settings.joining_ffn_dim or both
        self.join = FeedForward(settings.d_model, inner, inputs=both)

    def encode(self, source: Packed) -> Memory:
        """Read the source of a batch of instances, once in each stream."""
        long, short = super().encode(two_streams(source)).states.chunk(2)
        return Memory(source, long, {SHORT: Encoded(short, source.instances)})

    def read(self, memory: Memory, target: Packed, read: Read | None = None) -> Tensor:
        """States of both streams, (N_target, 2W), after each target position, that `logits` scores.
        The keys and values of self-attention are put into `read`."""
        states = torch.cat([memory.states, memory.encoded(SHORT).states])
        source = Memory(two_streams(memory.source), states)
        return side_by_side(super().read(source, two_streams(target), read))

    def states(self, batch: Batch) -> Tensor:
        """The joined states after each target position: (N_target, W)."""
        return self.joined(self.read(self.encode(batch.source), batch.target))

    def step(self, tokens: Tensor, cache: DecodingState) -> Tensor:
        """Logits, (R, V), after one more token, (R,), of every open hypothesis."""
        cache.advance(tokens)
        positions = torch.cat([cache.positions.expand_as(tokens), cache.positions_in_sentence])
        x = self.embed(self.target_embedding, tokens.repeat(2), positions)  # (2R, W)
        for layer in self.decoder:
            assert isinstance(layer, DecoderLayer)
            x = layer.step(x, cache)
        return self.logits(side_by_side(x))

    def logits(self, x: Tensor) -> Tensor:
        """States of both streams, (N, 2W), joined and scored: (N, V)."""
        return self.scores(self.joined(x))

    def joined(self, x: Tensor) -> Tensor:
        """States of both streams, (N, 2W), in one: (N, W)."""
        return self.join(torch.cat([self.decoder_norm(part) for part in x.chunk(2, dim=1)], dim=1))


def two_streams(row: Packed) -> Packed:
    """A row of N tokens as the long stream sees it, in instances, and after it as the short one
    does, in sentences: 2N tokens in as many instances as both have together."""
    sentences = row.sentences.offsets[1:] + len(row.tokens)
    spans = Spans(torch.cat([row.instances.offsets, sentences]))
    return Packed(row.tokens.repeat(2), spans, spans)


def side_by_side(x: Tensor) -> Tensor:
    """Two streams one after the other, (2N, W), in one row a token: (N, 2W)."""
    return torch.cat(x.chunk(2), dim=1)
