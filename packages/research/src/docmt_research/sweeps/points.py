"""The points of a sweep: every combination of axis values, with every seed, each with a recipe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from docmt_files.base.errors import InputError
from docmt_nmt.base.settings import flatten
from docmt_nmt.evaluation.split_scores import check_split
from docmt_nmt.recipes import Recipe, load
from docmt_nmt.recipes.bundle import names as bundled_recipes
from docmt_nmt.recipes.yaml_source import as_one_line
from docmt_nmt.training.training_checks import check_has_decoder, check_splits, check_training_ends
from docmt_research.sweeps.sweep_settings import SweepSettings

Values = dict[str, Any]

_MAX_POINTS = 1_000
"""Maximum number of points in a sweep; more are a mistake in the axes."""

_MAX_NAME = 100
"""Maximum number of characters for the values in a point's name."""


@dataclass(frozen=True, slots=True)
class Point:
    """One training of a sweep.

    Attributes:
        name: the name of the point's folder, derived from the values and the seed alone.
        values: the value, or the label, on each axis.
        seed: the `training.seed` of the point.
        recipe: the recipe of the point.
    """

    name: str
    values: Values
    seed: int
    recipe: Recipe

    @property
    def label(self) -> str:
        """The values in words."""
        parts = [f"{axis.rpartition('.')[2]} {value}" for axis, value in self.values.items()]
        return ", ".join([*parts, f"seed {self.seed}"])


def expand(
    settings: SweepSettings, path: Path, note: Callable[[str], None] = lambda _: None
) -> list[Point]:
    """All points of a sweep, in the order of the axes; equal points once.

    Args:
        settings: the sweep.
        path: the sweep file; recipes given as paths are relative to the file's folder.
        note: called with each message to the user about the set keys.

    Raises:
        InputError: there are too many points; or a point has no recipe, or an invalid recipe, lacks
            a split or would never end; the message names the file and the point.
    """
    count = len(settings.seeds) * sum(
        prod(len(list(_choices(name, given))) for name, given in grid.items())
        for grid in settings.axes
    )
    if count > _MAX_POINTS:
        problem = f"has {count:,} points, more than {_MAX_POINTS:,}"
        raise InputError(problem, path=path, cure="Divide it into several sweeps")
    points: dict[str, Point] = {}
    noted: set[str] = set()

    def note_once(text: str) -> None:
        if text not in noted:
            noted.add(text)
            note(text)

    for values, keys in _combinations(settings):
        for seed in settings.seeds:
            name = _name(values, seed)
            if name not in points:
                text = ", ".join(f"{axis}: {value}" for axis, value in values.items())
                try:
                    recipe = _recipe({**keys, "training.seed": seed}, settings, path, note_once)
                except InputError as error:
                    raise _of_point(error, text, path) from None
                points[name] = Point(name, values, seed, recipe)
    return list(points.values())


def _combinations(settings: SweepSettings) -> Iterator[tuple[Values, Values]]:
    """The value on each axis, and the keys behind the values, for each combination."""
    for grid in settings.axes:
        axes = [list(_choices(name, given)) for name, given in grid.items()]
        for choice in product(*axes):
            values = dict(zip(grid, (value for value, _ in choice), strict=True))
            keys = dict(settings.overrides)
            for _, change in choice:
                keys |= change
            yield values, keys


def _choices(name: str, given: Any) -> Iterator[tuple[Any, Values]]:
    """The values of an axis, each with the keys to set."""
    if isinstance(given, dict):
        for label, keys in given.items():
            recipe = {"recipe": keys["recipe"]} if "recipe" in keys else {}
            yield label, flatten({k: v for k, v in keys.items() if k != "recipe"}) | recipe
    else:
        for value in given if isinstance(given, list) else [given]:
            yield value, {name: value}


def _recipe(
    keys: Values, settings: SweepSettings, path: Path, note: Callable[[str], None]
) -> Recipe:
    """The recipe of a point."""
    keys = dict(keys)
    name = keys.pop("recipe", settings.recipe)
    if not isinstance(name, str):
        raise InputError(
            "there is no recipe",
            cure="Set `recipe`, or name one with each label of an axis",
            parameters=("recipe",),
        )
    if name not in bundled_recipes() and Path(name).suffix in (".yaml", ".yml"):
        name = str(path.parent / name)
    recipe = load(name, [f"{key}={as_one_line(value)}" for key, value in keys.items()], note)
    check_splits(recipe)
    check_split(recipe, settings.split)
    if not recipe.stages:
        check_training_ends(recipe)
        check_has_decoder(recipe)
    return recipe


def _of_point(error: InputError, values: str, path: Path) -> InputError:
    """An error with the point it is about."""
    place = str(error.path or "")
    if place.startswith("override "):
        place = ""  # the problem names the key
    if place and error.line is not None:
        place += f", line {error.line}"
    problem = f"{place}: {error.problem}" if place else error.problem
    return InputError(f"the point {values}: {problem}", path=path, cure=error.cure)


def _name(values: Values, seed: int) -> str:
    """The name of the folder of a point: the values for people, and a digest of the values to make
    it unique."""
    parts = [f"{axis.rpartition('.')[2]}-{value}" for axis, value in values.items()]
    text = re.sub(r"[^a-z0-9.]+", "-", "-".join([*parts, f"seed-{seed}"]).lower())
    digest = blake2b(json.dumps([values, seed]).encode(), digest_size=3).hexdigest()
    return f"{text.strip('-.')[:_MAX_NAME]}-{digest}"
