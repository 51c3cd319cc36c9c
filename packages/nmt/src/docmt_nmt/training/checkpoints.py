"""Checkpoints: the files needed to resume training, written whole or not at all.

    000100/weights.safetensors     the weights
    000100/optimizer.safetensors   what the optimizer keeps, such as Adam's moments, by parameter
                                   name; only in the newest checkpoint
    000100/state.json              the training record: how far training is

Nothing is pickled. No state of a random generator is kept, because every random draw of an update
follows from the seed and the number of the update.

A run ends with the mean of several checkpoints, weight by weight, which reduces the noise of the
last updates (Vaswani et al. 2017, section 6.1). The settings of the average decide which
checkpoints are kept.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from docmt_files.base.errors import InputError
from docmt_files.storage.files import whole_directory
from docmt_nmt.recipes.training import AverageSettings
from docmt_nmt.runs.weights import load_weights, read_weights, write_weights
from docmt_nmt.training.optimizer import moments
from docmt_nmt.training.run_record import TrainingRecord

WEIGHTS, OPTIMIZER, RECORD = "weights.safetensors", "optimizer.safetensors", "state.json"


class Checkpoints:
    """The checkpoints of a run.

    Args:
        average: the average at the end of the run; it decides which checkpoints are kept.
    """

    def __init__(self, directory: Path, average: AverageSettings) -> None:
        self.directory, self.average = directory, average

    def path(self, step: int) -> Path:
        """The directory of the checkpoint of a step."""
        return self.directory / f"{step:06d}"

    def weights(self, step: int) -> Path:
        """The weights file of the checkpoint of a step."""
        return self.path(step) / WEIGHTS

    def steps(self) -> list[int]:
        """Steps with a checkpoint, in ascending order."""
        names = (path.name for path in self.directory.glob("*"))
        return sorted(int(name) for name in names if name.isdecimal())

    def save(
        self, record: TrainingRecord, system: nn.Module, optimizer: torch.optim.Optimizer
    ) -> None:
        """Write the checkpoint of the record's step.

        Raises:
            InputError: it cannot be written; nothing of it is left then.
        """
        with whole_directory(self.path(record.step)) as part:
            write_weights(part / WEIGHTS, system.state_dict())
            write_weights(part / OPTIMIZER, _moments(system, optimizer))
            (part / RECORD).write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")

    def newest_record(self) -> TrainingRecord:
        """The record of the newest checkpoint, or an empty one if there is no checkpoint.

        Raises:
            InputError: the file is damaged or missing.
        """
        steps = self.steps()
        if not steps:
            return TrainingRecord()
        # Older checkpoints lack the optimizer's moments, so training cannot resume from them.
        return TrainingRecord.load(
            self.path(steps[-1]) / RECORD, cure=f"Copy the file again, or {self._start_over}"
        )

    def restore(self, step: int, system: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Load the weights and the moments of a checkpoint.

        Raises:
            InputError: a file of the checkpoint is damaged, missing or does not fit.
        """
        weights, kept = (self.path(step) / name for name in (WEIGHTS, OPTIMIZER))
        load_weights(system, read_weights(weights, otherwise=self._start_over), weights)
        saved = read_weights(kept, otherwise=self._start_over)
        _load_moments(system, optimizer, saved, kept)

    def prune(self, costs: Sequence[tuple[int, float]]) -> None:
        """Remove the checkpoints needed neither to resume nor to average, and all moments but the
        newest."""
        kept = steps_to_keep(costs, self.average)
        newest = costs[-1][0]
        for step in self.steps():
            if step not in kept:
                shutil.rmtree(self.path(step))
            elif step != newest:
                (self.path(step) / OPTIMIZER).unlink(missing_ok=True)

    @property
    def _start_over(self) -> str:
        """Return the cure for a lost checkpoint, as the end of a sentence."""
        return f"remove {self.directory} to train from the start"


def _moments(system: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the optimizer's tensors for each parameter, by parameter name."""
    return {
        f"{name}.{moment}": optimizer.state[parameter][moment]
        for name, parameter in system.named_parameters()
        if parameter in optimizer.state
        for moment in _kept(optimizer)
    }


def _kept(optimizer: torch.optim.Optimizer) -> tuple[str, ...]:
    """Names of the tensors kept by an optimizer for each parameter; none without moments."""
    names = moments(optimizer)
    return (*names, "step") if names else ()


def _load_moments(
    system: nn.Module, optimizer: torch.optim.Optimizer, saved: dict[str, Tensor], path: Path
) -> None:
    """Load the tensors returned by `_moments` into an optimizer."""
    names = {id(parameter): name for name, parameter in system.named_parameters()}
    ordered = [p for group in optimizer.param_groups for p in group["params"]]
    expected = {
        f"{names[id(p)]}.{moment}": p.shape for p in ordered for moment in moments(optimizer)
    }
    if any(name not in saved or saved[name].shape != shape for name, shape in expected.items()):
        raise InputError(
            "does not fit the recipe",
            path=path,
            cure="Resume with the recipe that the run began with",
        )
    kept = _kept(optimizer)
    state: dict[int, Any] = {
        i: {moment: saved[f"{names[id(p)]}.{moment}"] for moment in kept}
        for i, p in enumerate(ordered)
    }
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def steps_to_average(costs: Sequence[tuple[int, float]], average: AverageSettings) -> list[int]:
    """Steps whose checkpoints are averaged; all steps if there are fewer than the average needs.

    Args:
        costs: step and cost of all validations so far.
        average: the kind of average, and the number of checkpoints.
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
    """Steps whose checkpoints may still be needed: the newest step, to resume from; the steps of
    the current average; and steps that later averages may include."""
    with_later = 1 if average.kind == "none" else max(1, average.checkpoints - 1)
    return {*steps_to_average(costs, average), *(step for step, _ in costs[-with_later:])}


def max_checkpoints_kept(average: AverageSettings) -> int:
    """Maximum number of checkpoints kept at the same time."""
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
