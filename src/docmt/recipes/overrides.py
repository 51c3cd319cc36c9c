"""Reports overrides that have no effect because a stage sets the same key."""

from __future__ import annotations

from pathlib import Path

from docmt.errors import InputError
from docmt.recipes.help import as_one_line
from docmt.recipes.merging import Values
from docmt.recipes.recipe import Recipe, Stage
from docmt.recipes.staging import SECTIONS, stages
from docmt.settings import flatten
from docmt.systems import PRESETS


def overrides_without_effect(recipe: Recipe, change: Values) -> list[str]:
    """A sentence for each override that some stages do not follow.

    Args:
        recipe: the recipe with the overrides.
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
