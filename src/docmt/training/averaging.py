"""The average of checkpoints, weight by weight: it lies nearer the middle of the valley in which
the last updates wander (Vaswani et al. 2017, section 6.1, average the last checkpoints).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from docmt.runs import read_weights


def average(paths: Sequence[Path]) -> dict[str, Tensor]:
    """The arithmetic mean of weights files of the same system, summed in float64.

    Args:
        paths: the files, at least one; they are read one at a time.

    Raises:
        InputError: a file is missing or damaged.
    """
    total: dict[str, Tensor] = {}
    for path in paths:
        for name, tensor in read_weights(path).items():
            total[name] = total.get(name, torch.zeros(())) + tensor.double()
    return {name: (tensor / len(paths)).float() for name, tensor in total.items()}
