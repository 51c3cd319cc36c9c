"""A recipe with stages as plain recipes, one for each stage. A stage is a separate run, initialized
from the run of the previous stage (Bao et al. 2021, appendix C.1: first the sentence Transformer,
then the G-Transformer from it).
"""

from __future__ import annotations

from pathlib import Path

from docmt_files.storage.files import resolved
from docmt_nmt.recipes.merging import Values, merge
from docmt_nmt.recipes.recipe import Recipe

SECTIONS = ("data", "instances", "system", "training", "search")
"""The sections a stage can change, apart from `initialize`."""


def stages(recipe: Recipe, run: Path) -> list[tuple[str, Recipe]]:
    """The stages of a recipe as name and plain recipe, in the order of training.

    A stage's keys replace the recipe's own. From the second stage on, `initialize.run` is the run
    directory of the previous stage unless the stage sets it, and all weights are loaded. A recipe
    without stages is its own only stage, named "".

    >>> from docmt_nmt.recipes import load
    >>> [name for name, _ in stages(load("demo-g-transformer-finetuned"), Path("run"))]
    ['sentence', 'document']
    """
    if not recipe.stages:
        return [("", recipe)]
    return [
        (stage.name, Recipe.read(stage_values(recipe, index, run)))
        for index, stage in enumerate(recipe.stages)
    ]


def directories(recipe: Recipe, run: Path) -> list[Path]:
    """The run directory of each stage: RUN itself for the last, RUN/stages/NAME for the others.

    >>> from docmt_nmt.recipes import load
    >>> [str(path) for path in directories(load("demo-g-transformer-finetuned"), Path("run"))]
    ['run/stages/sentence', 'run']
    """
    return [*(run / "stages" / stage.name for stage in recipe.stages[:-1]), run]


def stage_values(recipe: Recipe, index: int, run: Path) -> Values:
    """The plain values of one stage, not validated.

    Args:
        index: the index of the stage, from 0.
    """
    stage = recipe.stages[index]
    values = recipe.model_dump(mode="json", exclude={"stages"})
    change: Values = {section: getattr(stage, section) for section in SECTIONS}
    initialize = {**(values["initialize"] or {})}
    if index > 0:
        # Absolute, so that the same run under another path is the same recipe.
        initialize |= {"load": "all", "leave_out": []}
        initialize["run"] = str(resolved(directories(recipe, run)[index - 1]))
    initialize |= stage.initialize
    change["initialize"] = initialize or None
    change["description"] = f"{recipe.description} Stage {stage.name}.".lstrip()
    return merge(values, change, type(recipe))
