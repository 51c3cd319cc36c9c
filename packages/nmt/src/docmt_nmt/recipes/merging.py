"""Merging of recipes: a file into the recipe it extends, overrides into a recipe, a stage into the
recipe of all stages. Sections are merged key by key; any other value is replaced. Inherited keys
without an effect after the change are dropped, and so are sections unknown to recipes of the
changed system.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from docmt_files.base.errors import InputError
from docmt_nmt.base.settings import Settings, holds_names, models_below
from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.systems import PRESETS, SystemSettings, settings_class

Values = dict[str, Any]


def merge(base: Values, change: Values, kind: type[BaseRecipe]) -> Values:
    """The plain values of a recipe of a kind, with the values of `change` over them."""
    result = dict(base)
    for key, new in change.items():
        old = result.get(key)
        if key == "system" and isinstance(old, dict) and isinstance(new, dict):
            result[key] = _merge_systems(old, new, kind)
        elif key == "stages" and isinstance(old, list | None) and isinstance(new, dict):
            result[key] = _merge_stages(old or [], new, kind)
        elif isinstance(old, dict) and isinstance(new, dict):
            result[key] = merge_section(old, new, models_below([kind], key))
        else:
            result[key] = new
    return result


def merge_section(base: Values, change: Values, models: Sequence[type[BaseModel]] = ()) -> Values:
    """A section with the keys of `change` over the section's own, at any depth.

    Args:
        models: the settings class of the section, to drop keys without an effect beside the keys of
            `change`.
    """
    result = dict(base)
    for model in models:
        if issubclass(model, Settings):
            result = model.without_ruled_out(result, change)
    for key, new in change.items():
        old, below = result.get(key), models_below([*models], key)
        if not isinstance(old, dict) or not isinstance(new, dict):
            result[key] = new
        elif holds_names(models, key):
            result[key] = _merge_named(old, new, below)
        else:
            result[key] = merge_section(old, new, below)
    return result


def _merge_named(old: Values, new: Values, models: Sequence[type[BaseModel]]) -> Values:
    """Sections of the same kind, each under a name of the user's choice."""
    return old | {
        name: merge_section(old[name], section, models)
        if isinstance(old.get(name), dict) and isinstance(section, dict)
        else section
        for name, section in new.items()
    }


def _merge_stages(stages: list[Any], changes: Values, kind: type[BaseRecipe]) -> list[Any]:
    """Stages with changes to some of them, by name."""
    names = [str(stage.get("name")) if isinstance(stage, dict) else "" for stage in stages]
    for name in changes:
        if name not in names:
            known = ", ".join(map(str, names)) or "none"
            raise InputError(f"the recipe has no stage {name!r}", cure=f"Its stages: {known}")
        if not isinstance(changes[name], dict):
            raise InputError(
                f"the stage {name!r} is set to {changes[name]!r}, which has no keys",
                cure=f"Set the keys of the stage, for example stages.{name}.training.max_steps=500",
            )
    return [
        merge(stage, changes[name], kind) if name in changes else stage
        for name, stage in zip(names, stages, strict=True)
    ]


def _merge_systems(old: Values, new: Values, kind: type[BaseRecipe]) -> Values:
    """A `system` section with a change."""
    models = models_below([kind], "system")
    if not all(issubclass(model, SystemSettings) for model in models):
        return merge_section(old, new, models)  # of an engine, which alone is named
    settings = _system_settings(new.get("name", old.get("name", "transformer")))
    return merge_section(_inherited_system(old, new), new, [] if settings is None else [settings])


def _inherited_system(old: Values, new: Values) -> Values:
    """The inherited keys of a `system` section under a change: a new preset sets all sizes again,
    and another system does not have all keys of the old one."""
    kept = dict(old)
    if "preset" in new:
        kept = {key: value for key, value in kept.items() if key not in PRESETS["base"]}
    before, after = old.get("name", "transformer"), new.get("name")
    if after is not None and after != before:
        known = [_system_settings(name) for name in (before, after)]
        keys = [set(settings.model_fields if settings else ()) for settings in known]
        kept = {key: value for key, value in kept.items() if key not in keys[0] - keys[1]}
    return kept


def _system_settings(name: Any) -> type[Settings] | None:
    """The settings of the system of this name; None for an unknown name, reported when the merged
    recipe is validated."""
    try:
        return settings_class(str(name))
    except InputError:
        return None
