"""One recipe over another: how a file changes what it extends, an override a recipe, and a stage
the recipe it belongs to. Sections are merged key by key; any other value is replaced. Keys that do
not count beside a changed one are left behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from docmt.errors import InputError
from docmt.recipes.recipe import Recipe
from docmt.settings import Settings, models_below, models_in, tags_of
from docmt.systems import PRESETS, SystemSettings

Values = dict[str, Any]


def merged(base: Values, change: Values) -> Values:
    """A recipe's plain values with those of `change` over them."""
    result = dict(base)
    for key, new in change.items():
        old = result.get(key)
        models = models_below([Recipe], key)
        if key == "system" and isinstance(old, dict) and isinstance(new, dict):
            name = new.get("name", old.get("name", "transformer"))
            models = [model for model in models if name in tags_of(model)]
            result[key] = sections_merged(inherited_by(new, old), new, models)
        elif key == "stages" and isinstance(old, list | None) and isinstance(new, dict):
            result[key] = stages_merged(old or [], new)
        elif isinstance(old, dict) and isinstance(new, dict):
            result[key] = sections_merged(old, new, models)
        else:
            result[key] = new
    return result


def sections_merged(base: Values, change: Values, models: Sequence[type[BaseModel]] = ()) -> Values:
    """A section with the keys of `change` over its own, however deep.

    Args:
        models: the settings class of the section, where keys that `change` makes idle are to be
            left behind.
    """
    result = {key: value for key, value in base.items() if not is_idle(key, change, models)}
    for key, new in change.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            result[key] = sections_merged(old, new, models_below([*models], key))
        else:
            result[key] = new
    return result


def is_idle(key: str, change: Values, models: Sequence[type[BaseModel]]) -> bool:
    """Whether a key does not count beside what `change` sets, by the section's `only_with`."""
    conditions = [m.only_with.get(key, {}) for m in models if issubclass(m, Settings)]
    return any(
        other in change and change[other] not in values
        for condition in conditions
        for other, values in condition.items()
    )


def stages_merged(stages: list[Any], changes: Values) -> list[Any]:
    """Stages with changes to some of them, by name.

    Raises:
        InputError: there is no stage of that name.
    """
    names = [stage.get("name") for stage in stages if isinstance(stage, dict)]
    for name in changes:
        if name not in names:
            known = ", ".join(map(str, names)) or "none"
            raise InputError(f"the recipe has no stage {name!r}", cure=f"Its stages: {known}")
    return [
        merged(stage, changes[stage["name"]]) if stage.get("name") in changes else stage
        for stage in stages
    ]


def inherited_by(new: Values, old: Values) -> Values:
    """What a `system` section keeps of the one it is put over: a preset sets all sizes anew, and
    another system has no use for the keys that only the old one knows."""
    kept = dict(old)
    if "preset" in new:
        kept = {key: value for key, value in kept.items() if key not in PRESETS["base"]}
    before, after = old.get("name", "transformer"), new.get("name")
    if after is not None and after != before:
        useless = system_keys(before) - system_keys(after)
        kept = {key: value for key, value in kept.items() if key not in useless}
    return kept


def system_keys(name: Any) -> set[str]:
    """The keys of the system of this name; none for a name that is unknown."""
    for settings in models_in(SystemSettings):
        if settings.model_fields["name"].default == name:
            return set(settings.model_fields)
    return set()
