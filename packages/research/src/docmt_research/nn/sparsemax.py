"""Sparsemax (Martins and Astudillo 2016, "From Softmax to Sparsemax"): the nearest distribution to
some scores. Unlike softmax it gives 0 to those that are far from the greatest:

    sparsemax(z) = argmin_p ‖p − z‖² over all distributions p,
    sparsemax_i(z) = max(z_i − τ(z), 0)                                                  (Eq. 1-2)

where τ makes them add up to 1. With the scores in descending order, z_(1) ≥ z_(2) ≥ …, the support
is the first k of them, for the greatest k with 1 + k z_(k) > Σ_{j≤k} z_(j), and

    τ(z) = (Σ_{j≤k} z_(j) − 1) / k                                                          (Eq. 3)
"""

from __future__ import annotations

import torch
from torch import Tensor


def sparsemax(scores: Tensor) -> Tensor:
    """Scores as shares that add up to 1 over the last dimension.

    Args:
        scores: (..., n) floating-point numbers; -inf for what has no share.

    Returns:
        (..., n); zeros where all scores are -inf.
    """
    support, size = _support(scores.detach())
    # Of the threshold only the sum has a gradient: the support is constant almost everywhere.
    sums = torch.where(support, scores, 0).sum(dim=-1, keepdim=True)
    threshold = (sums - 1) / size
    # Rounding may put the threshold just above the least score of the support.
    return torch.where(support, scores - threshold, 0).clamp(min=0)


def _support(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The scores, (..., n), that have a share, (..., n), and how many, (..., 1), but at least 1."""
    # A sum of large scores would round off what sets them apart.
    highest = scores.amax(dim=-1, keepdim=True)
    relative = scores - torch.where(highest.isinf(), 0, highest)
    ordered = relative.sort(dim=-1, descending=True).values
    count = torch.arange(1, scores.shape[-1] + 1, dtype=scores.dtype, device=scores.device)
    inside = 1 + count * ordered > ordered.cumsum(dim=-1)
    last = inside.sum(dim=-1, keepdim=True).clamp(min=1) - 1
    # Equal scores have equal shares, even if rounding cut between them.
    support = (relative >= ordered.gather(-1, last)) & ~scores.isinf()
    return support, support.sum(dim=-1, keepdim=True).clamp(min=1)
