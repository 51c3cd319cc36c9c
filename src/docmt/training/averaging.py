"""Checkpoint averaging: the run ends with the mean of several checkpoints, weight by weight, which
reduces the noise of the last updates (Vaswani et al. 2017, section 6.1). It decides which
checkpoints a run keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from docmt.recipes.training import AverageSettings
from docmt.weights import read_weights


def steps_to_average(costs: Sequence[tuple[int, float]], average: AverageSettings) -> list[int]:
    """The steps whose checkpoints are averaged; all of them if there are fewer than asked for.

    Args:
        costs: step and cost of all validations so far.
        average: the kind of average, and over how many checkpoints.
    """
    count = min(average.checkpoints, len(costs))
    if average.kind == "none":
        return []
    if average.kind == "last":
        return [step for step, _ in costs[-count:]]
    starts = range(len(costs) - count + 1)
    first = min(starts, key=lambda start: sum(cost for _, cost in costs[start : start + count]))
    return [step for step, _ in costs[first : first + count]]


def steps_to_keep(costs: Sequence[tuple[int, float]], average: AverageSettings) -> set[int]:
    """The steps whose checkpoints may still be needed: the newest to resume from, those that would
    be averaged now, and those that later ones may be averaged with."""
    with_later = 1 if average.kind == "none" else max(1, average.checkpoints - 1)
    return {*steps_to_average(costs, average), *(step for step, _ in costs[-with_later:])}


def max_checkpoints_kept(average: AverageSettings) -> int:
    """The largest number of checkpoints that are kept at the same time."""
    if average.kind == "none":
        return 1
    if average.kind == "last":
        return average.checkpoints
    return average.checkpoints + max(1, average.checkpoints - 1)


def average_weights(paths: Sequence[Path]) -> dict[str, Tensor]:
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
