"""Dropout (Srivastava et al. 2014). PyTorch's draws one number after the other on CPU, which takes
a tenth of a training step; here each draw of 64 random bits decides about four entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

STEPS = 2**16
"""Into so many steps is the range of probabilities divided."""


def dropout(x: Tensor, share: float, training: bool) -> Tensor:
    """x with this share of entries zero and the others scaled to the same mean; x itself outside
    training."""
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
    """A mask like x, 1 for kept entries and 0 for dropped ones, and the scale of kept entries."""
    if x.device.type != "cpu":
        return torch.empty_like(x, requires_grad=False).bernoulli_(1 - share), 1 / (1 - share)
    dropped = round(share * STEPS)
    words = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    numbers = words.view(torch.int16)[: x.numel()].view(x.shape)  # from -STEPS / 2
    kept = torch.ge(numbers, dropped - STEPS // 2, out=torch.empty_like(x, requires_grad=False))
    return kept, STEPS / (STEPS - dropped)


def random_state(device: torch.device) -> Tensor:
    """The state of the random generator of `draw` on a device; on the host."""
    state: Tensor = _random(device).get_rng_state(*_names(device))
    return state


@contextmanager
def drawing_again(device: torch.device, state: Tensor) -> Iterator[None]:
    """Draw the mask of `draw` again, from this `random_state`; then go on as before."""
    now = random_state(device)
    _random(device).set_rng_state(state, *_names(device))
    try:
        yield
    finally:
        _random(device).set_rng_state(now, *_names(device))


def _random(device: torch.device) -> Any:
    """The module with the random generator of a device."""
    return torch.random if device.type == "cpu" else torch.get_device_module(device)


def _names(device: torch.device) -> tuple[torch.device, ...]:
    """The device, where the module has several."""
    return () if device.type == "cpu" else (device,)
