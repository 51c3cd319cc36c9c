"""`Spans`: consecutive stretches of a packed sequence, such as its sentences.

Shapes: N tokens of a packed sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Spans:
    """Consecutive pieces of a packed row: piece i is `offsets[i]:offsets[i + 1]`.

    Attributes:
        offsets: (pieces + 1,) int64, from 0 to the length of the row, never decreasing.
    """

    offsets: Tensor

    @classmethod
    def of(cls, lengths: Sequence[int]) -> Spans:
        """Spans of these lengths, one after the other."""
        return cls(torch.tensor([0, *accumulate(lengths)], dtype=torch.int64))

    def __len__(self) -> int:
        return self.offsets.numel() - 1

    @cached_property
    def lengths(self) -> Tensor:
        """(pieces,) tokens in each piece."""
        return self.offsets.diff()

    @cached_property
    def longest(self) -> int:
        """Tokens in the longest piece."""
        return int(self.lengths.max()) if len(self) else 0

    @cached_property
    def index(self) -> Tensor:
        """(N,) the piece each token lies in: for sentence spans, the group tag of Bao et al.
        2021, Eq. 3 (counted from 0)."""
        pieces = torch.arange(len(self), device=self.offsets.device)
        return torch.repeat_interleave(pieces, self.lengths)

    @cached_property
    def positions(self) -> Tensor:
        """(N,) each token's place in its piece, from 0."""
        total = int(self.offsets[-1])
        flat = torch.arange(total, device=self.offsets.device)
        return flat - torch.repeat_interleave(self.offsets[:-1], self.lengths)

    def to(self, device: torch.device | str) -> Spans:
        """The same spans on another device."""
        return Spans(self.offsets.to(device))
