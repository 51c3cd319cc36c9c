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
from typing import Any

import torch
from torch import Tensor

from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.nn.fastest_precision import training_speed
from docmt_nmt.recipes.recipe import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weights import tied_names
from docmt_nmt.training.trainer import IsLast, train

_TRAIN, _VALID, _OWN = "train.jsonl", "valid.jsonl", "own.jsonl"

_MIN_GAIN = 1.2
"""Times the speed of fp32 from which bf16 is chosen."""


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """Settings of the training.

    Attributes:
        learning_rate: the peak, of all weights.
        own_share: the share of general sentences with the start's own translations in every batch.
        tuned_share: the share of the tuned weights in the average with the start's.
        batch_tokens: tokens per update.
        max_epochs: the most passes over the pairs.
        validations: validations per pass, at most one in `min_updates` updates.
        min_updates: the fewest updates between validations.
        patience: validations without a better one after which the training ends.
        seed: seed of the order of batches and of dropout.
    """

    learning_rate: float = 2e-4
    own_share: float = 0.2
    tuned_share: float = 0.75
    batch_tokens: int = 2048
    max_epochs: int = 6
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


def recipe_of(start: SystemRun, folder: Path, settings: TuningSettings, words: int) -> Recipe:
    """The recipe of the training on the corpora in a folder.

    Args:
        start: the run to start from.
        folder: the folder of `write_data`.
        settings: the settings of the training.
        words: the number of target words of the pairs, which says how often to validate.
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
    system = start.new_system()
    fast = training_speed(system, "bf16") >= _MIN_GAIN if _is_on_cpu() else True
    training: dict[str, Any] = {
        "seed": settings.seed,
        "max_epochs": settings.max_epochs,
        "batch_tokens": settings.batch_tokens,
        "precision": "bf16" if fast else "fp32",
        "learning_rate": settings.learning_rate,
        "schedule": "inverse-sqrt",
        "warmup_steps": 20,
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


def _is_on_cpu() -> bool:
    return not torch.accelerator.is_available()


def tune(
    start: SystemRun,
    folder: Path,
    settings: TuningSettings,
    words: int,
    is_last: IsLast | None = None,
) -> SystemRun:
    """Train on the corpora in a folder, or go on with a training that was stopped.

    Args:
        start: the run to start from.
        folder: the folder of `write_data`; the run is made in it.
        settings: the settings of the training.
        words: the number of target words of the pairs.
        is_last: ends the training, as of `docmt_nmt.training.train`.

    Raises:
        InputError: as `docmt_nmt.training.train`.
    """
    run = folder / "run"
    # Which precision is faster is measured, and may be another the next time.
    is_begun = (run / "recipe.yaml").exists()
    recipe = SystemRun.load(run).recipe if is_begun else recipe_of(start, folder, settings, words)
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
