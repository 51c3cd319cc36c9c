"""Checkpoints: all that is needed to take training up again, written whole or not at all.

    000100/weights.safetensors     the weights
    000100/optimizer.safetensors   Adam's moments, by parameter name; only in the newest
    000100/state.json              where training stands

Nothing is pickled, and no state of a random generator is kept: what is random in an update follows
from the seed and the update's number.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import BaseModel, ValidationError
from torch import Tensor, nn

from docmt.errors import InputError
from docmt.files import whole_directory
from docmt.recipes.schema import AverageSettings
from docmt.runs import fill, read_weights, write_weights

WEIGHTS, OPTIMISER, STATE = "weights.safetensors", "optimizer.safetensors", "state.json"
MOMENTS = ("exp_avg", "exp_avg_sq", "step")


class Validation(BaseModel):
    """What a validation found.

    Attributes:
        step: the update after which it was made.
        loss: mean negative log-likelihood of a label, in nats.
        bleu: d-BLEU of the translation, where checkpoints are selected by it.
    """

    step: int
    loss: float
    bleu: float | None = None

    def cost(self, metric: Literal["loss", "bleu"]) -> float:
        """What selection makes as small as possible."""
        if metric == "loss":
            return self.loss
        assert self.bleu is not None, "selection by BLEU needs it at every validation"
        return -self.bleu


class State(BaseModel):
    """Where training stands.

    Attributes:
        step: updates done.
        epoch: the current epoch, from 1.
        batches: batches done of the current epoch, by all processes.
        history: all validations so far.
        loaded: names of the parameters that were loaded from another run at the start.
        scaler: state of the loss scaling of fp16; empty without.
    """

    step: int = 0
    epoch: int = 1
    batches: int = 0
    history: list[Validation] = []
    loaded: list[str] = []
    scaler: dict[str, float] = {}

    def costs(self, metric: Literal["loss", "bleu"]) -> list[tuple[int, float]]:
        """The step and the cost of each validation."""
        return [(validation.step, validation.cost(metric)) for validation in self.history]

    def best(self, metric: Literal["loss", "bleu"]) -> Validation | None:
        """The best validation, the first of equals; None before the first."""
        return min(self.history, key=lambda v: v.cost(metric), default=None)

    def since_best(self, metric: Literal["loss", "bleu"]) -> int:
        """Validations in a row without a new best."""
        best = self.best(metric)
        return sum(best is not None and v.step > best.step for v in self.history)


class Checkpoints:
    """The checkpoints of a run.

    Args:
        directory: where they lie.
        average: what the run ends with; it decides which are kept.
    """

    def __init__(self, directory: Path, average: AverageSettings) -> None:
        self.directory, self.average = directory, average

    def path(self, step: int) -> Path:
        """The directory of the checkpoint of a step."""
        return self.directory / f"{step:06d}"

    def steps(self) -> list[int]:
        """The steps there are checkpoints of, in order."""
        names = (path.name for path in self.directory.glob("*"))
        return sorted(int(name) for name in names if name.isdecimal())

    def save(self, state: State, system: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Write the checkpoint of the state's step.

        Raises:
            InputError: it cannot be written; nothing of it is left then.
        """
        with whole_directory(self.path(state.step)) as part:
            write_weights(part / WEIGHTS, system.state_dict())
            write_weights(part / OPTIMISER, moments(system, optimizer))
            (part / STATE).write_text(state.model_dump_json(indent=1) + "\n", encoding="utf-8")

    def state(self) -> State:
        """The state of the newest checkpoint, or that before the first update.

        Raises:
            InputError: the file is damaged or missing.
        """
        steps = self.steps()
        if not steps:
            return State()
        path = self.path(steps[-1]) / STATE
        try:
            return State.model_validate_json(path.read_bytes())
        except OSError as error:
            problem = f"cannot be read ({error.strerror})"
        except ValidationError as error:
            problem = f"does not say where training stands ({fault(error)})"
        # Older checkpoints have no moments of Adam, so there is none to go back to.
        raise InputError(
            problem, path=path,
            cure=f"Copy the file again, or remove {self.directory} to train anew",
        )  # fmt: skip

    def restore(self, step: int, system: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Put weights and moments back as they were.

        Raises:
            InputError: a file of the checkpoint is damaged, missing or does not fit.
        """
        weights, moments = (self.path(step) / name for name in (WEIGHTS, OPTIMISER))
        anew = f"remove {self.directory} to train anew"
        fill(system, read_weights(weights, otherwise=anew), weights)
        restore_moments(system, optimizer, read_weights(moments, otherwise=anew), moments)

    def weights(self, step: int) -> Path:
        """The weights file of a checkpoint."""
        return self.path(step) / WEIGHTS

    def prune(self, costs: Sequence[tuple[int, float]]) -> None:
        """Remove checkpoints that neither resuming nor averaging can need, and of the older ones
        what only resuming needs.

        Args:
            costs: step and cost of all validations so far.
        """
        kept = needed(costs, self.average)
        newest = costs[-1][0]
        for step in self.steps():
            if step not in kept:
                shutil.rmtree(self.path(step))
            elif step != newest:
                (self.path(step) / OPTIMISER).unlink(missing_ok=True)


def fault(error: ValidationError) -> str:
    """The first thing that is wrong with a file of JSON."""
    first = error.errors(include_url=False)[0]
    return ": ".join([*filter(None, [".".join(map(str, first["loc"]))]), first["msg"]])


def window(costs: Sequence[tuple[int, float]], average: AverageSettings) -> list[int]:
    """The steps whose checkpoints are averaged: all there are, where they are fewer than asked.

    Args:
        costs: step and cost of all validations so far.
        average: which ones, and how many.
    """
    length = min(average.checkpoints, len(costs))
    if average.kind == "none":
        return []
    if average.kind == "last":
        return [step for step, _ in costs[-length:]]
    starts = range(len(costs) - length + 1)
    first = min(starts, key=lambda start: sum(cost for _, cost in costs[start : start + length]))
    return [step for step, _ in costs[first : first + length]]


def needed(costs: Sequence[tuple[int, float]], average: AverageSettings) -> set[int]:
    """The steps whose checkpoints can still be needed: the newest to resume, those that would be
    averaged now, and those that would be together with later ones."""
    later = 1 if average.kind == "none" else max(1, average.checkpoints - 1)
    return {*window(costs, average), *(step for step, _ in costs[-later:])}


def most_kept(average: AverageSettings) -> int:
    """The greatest number of checkpoints that are kept at a time."""
    later = max(1, average.checkpoints - 1)
    return {"none": 1, "last": average.checkpoints, "best": average.checkpoints + later}[
        average.kind
    ]


def moments(system: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Adam's moments and step counts by parameter name."""
    return {
        f"{name}.{moment}": optimizer.state[parameter][moment]
        for name, parameter in system.named_parameters()
        if parameter in optimizer.state
        for moment in MOMENTS
    }


def restore_moments(
    system: nn.Module,
    optimizer: torch.optim.Optimizer,
    saved: dict[str, Tensor],
    path: Path,
) -> None:
    """Give an optimizer back what `moments` took from it.

    Raises:
        InputError: the saved moments are not those of the parameters that learn.
    """
    names = {id(parameter): name for name, parameter in system.named_parameters()}
    ordered = [p for group in optimizer.param_groups for p in group["params"]]
    expected = {f"{names[id(p)]}.{moment}": p.shape for p in ordered for moment in MOMENTS[:2]}
    if any(name not in saved or saved[name].shape != shape for name, shape in expected.items()):
        raise InputError(
            "does not fit the recipe", path=path,
            cure="Resume with the recipe that the run began with",
        )  # fmt: skip
    state: dict[int, Any] = {
        number: {moment: saved[f"{names[id(p)]}.{moment}"] for moment in MOMENTS}
        for number, p in enumerate(ordered)
    }
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
