"""The number format of the states between layers."""

from __future__ import annotations

import torch
from torch import Tensor


def in_autocast_format(x: Tensor) -> Tensor:
    """x in the number format of autocast, where autocast is on.

    Autocast alone leaves sums in fp32: every layer would then convert them for the products, and
    keep both.
    """
    device = x.device.type
    return x.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else x
