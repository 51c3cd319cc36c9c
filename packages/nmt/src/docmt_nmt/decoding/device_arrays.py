"""The functions of `docmt_nmt.decoding.host_arrays` for tensors on a device. Nothing but `read`
waits for the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.kernels.top_k import top_k
from docmt_nmt.nn.transfer import to_device

__all__ = ["gather", "joined", "masked", "minimum_at", "ordered", "packed", "read", "send", "top_k"]


def send(array: NDArray[Any], like: Tensor) -> Tensor:
    """See `ArrayFunctions`."""
    return to_device(array, like.device)


def ordered(values: Tensor) -> tuple[Tensor, Tensor]:
    """See `ArrayFunctions`."""
    found, index = values.sort(dim=1, descending=True, stable=True)
    return found, index


def gather(values: Tensor, index: Tensor) -> Tensor:
    """See `ArrayFunctions`."""
    return values.gather(1, index)


def masked(values: Tensor, mask: Tensor, value: float) -> Tensor:
    """See `ArrayFunctions`."""
    return values.masked_fill(mask, value)


def joined(parts: Sequence[Tensor]) -> Tensor:
    """See `ArrayFunctions`."""
    return torch.cat(list(parts), dim=1)


def minimum_at(values: Tensor, index: Tensor, others: Tensor) -> None:
    """See `ArrayFunctions`."""
    values.scatter_reduce_(1, index, others, "amin")


def packed(parents: Tensor, tokens: Tensor, totals: Tensor, gains: Tensor) -> Tensor:
    """(4, ...) int32, with the bits of fp32 numbers as integers."""
    floats = (values.contiguous().view(torch.int32) for values in (totals, gains))
    return torch.stack([parents.int(), tokens.int(), *floats])


def read(packed: Tensor) -> tuple[NDArray[Any], ...]:
    """See `ArrayFunctions`."""
    parents, tokens, totals, gains = packed.cpu().numpy()
    floats = totals.view(np.float32), gains.view(np.float32)
    return parents.astype(np.int64), tokens.astype(np.int64), *floats
