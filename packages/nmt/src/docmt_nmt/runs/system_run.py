"""`SystemRun`: a run directory with the recipe, the text pipeline and the weights of a trained
system. Translation, evaluation and further training need nothing else.

    RUN/format.json           the format of the directory, and docmt's version
    RUN/recipe.yaml           the recipe, with every key
    RUN/text/                 the text pipeline
    RUN/thresholds.json       limits of unusual sentence pairs, learned from the training split
    RUN/weights.safetensors   the best weights so far, or the final ones
    RUN/alignment.json        the attention for word alignment, if `docmt tune-alignment` found it
    RUN/log.jsonl             the training log
    RUN/checkpoints/000100/   checkpoints to resume training from
    RUN/data/                 the prepared corpus, unless the recipe names one
    RUN/evaluation/test/      the translation of `docmt evaluate --split test`, and the scores
    RUN/encodings/            the states of context encoders, unless the recipe names a folder
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from docmt_files.base.errors import InputError
from docmt_files.base.wording import first_few
from docmt_files.storage.files import PathLike, whole_directory, whole_path, write_text
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.base.choices import WeightFormat
from docmt_nmt.base.settings import flatten
from docmt_nmt.recipes import Recipe
from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.runs.bundled import resolve
from docmt_nmt.runs.run import check_new, check_not_a_run, read_recipe, write_recipe
from docmt_nmt.runs.trained_run import ALIGNMENT, THRESHOLDS, TrainedRun, read_pipeline
from docmt_nmt.runs.weights import (
    check_finite,
    load_weights,
    misfit_error,
    misfits,
    read_weights,
    tied_names,
    write_weights,
)
from docmt_nmt.systems import System, build
from docmt_nmt.text import Pipeline
from docmt_nmt.translators.checks.translation_checks import CheckThresholds

_LEARNED = (THRESHOLDS, ALIGNMENT)
"""Learned files of a run besides the weights."""

_FORMATS = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


@dataclass(frozen=True, slots=True)
class SystemRun(TrainedRun):
    """The run directory of a system trained or imported by docmt.

    Attributes:
        directory: the path.
        recipe: the recipe.
    """

    recipe: Recipe

    @classmethod
    def create(
        cls,
        directory: PathLike,
        recipe: Recipe,
        pipeline: Pipeline,
        thresholds: CheckThresholds | None = None,
    ) -> Self:
        """Make a run directory, without weights yet.

        Args:
            directory: the path.
            recipe: the recipe.
            pipeline: the text pipeline.
            thresholds: limits of unusual sentence pairs, if known.

        Raises:
            InputError: the directory is a run already, or cannot be written.
        """
        directory = Path(directory)
        check_not_a_run(directory)
        with whole_directory(directory / "text") as part:
            pipeline.save(part)
        (directory / THRESHOLDS).unlink(missing_ok=True)
        run = cls(directory, recipe, pipeline)
        if thresholds is not None:
            run.save_thresholds(thresholds)
        write_recipe(directory, recipe)
        return run

    @classmethod
    def create_whole(
        cls, directory: PathLike, recipe: Recipe, pipeline: Pipeline, state: Mapping[str, Tensor]
    ) -> Self:
        """Make a run directory with weights, all of it or nothing.

        Args:
            directory: the directory to make.
            recipe: the recipe.
            pipeline: the text pipeline.
            state: tensors by name.

        Raises:
            InputError: the path is taken, or cannot be written.
        """
        directory = Path(directory)
        check_new(directory)
        with whole_directory(directory, replace=False) as part:
            run = cls.create(part, recipe, pipeline)
            run.save_weights(state)
        return cls(directory, recipe, pipeline)

    def export(self, directory: PathLike, weights: WeightFormat = "fp16") -> Self:
        """Make a run directory for translation, all of it or nothing: without the log, checkpoints,
        corpus and evaluation. The recipe does not name the run of the initial weights, whose path
        means nothing elsewhere.

        Args:
            directory: the directory to make.
            weights: the number format of the weights in the file. They are loaded as 32-bit numbers
                again.

        Raises:
            InputError: the path is taken or cannot be written, the run has no weights, or a weight
                is too large for the format.
        """
        dtype = _FORMATS[weights]
        state = self.state()
        converted: dict[str, Tensor] = {}
        for names in tied_names(state):
            tensor = state[names[0]]
            kept = tensor.to(dtype) if tensor.is_floating_point() else tensor
            converted |= dict.fromkeys(names, kept)
        check_finite(converted, self.weights, cure="Write another format: bf16 or fp32")
        directory = Path(directory)
        check_new(directory)
        recipe = self.recipe.model_copy(update={"initialize": None})
        with whole_directory(directory, replace=False) as part:
            run = self.create(part, recipe, self.pipeline)
            for name in _LEARNED:
                if os.path.lexists(self.directory / name):
                    (part / name).write_bytes(read_stored(self.directory / name))
            run.save_weights(converted)
        return replace(self, directory=directory, recipe=recipe)

    @classmethod
    def load(cls, directory: PathLike) -> Self:
        """Open a run directory.

        Args:
            directory: the path, or `bundled:NAME` for a model bundled with docmt.

        Raises:
            InputError: the directory is not a run, the recipe or the pipeline cannot be read, or
                the run is not of a system.
        """
        return cls.with_recipe(resolve(directory), read_recipe(directory))

    @classmethod
    def with_recipe(cls, directory: Path, recipe: BaseRecipe) -> Self:
        """Open a run directory whose recipe has been read.

        Raises:
            InputError: as `load`.
        """
        if not isinstance(recipe, Recipe):
            raise InputError(
                f"is a run of the translator {recipe.translator_name}, which has neither weights "
                "nor a text pipeline",
                path=directory,
                cure="Name the run of a system that docmt trained or imported",
            )
        return cls(directory, recipe, read_pipeline(directory))

    @property
    def log(self) -> Path:
        """The training log, one JSON object per line."""
        return self.directory / "log.jsonl"

    @property
    def checkpoints(self) -> Path:
        """The directory of checkpoints."""
        return self.directory / "checkpoints"

    def save_thresholds(self, thresholds: CheckThresholds) -> None:
        """Write limits of unusual sentence pairs in place of the run's own.

        Raises:
            InputError: the file cannot be written.
        """
        write_text(self.directory / THRESHOLDS, thresholds.to_json())

    def new_system(self) -> System:
        """The recipe's system with random initial weights, on CPU."""
        return build(
            self.recipe.system,
            len(self.pipeline.source_vocabulary),
            len(self.pipeline.target_vocabulary),
            seed=self.recipe.training.seed,
        )

    def state(self) -> dict[str, Tensor]:
        """The weights by name.

        Raises:
            InputError: the run has no weights yet, or the file is damaged or holds NaN or infinity.
        """
        if not os.path.lexists(self.weights):
            raise InputError(
                "the run has no weights yet",
                path=self.directory,
                cure="Train it: the first weights are written after the first validation",
            )
        return read_weights(self.weights)

    def system(self, device: torch.device | str = "cpu") -> System:
        """The trained system in eval mode.

        Raises:
            InputError: the run has no weights yet, or they are damaged or do not fit the recipe.
        """
        state = self.state()
        # First, because a system of the sizes of a damaged recipe may not fit into memory.
        self._check_sizes(state)
        with _WithoutValues():
            system = self.new_system()
        load_weights(system, state, self.weights)
        return system.to(device).eval()

    def _check_sizes(self, state: Mapping[str, Tensor]) -> None:
        """Check the shapes of weights against the recipe's system, built as an outline without
        values."""
        sizes = flatten(self.recipe.system.model_dump(mode="json"), "system.")
        # Every layer has a tensor, and even the outline of a million layers takes minutes.
        problems = [
            f"{key} is {size}, but there are {len(state)} tensors"
            for key, size in sizes.items()
            if key.endswith("layers") and isinstance(size, int) and size > len(state)
        ]
        if not problems:
            with torch.device("meta"), _WithoutValues():
                outline = self.new_system().state_dict()
            problems = misfits(outline, state, "the recipe")
            # A missing name is fine if the tensor has another name.
            shapes = {tensor.shape for tensor in state.values()}
            missing = [n for n, t in outline.items() if n not in state and t.shape not in shapes]
            if missing:
                problems.append("missing: " + first_few(missing))
        if problems:
            raise misfit_error(problems, self.weights)

    def save_weights(self, state: Mapping[str, Tensor]) -> None:
        """Replace the run's weights, whole or not at all.

        Args:
            state: tensors by name, as from `system.state_dict()`.
        """
        with whole_path(self.weights) as part:
            write_weights(part, state)


class _WithoutValues(TorchFunctionMode):
    """Skips random initialization of tensors: of an outline, whose tensors have no values (drawing
    some would load the compiler), and of tensors to be filled with loaded weights."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        keys = kwargs or {}
        module = getattr(func, "__module__", None)
        if func in (Tensor.normal_, Tensor.uniform_) or module == torch.nn.init.__name__:
            return keys["tensor"] if "tensor" in keys else args[0]
        return func(*args, **keys)
