"""Settings of a recipe that its stages do not follow, because they set the same key: an error if no
stage follows them, a note if some do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from docmt.ground.errors import InputError, located
from docmt.ground.settings import flatten
from docmt.recipes.bundle import is_bundled
from docmt.recipes.merging import Values
from docmt.recipes.recipe import Recipe, Stage
from docmt.recipes.staging import SECTIONS, stages
from docmt.recipes.yaml_source import OVERRIDE, Location, Locations, as_one_line
from docmt.systems import PRESETS


def check_effects(recipe: Recipe, sources: Sequence[Values], locations: Locations) -> list[str]:
    """A sentence for each setting that some stages do not follow.

    The settings are those of the overrides and of the files that extend the one with the stages.
    Whoever writes stages sees their keys beside those that they share: there only a setting that
    all stages replace is wrong, and a resolved recipe, which lists every key, may have it.

    Args:
        sources: the values of each file, the most basic first, and at last those of the overrides.
        locations: where each key was written.

    Raises:
        InputError: no stage follows a setting; names the stages and what reaches them.
    """
    if not recipe.stages:
        return []
    shared = flatten(recipe.model_dump(mode="json"))
    by_stage = {name: flatten(r.model_dump(mode="json")) for name, r in stages(recipe, Path("RUN"))}
    notes: list[str] = []
    for source, settings, lists_stages in _checked(sources):
        for key, value in settings.items():
            deaf = [
                stage.name
                for stage in recipe.stages
                if not _follows(stage, key, value, source, shared, by_stage[stage.name])
            ]
            having = [name for name in by_stage if _has(by_stage[name], key)]
            location = locations.get(tuple(key.split(".")))
            if not having and key in shared:
                raise _no_effect(key, value, list(by_stage), location, unused=True)
            if deaf and set(having) <= set(deaf):
                raise _no_effect(key, value, deaf, location)
            if deaf and not lists_stages and not _is_bundled(location):
                notes.append(_note(key, value, deaf, location))
    return notes


def _checked(sources: Sequence[Values]) -> Iterator[tuple[Values, Values, bool]]:
    """The sources from the last to the one that lists the stages, each with its settings by their
    dotted keys, without those that a later source replaces, and whether it lists the stages."""
    replaced: set[str] = set()
    for source in reversed(sources):
        lists_stages = isinstance(source.get("stages"), list)
        settings = flatten({key: value for key, value in source.items() if key != "stages"})
        if not (lists_stages and Recipe.model_fields.keys() <= source.keys()):
            yield source, {k: v for k, v in settings.items() if k not in replaced}, lists_stages
        if lists_stages:
            return
        replaced |= settings.keys()


def _follows(
    stage: Stage, key: str, value: Any, source: Values, shared: Values, of_stage: Values
) -> bool:
    """Return whether a setting reaches a stage, or the same source sets the stage's own.

    Args:
        shared: the keys of the recipe.
        own: those of the stage as a recipe.
    """
    named = source.get("stages")
    if isinstance(named, dict) and key in flatten(named.get(stage.name) or {}):
        return True
    in_section = key.partition(".")[0] in SECTIONS
    if in_section and key in shared and key in of_stage and of_stage[key] != shared[key]:
        return False
    sections = {section: getattr(stage, section) for section in (*SECTIONS, "initialize")}
    stage_keys = flatten({section: keys for section, keys in sections.items() if keys})
    if "preset" in stage.system:
        stage_keys = {f"system.{size}": None for size in PRESETS["base"]} | stage_keys
    has_keys_below = any(name.startswith(f"{key}.") for name in stage_keys)
    return not has_keys_below and stage_keys.get(key, value) == value


def _has(keys: Values, key: str) -> bool:
    """Return whether a recipe has a key, or keys below it."""
    return key in keys or any(name.startswith(f"{key}.") for name in keys)


def _is_override(location: Location | None) -> bool:
    """Return whether a setting was given beside the files."""
    return location is None or location.path.startswith(OVERRIDE)


def _is_bundled(location: Location | None) -> bool:
    """Return whether a setting is of a bundled recipe, which means what it says."""
    return location is not None and is_bundled(Path(location.path))


def _setting(key: str, value: Any, location: Location | None) -> str:
    """A setting as its source writes it."""
    return f"{key}{'=' if _is_override(location) else ': '}{as_one_line(value)}"


def _in_stages(key: str, value: Any, names: Sequence[str], location: Location | None) -> str:
    """The setting of a key in some stages, as the source of the setting would write it."""
    if _is_override(location):
        return " ".join(f"stages.{name}.{key}={as_one_line(value)}" for name in names)
    parts = [f"{part}: " for part in key.split(".")]
    keys = "{".join(parts) + as_one_line(value) + "}" * (len(parts) - 1)
    return f"`stages: {{{', '.join(f'{name}: {{{keys}}}' for name in names)}}}`"


def _no_effect(
    key: str, value: Any, names: Sequence[str], location: Location | None, *, unused: bool = False
) -> InputError:
    """The error about a setting that no stage follows."""
    because = "no stage has this key" if unused else _set_their_own(names)
    cure = "Leave it out" if unused else f"Set {_in_stages(key, value, names, location)}"
    path, line = (None, None) if _is_override(location) or location is None else location
    problem = f"{_setting(key, value, location)} has no effect: {because}"
    return InputError(problem, path=path, line=line, cure=cure)


def _note(key: str, value: Any, names: Sequence[str], location: Location | None) -> str:
    """A sentence about a setting that these stages do not follow."""
    text = (
        f"{_setting(key, value, location)} has no effect in part of the recipe: "
        f"{_set_their_own(names)}. To change it there too, set "
        f"{_in_stages(key, value, names, location)}."
    )
    return text if _is_override(location) or location is None else located(text, *location)


def _set_their_own(names: Sequence[str]) -> str:
    """Say that these stages set a key of their own."""
    if len(names) == 1:
        return f"stage {names[0]} sets its own"
    return f"stages {', '.join(names[:-1])} and {names[-1]} set their own"
