"""Settings of a recipe ignored by stages with a key of their own. A setting ignored by all stages
is an error; a setting ignored by some is reported in a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from docmt_files.base.errors import InputError, located
from docmt_nmt.base.settings import flatten
from docmt_nmt.recipes.bundle import is_bundled
from docmt_nmt.recipes.merging import Values
from docmt_nmt.recipes.recipe import Recipe, Stage
from docmt_nmt.recipes.staging import SECTIONS, stages
from docmt_nmt.recipes.yaml_source import OVERRIDE, Location, Locations, as_one_line
from docmt_nmt.systems import PRESETS


def check_effects(recipe: Recipe, sources: Sequence[Values], locations: Locations) -> list[str]:
    """A sentence for each setting ignored by some stages.

    Checked are the settings in overrides and in files extending the file with the stages. The
    author of the stages sees shared keys and stage keys side by side, so in that file only a
    setting ignored by all stages is wrong. A resolved recipe lists every key and may have such
    settings.

    Args:
        sources: the values of each file, from the most basic file on, then the values of the
            overrides.
        locations: the location of each key.

    Raises:
        InputError: all stages replace a setting; the message names the stages and a key with an
            effect.
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
    """The sources from the last back to the one with the stages. Each has settings by dotted key,
    without settings replaced by a later source, and whether it lists the stages."""
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
    """Return whether a setting reaches a stage, or the stage's own key comes from the same source.

    Args:
        shared: the keys of the recipe.
        own: the keys of the stage as a recipe.
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
    """Return whether a setting is an override."""
    return location is None or location.path.startswith(OVERRIDE)


def _is_bundled(location: Location | None) -> bool:
    """Return whether a setting is in a bundled recipe, where it is intended."""
    return location is not None and is_bundled(Path(location.path))


def _setting(key: str, value: Any, location: Location | None) -> str:
    """A setting in the notation of the source."""
    return f"{key}{'=' if _is_override(location) else ': '}{as_one_line(value)}"


def _in_stages(key: str, value: Any, names: Sequence[str], location: Location | None) -> str:
    """The setting of a key in some stages, in the notation of the source."""
    if _is_override(location):
        return " ".join(f"stages.{name}.{key}={as_one_line(value)}" for name in names)
    parts = [f"{part}: " for part in key.split(".")]
    keys = "{".join(parts) + as_one_line(value) + "}" * (len(parts) - 1)
    return f"`stages: {{{', '.join(f'{name}: {{{keys}}}' for name in names)}}}`"


def _no_effect(
    key: str, value: Any, names: Sequence[str], location: Location | None, *, unused: bool = False
) -> InputError:
    """The error for a setting ignored by all stages."""
    because = "no stage has this key" if unused else _set_their_own(names)
    cure = "Leave it out" if unused else f"Set {_in_stages(key, value, names, location)}"
    path, line = (None, None) if _is_override(location) or location is None else location
    problem = f"{_setting(key, value, location)} has no effect: {because}"
    return InputError(problem, path=path, line=line, cure=cure)


def _note(key: str, value: Any, names: Sequence[str], location: Location | None) -> str:
    """A sentence about a setting ignored by these stages."""
    text = (
        f"{_setting(key, value, location)} has no effect in part of the recipe: "
        f"{_set_their_own(names)}. To change it there too, set "
        f"{_in_stages(key, value, names, location)}."
    )
    return text if _is_override(location) or location is None else located(text, *location)


def _set_their_own(names: Sequence[str]) -> str:
    """A phrase: these stages set a key of their own."""
    if len(names) == 1:
        return f"stage {names[0]} sets its own"
    return f"stages {', '.join(names[:-1])} and {names[-1]} set their own"
