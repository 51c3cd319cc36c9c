"""`Spans`: consecutive stretches of a packed sequence, such as sentences.

Shapes: N tokens of a packed sequence, n spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from docmt_nmt.nn.transfer import to_device


class Spans:
    """Consecutive spans of a packed sequence: span i is `offsets[i]:offsets[i + 1]`. (Kernels for
    attention call such offsets cu_seqlens.)

    The offsets are known on the host, so lengths, buckets and positions never wait for the device.

    Args:
        offsets: (n + 1,) from 0 to N, never decreasing; on the host.
        device: where the tensors lie.
        sent: the same offsets on the device, (n + 1,) int64, if they are there already.

    Attributes:
        host_offsets: (n + 1,) int64, on the host.
    """

    def __init__(
        self, offsets: ArrayLike, device: torch.device | str = "cpu", *, sent: Tensor | None = None
    ) -> None:
        self.host_offsets: NDArray[np.int64] = np.asarray(offsets, np.int64)
        self.device = torch.device(device)
        if sent is not None:
            self.offsets = sent

    @classmethod
    def of(cls, lengths: Sequence[int], device: torch.device | str = "cpu") -> Spans:
        """Spans of these lengths, one after the other."""
        return cls([0, *accumulate(lengths)], device)

    def __len__(self) -> int:
        return len(self.host_offsets) - 1

    @cached_property
    def host_lengths(self) -> NDArray[np.int64]:
        """(n,) tokens in each span, on the host."""
        return np.diff(self.host_offsets)

    @property
    def total(self) -> int:
        """N."""
        return int(self.host_offsets[-1])

    @cached_property
    def longest(self) -> int:
        """Tokens in the longest span."""
        return int(self.host_lengths.max()) if len(self) else 0

    @cached_property
    def offsets(self) -> Tensor:
        """(n + 1,) int64, on the device."""
        return to_device(self.host_offsets, self.device)

    @cached_property
    def lengths(self) -> Tensor:
        """(n,) tokens in each span, on the device."""
        return self.offsets.diff()

    @cached_property
    def index(self) -> Tensor:
        """(N,) the span each token lies in: for sentence spans, the group tag of Bao et al.
        2021, Eq. 3 (counted from 0)."""
        spans = torch.arange(len(self), device=self.device)
        return torch.repeat_interleave(spans, self.lengths, output_size=self.total)

    @cached_property
    def positions(self) -> Tensor:
        """(N,) the position of each token in the span, from 0."""
        flat = torch.arange(self.total, device=self.device)
        return flat - self.offsets[:-1][self.index]

    def tokens_of(self, spans: NDArray[np.int64]) -> NDArray[np.int64]:
        """The positions of all tokens of these spans, one span after the other, on the host."""
        lengths = self.host_lengths[spans]
        first = lengths.cumsum() - lengths
        steps = np.arange(int(lengths.sum())) - first.repeat(lengths)
        return self.host_offsets[spans].repeat(lengths) + steps

    def to(self, device: torch.device | str) -> Spans:
        """A copy on another device."""
        return Spans(self.host_offsets, device)


def padded(
    first: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Rows of consecutive indices, padded to the longest; on the host.

    Args:
        first: (...) the first index of each row.
        lengths: (...) the number of indices of each row.

    Returns:
        (..., longest) the indices, and False for padding. Padding repeats the last index of a row,
        so hidden values are finite; an empty row has any index from 0.
    """
    steps = np.arange(max(int(lengths.max(initial=0)), 1))
    index = first[..., None] + np.minimum(steps, lengths[..., None] - 1)
    return index.clip(0), steps < lengths[..., None]
