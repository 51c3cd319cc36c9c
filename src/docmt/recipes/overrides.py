"""Overrides that stages make idle: a stage's own key stands over the recipe's, so a changed key of
the recipe changes nothing there. Nobody who changes one expects that, so it is told.
"""

from __future__ import annotations

from pathlib import Path

from docmt.errors import InputError
from docmt.recipes.help import inline
from docmt.recipes.merging import Values
from docmt.recipes.recipe import Recipe, Stage
from docmt.recipes.stages import SECTIONS, stages
from docmt.settings import flat
from docmt.systems import PRESETS


def idle_overrides(recipe: Recipe, change: Values) -> list[str]:
    """What to tell of overrides that some stages do not follow, a sentence each.

    Args:
        recipe: the recipe with the overrides.
        change: the overrides as nested values, those of stages by name.

    Raises:
        InputError: no stage follows one of them; it names the keys that reach the stages.
    """
    notes: list[str] = []
    if isinstance(change.get("stages"), list):  # all stages are the override's own
        return notes
    plain = stages(recipe, Path("RUN"))
    for key, value in flat({k: v for k, v in change.items() if k != "stages"}).items():
        deaf = [stage.name for stage in recipe.stages if not follows(stage, key, value, change)]
        if not deaf:
            continue
        instead = " ".join(f"stages.{name}.{key}={inline(value)}" for name in deaf)
        having = [name for name, stage in plain if key in flat(stage.model_dump(mode="json"))]
        if set(having) <= set(deaf):
            raise InputError(
                f"{key}={inline(value)} has no effect: {sets_its_own(deaf)}",
                cure=f"Set {instead}",
            )
        notes.append(
            f"{key}={inline(value)} has no effect in part of the recipe: {sets_its_own(deaf)}. "
            f"To change it there too, set {instead}."
        )
    return notes


def follows(stage: Stage, key: str, value: object, change: Values) -> bool:
    """Whether a stage leaves a key as an override of the recipe's sets it, or another override says
    what it is there."""
    sections = {section: getattr(stage, section) for section in (*SECTIONS, "initialize")}
    own = flat({section: keys for section, keys in sections.items() if keys})
    if "preset" in stage.system:
        own = {f"system.{size}": None for size in PRESETS["base"]} | own
    asked = flat((change.get("stages") or {}).get(stage.name) or {})
    below = any(name.startswith(f"{key}.") for name in own)
    return key in asked or (not below and own.get(key, value) == value)


def sets_its_own(names: list[str]) -> str:
    """That these stages set a key."""
    if len(names) == 1:
        return f"stage {names[0]} sets its own"
    return f"stages {', '.join(names[:-1])} and {names[-1]} set their own"
