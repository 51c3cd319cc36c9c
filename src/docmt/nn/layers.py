"""Encoder and decoder layers (Vaswani et al. 2017, section 3.1), built from mixers.

Shapes: N tokens, W d_model; in steps R rows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, relu, silu

from docmt.errors import InputError
from docmt.nn.attention import Read, ScopedAttention
from docmt.nn.batch import Packed
from docmt.nn.incremental.state import DecodingState, Memory
from docmt.nn.kernels.dropout import add_dropped

NormOrder = Literal["post", "pre", "output"]

Activation = Literal["relu", "gelu", "swish"]
ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "relu": relu,
    "gelu": gelu,
    "swish": silu,
}

Positions = Literal["sinusoidal", "sinusoidal-from-0", "learned"]


class Residual(nn.Module):
    """What surrounds a sublayer: dropout, the residual sum, and layer normalisation `after` the
    sum, `before` the sublayer or of its `output`."""

    def __init__(self, d_model: int, *, dropout: float, norm_order: NormOrder) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout, self.norm_order = dropout, norm_order

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Apply the sublayer to x, (N, W): (N, W)."""
        y = sublayer(self.norm(x) if self.norm_order == "pre" else x)
        y = self.norm(y) if self.norm_order == "output" else y
        x = add_dropped(x, y, self.dropout, self.training)
        return self.norm(x) if self.norm_order == "post" else x


