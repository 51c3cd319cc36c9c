"""The number format of forward and backward passes (Micikevicius et al. 2018, "Mixed Precision
Training"): weights and moments stay fp32, and fp16 losses are scaled so that small gradients
survive.
"""

from __future__ import annotations

import torch

FORMATS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}

SMALLEST_SCALE = 2.0**-10
"""A loss that overflows fp16 even at this scale is not going to be finite."""


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Within it, matrix products are computed in the format `fp32`, `bf16` or `fp16`."""
    return torch.autocast(device.type, FORMATS[precision], enabled=precision != "fp32")


def make_scaler(device: torch.device, precision: str) -> torch.amp.GradScaler:
    """Scales losses in fp16, and skips updates whose gradients overflow; otherwise idle."""
    return torch.amp.GradScaler(device.type, enabled=precision == "fp16")
