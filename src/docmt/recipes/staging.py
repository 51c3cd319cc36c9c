"""A recipe with stages as plain recipes, one for each stage. A stage is a run of its own that is
initialized from the run of the previous stage (Bao et al. 2021, appendix C.1: first the sentence
Transformer, then the G-Transformer from it). Overrides that a stage does not follow, because it
sets the same key, are reported.
"""

from __future__ import annotations

from pathlib import Path

from docmt.errors import InputError
from docmt.recipes.help import as_one_line
from docmt.recipes.merging import Values, merge
from docmt.recipes.recipe import Recipe, Stage
from docmt.settings import flatten
from docmt.systems import PRESETS

SECTIONS = ("data", "instances", "system", "training", "search")
"""The sections whose keys a stage can change, apart from `initialize`."""


def stages(recipe: Recipe, run: Path) -> list[tuple[str, Recipe]]:
    """The stages of a recipe as name and plain recipe, in the order of training.

    A stage's keys replace the recipe's own. From the second stage on, `initialize.run` is the run
    directory of the previous stage unless the stage sets it, and all of it is loaded. A recipe
    without stages is its own only stage, named "".

    >>> from docmt.recipes import load
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

    >>> from docmt.recipes import load
    >>> [str(path) for path in directories(load("demo-g-transformer-finetuned"), Path("run"))]
    ['run/stages/sentence', 'run']
    """
    return [*(run / "stages" / stage.name for stage in recipe.stages[:-1]), run]


def stage_values(recipe: Recipe, index: int, run: Path) -> Values:
    """The plain values of one stage, not validated.

    Args:
        index: which stage, from 0.
    """
    stage = recipe.stages[index]
    values = recipe.model_dump(mode="json", exclude={"stages"})
    change: Values = {section: getattr(stage, section) for section in SECTIONS}
    initialize = {**(values["initialize"] or {})}
    if index > 0:
        # Absolute, so that the same run under another path is the same recipe.
        initialize |= {"load": "all", "leave_out": []}
        initialize["run"] = str(directories(recipe, run)[index - 1].resolve())
    initialize |= stage.initialize
    change["initialize"] = initialize or None
    change["description"] = f"{recipe.description} Stage {stage.name}.".lstrip()
    return merge(values, change)


def overrides_without_effect(recipe: Recipe, change: Values) -> list[str]:
    """A sentence for each override that some stages do not follow.

    Args:
        change: the overrides as nested values, those of stages by name.

    Raises:
        InputError: no stage follows one of them; names the keys that reach the stages.
    """
    notes: list[str] = []
    if isinstance(change.get("stages"), list):  # the override replaces all stages
        return notes
    stage_recipes = stages(recipe, Path("RUN"))
    for key, value in flatten({k: v for k, v in change.items() if k != "stages"}).items():
        deaf = [stage.name for stage in recipe.stages if not _follows(stage, key, value, change)]
        if not deaf:
            continue
        text = as_one_line(value)
        instead = " ".join(f"stages.{name}.{key}={text}" for name in deaf)
        having = [name for name, r in stage_recipes if key in flatten(r.model_dump(mode="json"))]
        if set(having) <= set(deaf):
            raise InputError(
                f"{key}={text} has no effect: {_set_their_own(deaf)}", cure=f"Set {instead}"
            )
        notes.append(
            f"{key}={text} has no effect in part of the recipe: {_set_their_own(deaf)}. "
            f"To change it there too, set {instead}."
        )
    return notes


def _follows(stage: Stage, key: str, value: object, change: Values) -> bool:
    """Return whether an override of a key reaches a stage, or another sets it there."""
    sections = {section: getattr(stage, section) for section in (*SECTIONS, "initialize")}
    stage_keys = flatten({section: keys for section, keys in sections.items() if keys})
    if "preset" in stage.system:
        stage_keys = {f"system.{size}": None for size in PRESETS["base"]} | stage_keys
    overridden = flatten((change.get("stages") or {}).get(stage.name) or {})
    has_keys_below = any(name.startswith(f"{key}.") for name in stage_keys)
    return key in overridden or (not has_keys_below and stage_keys.get(key, value) == value)


def _set_their_own(names: list[str]) -> str:
    """Say that these stages set a key of their own."""
    if len(names) == 1:
        return f"stage {names[0]} sets its own"
    return f"stages {', '.join(names[:-1])} and {names[-1]} set their own"
