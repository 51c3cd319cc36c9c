"""A recipe with stages as plain recipes, one for each stage. A stage is a run of its own that
starts from the run of the stage before (Bao et al. 2021, appendix C.1: the sentence Transformer
first, then the G-Transformer from it).
"""

from __future__ import annotations

from pathlib import Path

from docmt.recipes.merging import Values, merged
from docmt.recipes.recipe import Recipe

SECTIONS = ("data", "instances", "system", "training", "search")


def stages(recipe: Recipe, run: Path) -> list[tuple[str, Recipe]]:
    """The stages of a recipe as name and plain recipe, in the order they are trained.

    A stage's keys stand over the recipe's own. From the second stage on, `start.run` is the run
    directory of the stage before unless the stage says otherwise. A recipe without stages is its
    own only stage, named "".

    Args:
        run: the run directory of the whole.
    """
    if not recipe.stages:
        return [("", recipe)]
    return [
        (stage.name, Recipe.read(stage_values(recipe, number, run)))
        for number, stage in enumerate(recipe.stages)
    ]


def directories(recipe: Recipe, run: Path) -> list[Path]:
    """The run directory of each stage: RUN itself for the last, RUN/stages/NAME for the others."""
    return [*(run / "stages" / stage.name for stage in recipe.stages[:-1]), run]


def stage_values(recipe: Recipe, number: int, run: Path) -> Values:
    """The plain values of one stage, not validated.

    Args:
        number: which stage, from 0.
        run: the run directory of the whole.
    """
    stage = recipe.stages[number]
    values = recipe.model_dump(mode="json", exclude={"stages"})
    change: Values = {section: getattr(stage, section) for section in SECTIONS}
    start = {**(values["initialize"] or {})}
    if number > 0:
        # Absolute, so that the same run named by another path is the same recipe.
        start["run"] = str(directories(recipe, run)[number - 1].resolve())
    start |= stage.initialize
    change["initialize"] = start or None
    change["description"] = f"{recipe.description} Stage {stage.name}.".lstrip()
    return merged(values, change)
