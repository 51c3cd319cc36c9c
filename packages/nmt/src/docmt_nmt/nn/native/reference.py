"""The operations of `Library` by PyTorch: what computes where nothing was compiled, and what a
compiled library is compared with.

Shapes: N rows, K inputs, M outputs; U units of B hypotheses each, R = U · B, I caches, H heads, D
head dimension, S slots.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_nmt.nn.private_ops import ZERO_CODE
from docmt_nmt.nn.transfer import to_device

MAX_INPUT_CODE = 127
"""The largest magnitude of an 8-bit input code, counted from the code of zero."""


def quantize_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Codes, (N, K) uint8, of x, (N, K), and the largest magnitude of each row, (N, 1): an input is
    a code, counted from the code of zero, times the largest magnitude over MAX_INPUT_CODE."""
    largest = x.abs().amax(1, keepdim=True).clamp_min_(1e-30)
    # Conversion to signed bytes is several times as fast as to unsigned bytes, which differ in the
    # highest bit alone.
    signed = (x * (MAX_INPUT_CODE / largest)).round_().to(torch.int8)
    return signed.view(torch.uint8).bitwise_xor_(ZERO_CODE), largest


def scale_rows(y: Tensor, scales: Tensor, bias: Tensor | None, *, relu: bool = False) -> Tensor:
    """y, (N, M), times a scale of each row, (N, 1), plus the bias, (M,); y is changed."""
    scaled = y.mul_(scales) if bias is None else torch.addcmul(bias, y, scales)
    return scaled.relu_() if relu else scaled


def add_norm(x: Tensor, y: Tensor | None, norm: nn.LayerNorm) -> Tensor:
    """The layer normalization of x + y, or of x, all (N, K)."""
    return norm(x if y is None else x + y)


def gated_sum(scores: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """g · a + (1 − g) · b with g = σ(scores), all (N, K)."""
    share = torch.sigmoid(scores)
    return a * share + b * (1 - share)


def move_slots(cached: Tensor, order: NDArray[np.int64], first: int) -> None:
    """Move entries of a cache, (U, H, S, D), from the slots in `order`, (U, n), to those from
    `first` on."""
    units, moved = order.shape
    index = to_device(order, cached.device)
    rows = torch.arange(units, device=cached.device)[:, None]
    cached[:, :, first : first + moved] = cached[rows, :, index].transpose(1, 2)


def attend(q: Tensor, keys: Tensor, values: Tensor, seen: NDArray[np.bool_]) -> Tensor:
    """Attend from q, (R, H, D), to the visible slots of each hypothesis in the unit's cache; zeros
    for a hypothesis without visible slots: (R, H, D).

    Args:
        keys, values: (U, H, S, D)
        seen: (U, 1 or B, S)
    """
    by_unit = q.view(len(keys), -1, *q.shape[1:]).transpose(1, 2)  # (U, H, B, D)
    scores = (by_unit * q.shape[2] ** -0.5) @ keys.to(q.dtype).transpose(2, 3)
    hidden = torch.from_numpy(~seen)[:, None]
    weights = scores.masked_fill(hidden, float("-inf")).softmax(-1).nan_to_num(0.0)
    return (weights @ values.to(q.dtype)).transpose(1, 2).reshape(q.shape)
