"""The device of a system."""

from __future__ import annotations

import platform
from pathlib import Path

import torch

from docmt_files.base.errors import InputError


def hardware_name(device: torch.device) -> str:
    """The name of a GPU, or else of the processor."""
    if device.type == "cuda" and torch.cuda.is_available():
        return torch.cuda.get_device_name(device)
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def chosen_device(device: str | None) -> str:
    """The name of an available device.

    Args:
        device: a device name of PyTorch, such as `cpu` or `cuda:1`. Default: a GPU if there is
            one, else the CPU.

    Raises:
        InputError: PyTorch knows no such device, or finds none.
    """
    if device is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        why = str(error).split("\n", 1)[0].rstrip(".")
        raise InputError(
            f"nothing can be computed on device {device!r} ({why})", cure="Set device cpu"
        ) from None
    return device
