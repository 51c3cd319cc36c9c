"""From the host to the device, without waiting for what the device still computes.

What is decided by lengths, token ids and positions is decided on the host, where it is known; the
device is only sent the result. Nothing here reads back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def to_device(array: NDArray[Any], device: torch.device) -> Tensor:
    """A host array as a tensor on a device. On a CPU the two share their memory."""
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return _sent(tensor, device)


def together_to_device(tensors: Sequence[Tensor], device: torch.device) -> list[Tensor]:
    """Flat int64 tensors of the host on a device, sent in one transfer."""
    if device.type == "cpu":
        return list(tensors)
    sent = _sent(torch.cat(list(tensors)), device)
    return list(torch.split(sent, [len(tensor) for tensor in tensors]))


def _sent(tensor: Tensor, device: torch.device) -> Tensor:
    if device.type == "cpu":
        return tensor
    if device.type == "cuda":  # from other memory a transfer waits for the device
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)
