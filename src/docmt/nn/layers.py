"""Encoder and decoder layers (Vaswani et al. 2017, section 3.1), built from mixers.

Shapes: N tokens, W width; in steps R rows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from docmt.batches.packing import Packed
from docmt.nn.cache import Memory, Steps
from docmt.nn.dropout import add_dropped
from docmt.nn.mixers import Mixer, Read

Order = Literal["after", "before", "output"]


class Residual(nn.Module):
    """What surrounds a sublayer: dropout, the residual sum, and layer normalisation `after` the
    sum, `before` the sublayer or of its `output`."""

    def __init__(self, width: int, *, dropout: float, normalise: Order) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.dropout, self.normalise = dropout, normalise

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Apply the sublayer to x, (N, W): (N, W)."""
        y = sublayer(self.norm(x) if self.normalise == "before" else x)
        y = self.norm(y) if self.normalise == "output" else y
        x = add_dropped(x, y, self.dropout, self.training)
        return self.norm(x) if self.normalise == "after" else x


class FeedForward(nn.Module):
    """Two linear maps with a rectifier between: (N, inputs) to (N, W), where inputs are W unless
    said otherwise."""

    def __init__(self, width: int, inner: int, *, inputs: int | None = None) -> None:
        super().__init__()
        self.inner = nn.Linear(inputs or width, inner)
        self.outer = nn.Linear(inner, width)
        for linear in (self.inner, self.outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        """(N, inputs) to (N, W)"""
        return self.outer(relu(self.inner(x)))


class Branch(nn.Module):
    """What may stand beside the self-attention of a layer."""

    @abstractmethod
    def forward(self, x: Tensor, attended: Tensor, queries: Packed, memory: Memory) -> Tensor:
        """Join what self-attention made, `attended`, of a layer's input x, (N, W), packed as
        `queries`, with what the branch makes of it: (N, W)."""

    @abstractmethod
    def step(self, x: Tensor, attended: Tensor, cache: Steps) -> Tensor:
        """The same of one new token a row: (R, W)."""


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward.

    Attributes:
        branch: what stands beside self-attention.
    """

    def __init__(
        self,
        mixer: Mixer,
        feed_forward: FeedForward,
        *,
        width: int,
        dropout: float,
        normalise: Order,
    ) -> None:
        super().__init__()
        self.self_attention, self.feed_forward = mixer, feed_forward
        self.branch: Branch | None = None
        self.around_self = Residual(width, dropout=dropout, normalise=normalise)
        self.around_feed_forward = Residual(width, dropout=dropout, normalise=normalise)

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        """States x, (N, W), of the source of a memory that is being made: (N, W)."""
        source = memory.source
        y = self.around_self(x, lambda x: self.self_attention(x, x, source, source))
        if self.branch is not None:
            y = self.branch(x, y, source, memory)
        return self.around_feed_forward(y, self.feed_forward)


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention and feed-forward.

    Attributes:
        branch: what stands beside self-attention.
    """

    def __init__(
        self,
        self_mixer: Mixer,
        cross_mixer: Mixer,
        feed_forward: FeedForward,
        *,
        width: int,
        dropout: float,
        normalise: Order,
    ) -> None:
        super().__init__()
        self.self_attention, self.cross_attention = self_mixer, cross_mixer
        self.feed_forward = feed_forward
        self.branch: Branch | None = None
        self.around_self = Residual(width, dropout=dropout, normalise=normalise)
        self.around_cross = Residual(width, dropout=dropout, normalise=normalise)
        self.around_feed_forward = Residual(width, dropout=dropout, normalise=normalise)

    def forward(
        self, x: Tensor, memory: Memory, target: Packed, read: Read | None = None
    ) -> Tensor:
        """States x, (N_target, W), given what is encoded: (N_target, W). The keys and values of
        self-attention are put into `read`."""
        y = self.around_self(
            x, lambda x: self.self_attention(x, x, target, target, causal=True, read=read)
        )
        if self.branch is not None:
            y = self.branch(x, y, target, memory)
        x = self.around_cross(y, lambda x: self.cross(x, memory, target))
        return self.around_feed_forward(x, self.feed_forward)

    def step(self, x: Tensor, cache: Steps) -> Tensor:
        """States x, (R, W), of one new token a row: (R, W)."""
        y = self.around_self(x, lambda x: self.self_attention.step_self(x, cache))
        if self.branch is not None:
            y = self.branch.step(x, y, cache)
        x = self.around_cross(y, lambda x: self.step_cross(x, cache))
        return self.around_feed_forward(x, self.feed_forward)

    def cross(self, x: Tensor, memory: Memory, target: Packed) -> Tensor:
        """What states x, (N_target, W), take from what is encoded: (N_target, W)."""
        return self.cross_attention(x, memory.states, target, memory.source)

    def step_cross(self, x: Tensor, cache: Steps) -> Tensor:
        """The same for one new token a row: (R, W)."""
        return self.cross_attention.step_cross(x, cache)


FIRST_POSITION = 2
"""The number of the first position, as in published checkpoints."""


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """The vectors of positions, (N,) from 0: (N, W), of 32 bits. Sines fill the first half of a
    vector and cosines the second; wavelengths run from 2π to 10000 · 2π."""
    half = width // 2
    steps = torch.arange(half, device=positions.device)
    frequencies = torch.exp(steps * (-math.log(1e4) / max(half - 1, 1)))
    angles = (positions + FIRST_POSITION)[:, None] * frequencies
    vectors = torch.cat([angles.sin(), angles.cos()], dim=1)
    return nn.functional.pad(vectors, (0, width % 2))


class Embedding(nn.Module):
    """Token embeddings scaled by √width plus sinusoidal positions (Vaswani et al. 2017,
    section 3.5)."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.table.weight, std=width**-0.5)
        #: What scores states instead of the table, where that is in another number format.
        self.scorer: nn.Module | None = None

    def forward(self, tokens: Tensor, positions: Tensor) -> Tensor:
        """Tokens, (N,), at positions, (N,) or (1,) from 0: (N, W)."""
        return self.words(tokens) + self.waves(positions).to(self.table.weight.dtype)

    def words(self, tokens: Tensor) -> Tensor:
        """Tokens, (N,), wherever they stand: (N, W)."""
        return self.table(tokens) * self.table.embedding_dim**0.5

    def waves(self, positions: Tensor) -> Tensor:
        """The vectors of positions, (N,): (N, W), of 32 bits whatever the table has, for 16 cannot
        tell the positions of a document apart."""
        return sinusoids(positions, self.table.embedding_dim)

    def scores(self, x: Tensor) -> Tensor:
        """States, (N, W), scored against the table: (N, vocabulary)."""
        if self.scorer is not None:
            scores: Tensor = self.scorer(x)
            return scores
        return nn.functional.linear(x, self.table.weight)
