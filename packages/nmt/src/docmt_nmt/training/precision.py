"""Mixed precision (Micikevicius et al. 2018, "Mixed Precision Training"): forward and backward
passes may compute in a shorter number format. Weights and moments stay fp32. Losses in fp16 are
scaled up: small gradients would otherwise become zero.
"""

from __future__ import annotations

import torch
from torch import nn

from docmt_nmt.nn.fastest_precision import training_speed

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}

MIN_LOSS_SCALE = 2.0**-10
"""A loss with overflow in fp16 even at this scale will not become finite."""

_SLOW = 0.9
"""Share of the speed of fp32 up to which bf16 is slower for certain."""


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """A context in which matrix products are computed in `fp32`, `bf16` or `fp16`."""
    return torch.autocast(device.type, DTYPES[precision], enabled=precision != "fp32")


def slow_precision_note(system: nn.Module, precision: str) -> str:
    """A note if the processor computes bf16 more slowly than fp32, for it emulates it; else none.

    Args:
        system: in fp32, on the device where it is trained.
    """
    if precision != "bf16" or (speed := training_speed(system, "bf16")) > _SLOW:
        return ""
    return (
        f"bf16 takes {1 / speed:.1f} times as long as fp32 on this processor: train with "
        "training.precision=fp32"
    )


def make_grad_scaler(device: torch.device, precision: str) -> torch.amp.GradScaler:
    """A gradient scaler. In fp16 it scales the loss and skips updates with overflowing gradients;
    in other formats it does nothing."""
    return torch.amp.GradScaler(device.type, enabled=precision == "fp16")
