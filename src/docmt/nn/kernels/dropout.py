"""Dropout (Srivastava et al. 2014). PyTorch's draws one number after the other on CPU, which takes
a tenth of a training step; here each draw of 64 random bits decides about four entries.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

STEPS = 2**16
"""Into so many steps is the range of probabilities divided."""


def dropout(x: Tensor, share: float, training: bool) -> Tensor:
    """x with this share of its entries zero and the others scaled so that the mean stays; x itself
    where nothing is trained."""
    if not training or not share:
        return x
    if x.device.type != "cpu":
        return functional.dropout(x, share)
    kept, scale = draw(x, share)
    return x * kept.mul_(scale)


def add_dropped(x: Tensor, y: Tensor, share: float, training: bool) -> Tensor:
    """x + dropout(y), in one pass."""
    if not training or not share or x.device.type != "cpu":
        return x + dropout(y, share, training)
    kept, scale = draw(y, share)
    return torch.addcmul(x, y, kept, value=scale)


def draw(x: Tensor, share: float) -> tuple[Tensor, float]:
    """Which entries are kept, as ones and zeros like x, and by what they are scaled."""
    dropped = round(share * STEPS)
    words = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    numbers = words.view(torch.int16)[: x.numel()].view(x.shape)  # from -STEPS / 2
    kept = torch.ge(numbers, dropped - STEPS // 2, out=torch.empty_like(x, requires_grad=False))
    return kept, STEPS / (STEPS - dropped)
