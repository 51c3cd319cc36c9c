"""Loading of a recipe by name or path: extended recipes are merged, overrides are applied, and
every problem is reported with file and line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from docmt_files.base.errors import InputError, located
from docmt_files.storage.files import PathLike
from docmt_nmt.base.settings import describe, locate
from docmt_nmt.recipes import bundle
from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.recipes.merging import Values, merge, merge_section
from docmt_nmt.recipes.recipe_kinds import of_one_kind, recipe_class
from docmt_nmt.recipes.yaml_source import (
    OVERRIDE,
    KeyPath,
    Location,
    Locations,
    dump_value,
    nearest_location,
    parse_override,
    read,
)

if TYPE_CHECKING:
    # It needs torch.
    from docmt_nmt.recipes.recipe import Recipe


def load(
    name_or_path: PathLike, overrides: Sequence[str] = (), note: Callable[[str], None] | None = None
) -> Recipe:
    """A recipe of a system trained by docmt, by its bundled name or its file.

    Args:
        name_or_path: a bundled name such as `demo-g-transformer`, or the path of a YAML file.
        overrides: `key.sub=value` each, the value as YAML; `stages.NAME.key=value` for a key of one
            stage.
        note: called with a sentence for each setting ignored by some stages with a key of their
            own.

    Raises:
        InputError: an unknown recipe or key (naming the nearest), a value or YAML text that is not
            valid, or a setting ignored by all stages, with file and line; or a recipe of an engine,
            such as a language model.

    >>> load("demo-g-transformer", ["training.max_steps=500"]).training.max_steps
    500
    """
    recipe = load_any(name_or_path, overrides, note)
    if not recipe.is_trained:
        raise InputError(
            f"is of the translator {recipe.translator_name}, which docmt does not train",
            path=name_or_path,
            cure="Name a recipe of a system that docmt trains; `docmt import` makes the runs of "
            "other translators",
        )
    return cast("Recipe", recipe)


def load_any(
    name_or_path: PathLike | None,
    overrides: Sequence[str] = (),
    note: Callable[[str], None] | None = None,
) -> BaseRecipe:
    """Do as `load`, also for the recipe of an engine; None for a recipe of the overrides alone.

    >>> load_any(None, ["data.source_language=en", "data.target_language=de"]).languages
    ('en', 'de')
    """
    named = "recipe" if name_or_path is None else str(name_or_path)
    lineage = () if name_or_path is None else _lineage(_find(named), ()).values()
    change, override_locations = _parse_overrides(overrides)
    sources = of_one_kind([*(values for values, _ in lineage), change])
    kind = recipe_class(sources)
    values: Values = {}
    for source in sources:
        values = merge(values, source, kind)
    locations: dict[KeyPath, Location] = {}
    for _, inherited_locations in lineage:
        locations.update(inherited_locations)
    locations |= _with_stage_indices(override_locations, values)
    recipe = _validated(values, kind, locations, named)
    if recipe.is_trained:
        from docmt_nmt.recipes.effects import check_effects

        for text in check_effects(cast("Recipe", recipe), sources, locations):
            if note is not None:
                note(text)
    return recipe


def dump(recipe: BaseRecipe) -> str:
    """A recipe as YAML with every key, so that later defaults do not change it.

    >>> "max_steps: 500" in dump(load("demo-sentence", ["training.max_steps=500"]))
    True
    """
    return dump_value(recipe.model_dump(mode="json"))


def _find(name_or_path: str, folder: Path | None = None) -> Path:
    """The file of a recipe; a relative path is resolved from `folder`."""
    return bundle.find_recipe(name_or_path, folder)


def _lineage(path: Path, below: tuple[Path, ...]) -> dict[Path, tuple[Values, Locations]]:
    """The values and locations of a file and all files it extends, the most basic first."""
    path = Path(os.path.realpath(path))  # `resolve` fails on a link to itself
    if path in below:
        circle = " → ".join(p.name for p in (*below[below.index(path) :], path))
        raise InputError(f"extends itself: {circle}", path=str(path), cure="Remove one `extends`")
    values, locations = _read_bundled(path) if bundle.is_bundled(path) else read(path)
    values = deepcopy(values)
    extended = values.pop("extends", [])
    extended = [extended] if isinstance(extended, str) else extended
    if not isinstance(extended, list) or not all(isinstance(name, str) for name in extended):
        raise InputError(
            f"`extends` is {extended!r}, which is not the name of a recipe",
            path=str(path),
            line=locations[("extends",)].line,
            cure="Give a name, a path, or a list of them",
        )
    files: dict[Path, tuple[Values, Locations]] = {}
    for name in extended:
        files |= _lineage(_find(name, path.parent), (*below, path))
    return {**files, path: (values, locations)}


@cache
def _read_bundled(path: Path) -> tuple[Values, Locations]:
    """Read a bundled file once; most recipes extend some, and reading YAML is slow."""
    return read(path)


def _parse_overrides(overrides: Sequence[str]) -> tuple[Values, dict[KeyPath, Location]]:
    """`key.sub=value` texts as nested values, and each text as the location of the key."""
    change: Values = {}
    locations: dict[KeyPath, Location] = {}
    for override in overrides:
        path, value, below = parse_override(override)
        for key_path in ((), *below):
            locations[(*path, *key_path)] = Location(f"{OVERRIDE}{override}")
        for part in reversed(path):
            value = {part: value}
        change = merge_section(change, value)
    return change, locations


def _with_stage_indices(locations: Locations, values: Values) -> dict[KeyPath, Location]:
    """Locations of overrides, with the index of a stage instead of its name, as in a file."""
    stages = values.get("stages")
    stages = stages if isinstance(stages, list) else []
    names = [stage.get("name") for stage in stages if isinstance(stage, dict)]
    result: dict[KeyPath, Location] = {}
    for path, location in locations.items():
        if path[0] == "stages" and len(path) > 1 and path[1] in names:
            path = ("stages", str(names.index(path[1])), *path[2:])
        result[path] = location
    return result


def _validated(
    values: Values, kind: type[BaseRecipe], locations: Locations, name: str
) -> BaseRecipe:
    """The recipe of these values."""
    try:
        recipe = kind.model_validate(values)
    except ValidationError as error:
        raise _as_input_error(error, kind, locations, name) from None
    if recipe.is_trained:
        _check_stages(cast("Recipe", recipe), locations, name)
    return recipe


def _check_stages(recipe: Recipe, locations: Locations, name: str) -> None:
    """Check the recipe of each stage."""
    from docmt_nmt.recipes.staging import stage_values

    kind = type(recipe)
    for index, stage in enumerate(recipe.stages):
        try:
            kind.model_validate(stage_values(recipe, index, Path("RUN")))
        except ValidationError as error:
            root = ("stages", str(index))
            prefix = f"stage {stage.name!r}: "
            raise _as_input_error(error, kind, locations, name, root, prefix) from None


def _as_input_error(
    error: ValidationError,
    kind: type[BaseRecipe],
    locations: Locations,
    name: str,
    root: KeyPath = (),
    prefix: str = "",
) -> InputError:
    """All problems of a recipe as one error with the location of the first.

    Args:
        kind: the class of the recipe.
        root: the location of a stage's keys, which take precedence over the recipe's own.
    """
    problems: list[tuple[Location | None, str]] = []
    for problem in error.errors():
        path, _ = locate(kind, problem["loc"])
        text = describe(kind, problem)
        location = (
            _override_of(locations, (*root, *path), text)
            or _override_of(locations, tuple(path), text)
            or nearest_location(locations, (*root, *path), len(root) + 1)
            or nearest_location(locations, path, 1)
        )
        problems.append((location, prefix + text))
    (first, text), *others = problems
    for location, other in others:
        text += "\n" + (located(other, *location) if location else other)
    location = first or Location(name)
    return InputError(text, path=location.path, line=location.line)


def _override_of(locations: Locations, section: KeyPath, text: str) -> Location | None:
    """The override of a key in a section named in the text of a problem, or None. The file itself
    may be valid without the override."""
    for path, location in locations.items():
        inside = len(path) > len(section) and path[: len(section)] == section
        if (
            inside
            and location.path.startswith(OVERRIDE)
            and re.search(rf"\b{re.escape(path[-1])}\b", text)
        ):
            return location
    return None
