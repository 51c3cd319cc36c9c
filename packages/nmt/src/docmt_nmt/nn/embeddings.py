"""Embeddings of tokens and positions (Vaswani et al. 2017, sections 3.4 and 3.5), and of segments
(Devlin et al. 2019, "BERT").

Shapes: N tokens, V tokens of the vocabulary.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from docmt_files.base.errors import InputError
from docmt_nmt.nn.choices import PositionKind
from docmt_nmt.nn.views import Positions

FIRST_POSITION = 2
"""The number of the first position, as in published checkpoints."""


def sinusoids(positions: Tensor, d_model: int, kind: PositionKind = "sinusoidal") -> Tensor:
    """The vectors of positions, (N,) from 0: (N, d_model), fp32. Sines fill the first half of a
    vector and cosines the second.

    Args:
        positions: the positions.
        d_model: size of the vectors.
        kind: `sinusoidal` numbers the first position 2, the others number it 0. Wavelengths run
            from 2π to 10000 · 2π or, of `sinusoidal-from-0`, are 2π · 10000^(2i/d_model) (Vaswani
            et al. 2017, section 3.5).
    """
    half = d_model // 2
    first = FIRST_POSITION if kind == "sinusoidal" else 0
    longest = d_model / 2 if kind == "sinusoidal-from-0" else max(half - 1, 1)
    steps = torch.arange(half, device=positions.device)
    frequencies = torch.exp(steps * (-math.log(1e4) / longest))
    angles = (positions + first)[:, None] * frequencies
    vectors = torch.cat([angles.sin(), angles.cos()], dim=1)
    return nn.functional.pad(vectors, (0, d_model % 2))


class Embedding(nn.Module):
    """Token embeddings scaled by √d_model, plus positions, plus segments where there are any.

    Positions are `sinusoidal`, in one of three kinds, or `learned`, with a vector for each.

    Args:
        vocabulary_size: V.
        d_model: the size of the vectors.
        table: the vectors of the tokens, where another embedding has them already.
        positions: how positions are encoded.
        max_positions: how many of them are learned.
        scale: whether token embeddings are scaled.
        normalize: whether the sum is normalized.
        segments: how many segments have a learned vector.
    """

    def __init__(
        self,
        vocabulary_size: int,
        d_model: int,
        *,
        table: nn.Embedding | None = None,
        positions: PositionKind = "sinusoidal",
        max_positions: int | None = None,
        scale: bool = True,
        normalize: bool = False,
        segments: int = 0,
    ) -> None:
        super().__init__()
        if table is None:
            table = nn.Embedding(vocabulary_size, d_model)
            nn.init.normal_(table.weight, std=d_model**-0.5)
        self.table = table
        self.scale = d_model**0.5 if scale else 1.0
        self.positions = positions
        self.learned = nn.Embedding(max_positions, d_model) if max_positions else None
        if self.learned is not None:
            nn.init.normal_(self.learned.weight, std=d_model**-0.5)
        self.segments = nn.Embedding(segments, d_model) if segments else None
        if self.segments is not None:
            nn.init.normal_(self.segments.weight, std=d_model**-0.5)
        self.norm = nn.LayerNorm(d_model) if normalize else nn.Identity()
        #: Computes logits in place of the table, where it is quantized or prepacked.
        self.output_projection: nn.Module | None = None

    def forward(
        self, tokens: Tensor, positions: Positions, segments: Tensor | None = None
    ) -> Tensor:
        """Embed tokens.

        Args:
            tokens: (N,)
            positions: theirs.
            segments: (N,) theirs, where segments have vectors; default: the first for all.

        Returns:
            (N, d_model)

        Raises:
            InputError: a position is beyond the learned ones.
        """
        if self.learned is None:
            # Always fp32: 16 bits cannot distinguish the positions of a document.
            vectors = sinusoids(positions.values, self.table.embedding_dim, self.positions)
        else:
            vectors = self._learned_positions(self.learned, positions)
        x = self.words(tokens) + vectors.to(self.table.weight.dtype)
        if self.segments is not None:
            x = x + (self.segments.weight[0] if segments is None else self.segments(segments))
        return self.norm(x)

    def words(self, tokens: Tensor) -> Tensor:
        """The embeddings of tokens, (N,), without positions: (N, d_model)."""
        return self.table(tokens) * self.scale

    @staticmethod
    def _learned_positions(learned: nn.Embedding, positions: Positions) -> Tensor:
        """The learned vectors of positions: (N, d_model)."""
        if positions.limit > learned.num_embeddings:
            raise InputError(
                f"a text of {positions.limit} tokens, special tokens included, is longer than the "
                f"{learned.num_embeddings} positions that the system has learned",
                cure="Cut documents into shorter instances, split the sentence, read less context, "
                "or train with system.count_positions: sentence",
            )
        return learned(positions.values)

    def scores(self, x: Tensor) -> Tensor:
        """States, (N, d_model), scored against the table: (N, V)."""
        if self.output_projection is not None:
            scores: Tensor = self.output_projection(x)
            return scores
        return nn.functional.linear(x, self.table.weight)
