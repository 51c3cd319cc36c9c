"""`TrainedRun`: what translation needs of the run of a trained system, without torch. `SystemRun`
adds the system; `docmt_nmt.runs.system_run` lists the files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, reporting_write_errors, whole_directory, write_text
from docmt_files.storage.json_files import read_json
from docmt_nmt.data import InstanceSettings
from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.recipes.recipe_kinds import is_of_a_system
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.runs.bundled import resolve
from docmt_nmt.runs.compiled_files import compiled_precisions, read_recipe_values
from docmt_nmt.runs.run import Run, check_new, check_run, write_recipe
from docmt_nmt.text import Pipeline, TextSettings
from docmt_nmt.translators.checks.translation_checks import CheckThresholds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from docmt_nmt.recipes.recipe import Recipe

THRESHOLDS = "thresholds.json"
"""The file with limits of unusual sentence pairs."""

ALIGNMENT = "alignment.json"
"""The file with the attention for word alignment."""


class TranslationRecipe(BaseRecipe):
    """The sections of a recipe that translation reads. The recipe was checked as a whole when its
    run was made, so the other sections are kept as they are."""

    text: TextSettings
    instances: InstanceSettings
    system: dict[str, Any]
    search: SearchSettings
    initialize: dict[str, Any] | None = None
    training: dict[str, Any] = Field(default_factory=dict)
    stages: tuple[dict[str, Any], ...] = ()

    @property
    def translator_name(self) -> str:
        return "beam-search"

    @property
    def joins_sentences(self) -> bool:
        return self.instances.join_sentences


@dataclass(frozen=True, slots=True)
class TrainedRun(Run):
    """The run directory of a trained system.

    Attributes:
        directory: the path.
        recipe: the recipe.
        pipeline: the text pipeline.
    """

    recipe: TranslationRecipe | Recipe
    pipeline: Pipeline

    @property
    def weights(self) -> Path:
        """The file of the weights for translation."""
        return self.directory / "weights.safetensors"

    def thresholds(self) -> CheckThresholds:
        """Limits of unusual sentence pairs, learned from the run's corpus. The defaults for the
        languages are used if the run was imported or the corpus is very small.

        Raises:
            InputError: the file is damaged.
        """
        path = self.directory / THRESHOLDS
        if not os.path.lexists(path):
            return CheckThresholds.default(self.pipeline.languages)
        return CheckThresholds.read(read_json(path), path=path)


def create_trained_run(
    directory: PathLike,
    recipe: TranslationRecipe | Recipe,
    pipeline: Pipeline,
    weights: Mapping[str, NDArray[np.generic]],
    scales: Mapping[str, float],
    alignment: str | None,
) -> TrainedRun:
    """Make a run directory with weights, all of it or nothing.

    Args:
        directory: the directory to make.
        recipe: the recipe.
        pipeline: the text pipeline.
        weights: the weights by name.
        scales: the scale of each array that holds codes.
        alignment: the content of the file `ALIGNMENT`, if the attention that aligns words is known.

    Raises:
        InputError: the path is taken, or cannot be written.
    """
    from docmt_nmt.runs.weight_arrays import write_weight_arrays

    directory = Path(directory)
    check_new(directory)
    with whole_directory(directory, replace=False) as part:
        with whole_directory(part / "text") as text:
            pipeline.save(text)
        run = TrainedRun(part, recipe, pipeline)
        with reporting_write_errors(run.weights):
            write_weight_arrays(run.weights, weights, scales)
        if alignment is not None:
            write_text(part / ALIGNMENT, alignment)
        write_recipe(part, recipe)
    return TrainedRun(directory, recipe, pipeline)


def open_compiled(directory: PathLike) -> TrainedRun | None:
    """Open the run of a trained system if it has a compiled form.

    Raises:
        InputError: the directory is not a run, or cannot be read.
    """
    directory = resolve(directory)
    if not compiled_precisions(directory) or not (directory / "recipe.yaml").is_file():
        return None
    return open_translation_run(directory)


def open_translation_run(directory: Path) -> TrainedRun:
    """Open the run of a trained system, with what translation reads of the recipe.

    Raises:
        InputError: the directory is not such a run, or cannot be read.
    """
    check_run(directory)
    values = read_recipe_values(directory)
    if not is_of_a_system(values):
        raise InputError(
            "is not the run of a trained system",
            path=directory,
            cure="Name the run of a system that docmt trained or imported",
        )
    recipe = TranslationRecipe.read(values, path=directory / "recipe.yaml")
    return TrainedRun(directory, recipe, read_pipeline(directory))


def read_pipeline(directory: Path) -> Pipeline:
    """The text pipeline of a run.

    Raises:
        InputError: it is missing or damaged.
    """
    if not (directory / "text").is_dir():
        raise InputError(
            "lacks the folder text, which holds the text pipeline",
            path=directory,
            cure="Copy the whole run directory again",
        )
    return Pipeline.load(directory / "text")
