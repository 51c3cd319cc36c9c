"""Attention of one new token of every hypothesis over cached keys and values.

Shapes: U open units with B hypotheses each, R = U · B hypotheses; I instances read by the units; H
heads, D head dimension, L cached keys.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.incremental.source_sharing import SourceSharing
from docmt_nmt.nn.transfer import to_device


def attend_cached(
    q: Tensor,
    keys: Tensor,
    values: Tensor,
    bias: Tensor,
    *,
    has_keys: Tensor | None = None,
    sharing: SourceSharing | None = None,
) -> Tensor:
    """Attend from the queries, (R, H, D): (R, H, D).

    For so few queries two products are faster than PyTorch's kernel, in 16 bits twice.

    Args:
        keys: (U or I, H, D, L), shared by the hypotheses of a unit or, with `sharing`, by the
            hypotheses of all units of an instance.
        values: (U or I, H, L, D)
        bias: (U or I, 1, 1 or B, L) of scores: 0 for a visible key, else -inf.
        has_keys: (I, 1, 1, 1); 0 masks the output of instances without keys.
        sharing: the instance of each unit.
    """
    units = len(keys) if sharing is None else len(sharing)
    beam_size = len(q) // units
    scaled = (q * q.shape[2] ** -0.5).to(keys.dtype).view(units, beam_size, *q.shape[1:])
    grouped = scaled.transpose(1, 2) if sharing is None else sharing.group(scaled)  # (·, H, ·, D)
    scores = _products(grouped, keys).add_(bias)
    output = torch.matmul(scores.softmax(-1), values)
    if has_keys is not None:
        output = output * has_keys
    attended = output.transpose(1, 2) if sharing is None else sharing.ungroup(output, beam_size)
    return attended.reshape(q.shape).to(q.dtype)


def _products(q: Tensor, keys: Tensor) -> Tensor:
    """The products of few queries, (U, H, Q, D), with all keys, (U, H, D, L), perhaps a transposed
    view: (U, H, Q, L)."""
    whole = keys.is_contiguous() or keys.transpose(2, 3).is_contiguous()
    if whole or keys.dtype == torch.float32:
        return torch.matmul(q, keys)
    # In 16 bits a part of larger keys would be copied, and it is much larger than the product.
    return torch.matmul(keys.transpose(2, 3), q.transpose(2, 3)).transpose(2, 3).contiguous()


def seen_weights(q: Tensor, keys: Tensor, seen: NDArray[np.bool_]) -> list[Tensor]:
    """The weights of each hypothesis over the visible keys, (H, keys), for recording.

    Args:
        q: (R, H, D)
        keys: (U, H, D, L)
        seen: (U, B, at most L), on the host.
    """
    scaled = q * q.shape[2] ** -0.5
    units, beam_size, _ = seen.shape
    weights = []
    for unit in range(units):
        for hypothesis in range(beam_size):
            columns = to_device(seen[unit, hypothesis].nonzero()[0], q.device)
            keys_of_unit = keys[unit].index_select(2, columns).float()  # (H, D, seen)
            scores = torch.einsum(
                "hd,hdk->hk", scaled[unit * beam_size + hypothesis].float(), keys_of_unit
            )
            weights.append(scores.softmax(-1))
    return weights


def mask_to_bias(
    seen: NDArray[np.bool_], length: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """The bias of scores for a mask of visible keys, (U, B, S): (U, 1, B, length), -inf from S
    on."""
    hidden = np.ones((*seen.shape[:2], length), np.bool_)
    np.logical_not(seen, out=hidden[:, :, : seen.shape[2]])
    sent = to_device(hidden, device)
    return torch.zeros_like(sent, dtype=dtype).masked_fill_(sent, float("-inf"))[:, None]


def for_cached(keys_values: Tensor) -> tuple[Tensor, Tensor]:
    """Keys and values, (2, U, L, H, D), as `attend_cached` takes them."""
    keys, values = keys_values
    return keys.permute(0, 2, 3, 1).contiguous(), values.transpose(1, 2).contiguous()


def padding_masks(lengths: NDArray[np.int64], keys: Tensor) -> tuple[Tensor, Tensor]:
    """The bias, (U, 1, 1, L), and `has_keys`, (U, 1, 1, 1), of `attend_cached`, for units with
    these numbers of keys, (U,), and padding."""
    lengths = lengths[:, None]
    hidden = to_device(np.arange(keys.shape[3]) >= lengths.clip(1), keys.device)
    bias = torch.zeros_like(hidden, dtype=keys.dtype).masked_fill_(hidden, float("-inf"))
    some = to_device(lengths > 0, keys.device).to(keys.dtype)
    return bias[:, None, None], some[:, None, None]


def select_in_place(cached: Tensor, units: NDArray[np.int64]) -> Tensor:
    """The cache, (2, U, ...), of these units in this order; only units with a new index are
    copied."""
    moved = (units != np.arange(len(units))).nonzero()[0]
    if len(moved):
        to, of = (to_device(index, cached.device) for index in (moved, units[moved]))
        cached[:, to] = cached[:, of]
    return cached[:, : len(units)]