class FeedForward(nn.Module):
    """Two linear maps with a rectifier or the like between: (N, inputs) to (N, W), where inputs are
    W unless said otherwise."""

    def __init__(
        self,
        d_model: int,
        inner: int,
        activation: Activation = "relu",
        *,
        inputs: int | None = None,
    ) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.inner = nn.Linear(inputs or d_model, inner)
        self.outer = nn.Linear(inner, d_model)
        for linear in (self.inner, self.outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        """(N, inputs) to (N, W)"""
        return self.outer(self.activation(self.inner(x)))


class Branch(nn.Module):
    """What may stand beside the self-attention of a layer."""

    @abstractmethod
    def forward(self, x: Tensor, attended: Tensor, queries: Packed, memory: Memory) -> Tensor:
        """Join what self-attention made, `attended`, of a layer's input x, (N, W), packed as
        `queries`, with what the branch makes of it: (N, W)."""

    @abstractmethod
    def step(self, x: Tensor, attended: Tensor, cache: DecodingState) -> Tensor:
        """The same of one new token a row: (R, W)."""


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward.

    Attributes:
        branch: what stands beside self-attention.
    """

    def __init__(
        self,
        mixer: ScopedAttention,
        feed_forward: FeedForward,
        *,
        d_model: int,
        dropout: float,
        norm_order: NormOrder,
    ) -> None:
        super().__init__()
        self.self_attention, self.feed_forward = mixer, feed_forward
        self.branch: Branch | None = None
        self.around_self = Residual(d_model, dropout=dropout, norm_order=norm_order)
        self.around_feed_forward = Residual(d_model, dropout=dropout, norm_order=norm_order)

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
        self_mixer: ScopedAttention,
        cross_mixer: ScopedAttention,
        feed_forward: FeedForward,
        *,
        d_model: int,
        dropout: float,
        norm_order: NormOrder,
    ) -> None:
        super().__init__()
        self.self_attention, self.cross_attention = self_mixer, cross_mixer
        self.feed_forward = feed_forward
        self.branch: Branch | None = None
        self.around_self = Residual(d_model, dropout=dropout, norm_order=norm_order)
        self.around_cross = Residual(d_model, dropout=dropout, norm_order=norm_order)
        self.around_feed_forward = Residual(d_model, dropout=dropout, norm_order=norm_order)

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

    def step(self, x: Tensor, cache: DecodingState) -> Tensor:
        """States x, (R, W), of one new token a row: (R, W)."""
        y = self.around_self(x, lambda x: self.self_attention.step_self(x, cache))
        if self.branch is not None:
            y = self.branch.step(x, y, cache)
        x = self.around_cross(y, lambda x: self.step_cross(x, cache))
        return self.around_feed_forward(x, self.feed_forward)

    def cross(self, x: Tensor, memory: Memory, target: Packed) -> Tensor:
        """What states x, (N_target, W), take from what is encoded: (N_target, W)."""
        return self.cross_attention(x, memory.states, target, memory.source)

    def step_cross(self, x: Tensor, cache: DecodingState) -> Tensor:
        """The same for one new token a row: (R, W)."""
        return self.cross_attention.step_cross(x, cache)


FIRST_POSITION = 2
"""The number of the first position, as in published checkpoints."""


def sinusoids(positions: Tensor, d_model: int, *, from_0: bool = False) -> Tensor:
    """The vectors of positions, (N,) from 0: (N, W), of 32 bits. Sines fill the first half of a
    vector and cosines the second; wavelengths run from 2π to 10000 · 2π or, where the first
    position is numbered 0, are 2π · 10000^(2i/W) (Vaswani et al. 2017, section 3.5)."""
    half = d_model // 2
    first, longest = (0, d_model / 2) if from_0 else (FIRST_POSITION, max(half - 1, 1))
    steps = torch.arange(half, device=positions.device)
    frequencies = torch.exp(steps * (-math.log(1e4) / longest))
    angles = (positions + first)[:, None] * frequencies
    vectors = torch.cat([angles.sin(), angles.cos()], dim=1)
    return nn.functional.pad(vectors, (0, d_model % 2))


class Embedding(nn.Module):
    """Token embeddings scaled by √d_model plus positions (Vaswani et al. 2017, sections 3.4 and 3.5).

    Positions are `sinusoidal`, numbered from 2 or from 0, or `learned`, with a vector for each.

    Args:
        vocabulary: types.
        d_model: W.
        table: the vectors of the types, where another embedding has them already.
        positions: how positions are told apart.
        max_positions: how many of them are learned.
        scale: whether token embeddings are scaled.
        normalize: whether the sum is normalised.
    """

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        *,
        table: nn.Embedding | None = None,
        positions: Positions = "sinusoidal",
        max_positions: int | None = None,
        scale: bool = True,
        normalize: bool = False,
    ) -> None:
        super().__init__()
        if table is None:
            table = nn.Embedding(vocabulary, d_model)
            nn.init.normal_(table.weight, std=d_model**-0.5)
        self.table = table
        self.scale = d_model**0.5 if scale else 1.0
        self.from_0 = positions == "sinusoidal-from-0"
        self.learned = nn.Embedding(max_positions, d_model) if max_positions else None
        if self.learned is not None:
            nn.init.normal_(self.learned.weight, std=d_model**-0.5)
        self.norm = nn.LayerNorm(d_model) if normalize else nn.Identity()
        #: Computes logits in place of the table, where it is quantized or prepacked.
        self.output_projection: nn.Module | None = None

    def forward(self, tokens: Tensor, positions: Tensor) -> Tensor:
        """Tokens, (N,), at positions, (N,) or (1,) from 0: (N, W).

        Raises:
            InputError: there are fewer positions.
        """
        places = self.places(self.learned, positions) if self.learned else self.waves(positions)
        return self.norm(self.words(tokens) + places.to(self.table.weight.dtype))

    def words(self, tokens: Tensor) -> Tensor:
        """Tokens, (N,), wherever they stand: (N, W)."""
        return self.table(tokens) * self.scale

    @staticmethod
    def places(learned: nn.Embedding, positions: Tensor) -> Tensor:
        """The learned vectors of positions, (N,): (N, W)."""
        most, needed = learned.num_embeddings, int(positions.max()) + 1 if len(positions) else 0
        if needed > most:
            raise InputError(
                f"a text of {needed} tokens, marks included, is longer than the {most} positions "
                "that the system has learned",
                cure="Cut documents into shorter instances, split the sentence, or train with "
                "system.count_positions: sentence",
            )
        return learned(positions)

    def waves(self, positions: Tensor) -> Tensor:
        """The vectors of positions, (N,): (N, W), of 32 bits whatever the table has, for 16 cannot
        tell the positions of a document apart."""
        return sinusoids(positions, self.table.embedding_dim, from_0=self.from_0)

    def scores(self, x: Tensor) -> Tensor:
        """States, (N, W), scored against the table: (N, vocabulary)."""
        if self.output_projection is not None:
            scores: Tensor = self.output_projection(x)
            return scores
        return nn.functional.linear(x, self.table.weight)
