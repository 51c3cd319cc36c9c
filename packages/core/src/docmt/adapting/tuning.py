"""Tuning of a trained system on pairs: a run of docmt's training, initialized from the start, and
the average of the start's weights and the tuned ones.

What a tuned system forgets is kept in three ways: it is trained for a short time, a share of every
batch are general sentences with the start's own translations, and its weights are averaged with
those of the start (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models").
`TuningSettings` has the defaults that `studies/adapting` found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.recipes.recipe import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weights import tied_names
from docmt_nmt.training.trainer import IsLast, train

_TRAIN, _VALID, _OWN = "train.jsonl", "valid.jsonl", "own.jsonl"

_WARMUP = 20
"""Updates in which the learning rate rises to its peak."""

_SPEED = 6e10
"""Operations in a second that a thread is taken for, by which the learning rate falls to zero
within the time. It is not measured, so that the same command makes the same model."""

_GPU_SPEED = 1e13
"""The same of a GPU."""


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """Settings of the training.

    Attributes:
        learning_rate: the peak, of all weights.
        epsilon: Adam's; `studies/adapting` found a larger one to cost more general text.
        schedule: the course of the learning rate after the peak; `polynomial` falls to zero at the
            end of the training.
        own_share: the share of general sentences with the start's own translations in every batch.
        tuned_shares: shares of the tuned weights in the average with the start's, from the largest;
            the first one that general text bears is taken, or the last one.
        unmeasured_share: the share where there is no general text to measure with.
        batch_tokens: tokens per update.
        max_epochs: the most passes over the pairs, also parts of one.
        repeated_updates: the updates up to which there are more than two passes.
        validations: validations per pass, at most one in `min_updates` updates.
        min_updates: the fewest updates between validations.
        patience: validations without a better one after which the training ends.
        seed: seed of the order of batches and of dropout.
    """

    learning_rate: float = 2e-4
    epsilon: float = 1e-8
    schedule: Literal["polynomial", "inverse-sqrt"] = "polynomial"
    own_share: float = 0.2
    tuned_shares: tuple[float, ...] = (0.75, 0.5, 0.35, 0.25)
    unmeasured_share: float = 0.25
    batch_tokens: int = 2048
    max_epochs: float = 6
    repeated_updates: int = 90
    validations: int = 2
    min_updates: int = 15
    patience: int = 3
    seed: int = 1


@dataclass(frozen=True, slots=True)
class TuningData:
    """The texts of a training.

    Attributes:
        train: the pairs to learn.
        valid: pairs by which the training ends early.
        own: general sentences with the start's own translations.
    """

    train: Sequence[Document]
    valid: Sequence[Document]
    own: Sequence[Document] = ()


def write_data(data: TuningData, folder: Path) -> None:
    """Write the texts of a training as corpora.

    Raises:
        InputError: they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, documents in ((_TRAIN, data.train), (_VALID, data.valid), (_OWN, data.own)):
        if documents:
            corpora.write(documents, folder / name)


def recipe_of(
    start: SystemRun, folder: Path, settings: TuningSettings, words: int, seconds: float
) -> Recipe:
    """The recipe of the training on the corpora in a folder.

    Args:
        start: the run to start from.
        folder: the folder of `write_data`.
        settings: the settings of the training.
        words: the number of target words of the pairs, which says how many updates a pass has.
        seconds: the most seconds of the training, which say how many updates there are at most.
    """
    values = start.recipe.model_dump(mode="json")
    data = {
        **values["data"],
        "train": {"source": str(folder / _TRAIN)},
        "valid": {"source": str(folder / _VALID)},
        "test": None,
        "prepared": None,
        "additional": {},
    }
    if (folder / _OWN).is_file() and settings.own_share > 0:
        own = {"source": str(folder / _OWN), "share": settings.own_share}
        data["additional"] = {"own": own}
    # Some 1.5 tokens per word.
    updates = 1.5 * words / (1 - settings.own_share) / settings.batch_tokens
    most = min(
        settings.max_epochs * updates,
        max(2 * updates, settings.repeated_updates),
        seconds / _seconds_of_update(start, settings),
    )
    training: dict[str, Any] = {
        "seed": settings.seed,
        "max_steps": max(round(most), _WARMUP + 1),
        "batch_tokens": settings.batch_tokens,
        "precision": "bf16" if _has_bf16() else "fp32",
        "learning_rate": settings.learning_rate,
        "epsilon": settings.epsilon,
        "schedule": settings.schedule,
        "warmup_steps": _WARMUP,
        "clip_norm": 1.0,
        # Distilled models bear neither this nor dropout; the system's own dropout stays.
        "label_smoothing": 0.0,
        "validate_every": max(settings.min_updates, round(updates / settings.validations)),
        "patience": settings.patience,
    }
    sections = {
        "description": f"Adapted from {start.directory.name}",
        "data": data,
        "initialize": {"run": str(start.directory)},
        "training": training,
        "stages": [],
    }
    return Recipe.read({**values, **sections})


def _seconds_of_update(start: SystemRun, settings: TuningSettings) -> float:
    """The seconds that an update is taken for."""
    weights = sum(tensor.numel() for tensor in start.state().values())
    # Two operations per weight and token, forwards and twice backwards.
    speed = _GPU_SPEED if torch.accelerator.is_available() else _SPEED * torch.get_num_threads()
    return 6 * weights * settings.batch_tokens / speed


def _has_bf16() -> bool:
    """Return whether the processor computes in bf16; others would be slower than in fp32."""
    if torch.accelerator.is_available():
        return True
    # Private: their absence means an older PyTorch, which trains in fp32.
    names = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    return any(getattr(torch.cpu, name, lambda: False)() for name in names)


def tune(
    start: SystemRun,
    folder: Path,
    settings: TuningSettings,
    words: int,
    is_last: IsLast | None = None,
    seconds: float = float("inf"),
) -> SystemRun:
    """Train on the corpora in a folder, or go on with a training that was stopped.

    Args:
        start: the run to start from.
        folder: the folder of `write_data`; the run is made in it.
        settings: the settings of the training.
        words: the number of target words of the pairs.
        is_last: ends the training, as of `docmt_nmt.training.train`.
        seconds: the most seconds of the training.

    Raises:
        InputError: as `docmt_nmt.training.train`.
    """
    run = folder / "run"
    # A training that goes on may go on with other threads.
    is_begun = (run / "recipe.yaml").exists()
    made = None if is_begun else recipe_of(start, folder, settings, words, seconds)
    recipe = made or SystemRun.load(run).recipe
    return train(recipe, run, progress=False, is_last=is_last)


def averaged(
    start: Mapping[str, Tensor], tuned: Mapping[str, Tensor], tuned_share: float
) -> dict[str, Tensor]:
    """The weighted mean of the weights of two systems; tied weights stay tied.

    Args:
        start, tuned: the weights by name.
        tuned_share: the weight of `tuned`, from 0 to 1.
    """
    state: dict[str, Tensor] = {}
    for names in tied_names(tuned):
        first = names[0]
        mean = torch.lerp(start[first].float(), tuned[first].float(), tuned_share)
        state |= dict.fromkeys(names, mean)
    return state
