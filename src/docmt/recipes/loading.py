"""From a recipe's name or file to a checked `Recipe`: what it extends is merged, overrides are
applied, and every problem is told with the file and line it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from docmt.errors import InputError
from docmt.files import PathLike
from docmt.recipes.merging import Values, merged, sections_merged
from docmt.recipes.overrides import idle_overrides
from docmt.recipes.recipe import Recipe
from docmt.recipes.stages import stage_values
from docmt.recipes.yaml_source import KeyPath, Place, Places, parse_value, read
from docmt.settings import describe
from docmt.settings import locate as locate_key
from docmt.wording import did_you_mean

BUNDLED = Path(__file__).parent / "bundled"

OVERRIDE = "override "
"""How the place of an override begins."""


def names() -> list[str]:
    """The bundled recipes, in alphabetical order."""
    return sorted(_bundled())


def papers() -> dict[str, list[str]]:
    """The bundled recipes by the paper they reproduce, such as `bao-2021`; papers and recipes are
    in alphabetical order."""
    result: dict[str, list[str]] = {}
    for path in sorted(BUNDLED.glob("*/*.yaml")):
        result.setdefault(path.parent.name, []).append(path.stem)
    return result


def _bundled() -> dict[str, Path]:
    """The files of the bundled recipes by their names; their folders are named after papers."""
    return {path.stem: path for path in BUNDLED.glob("*/*.yaml")}


def load(
    name_or_path: PathLike,
    overrides: Sequence[str] = (),
    note: Callable[[str], None] | None = None,
) -> Recipe:
    """A recipe by its bundled name or its file.

    Args:
        name_or_path: a bundled name such as `demo-g-transformer`, or the path of a YAML file.
        overrides: `key.sub=value` each, the value as YAML; `stages.NAME.key=value` for a key of
            one stage.
        note: told of every override that stages which set the key themselves do not follow.

    Raises:
        InputError: an unknown recipe or key (naming the nearest), a value that does not fit, no
            YAML, with file and line; or an override that no stage follows.
    """
    values: Values = {}
    places: dict[KeyPath, Place] = {}
    for own, own_places in lineage(locate(str(name_or_path)), ()).values():
        values = merged(values, own)
        places.update(own_places)
    change, override_places = parse_overrides(overrides)
    values = merged(values, change)
    places |= numbered(override_places, values)
    recipe = checked(values, places, str(name_or_path))
    for text in idle_overrides(recipe, change):
        if note is not None:
            note(text)
    return recipe


def locate(name_or_path: str, beside: Path | None = None) -> Path:
    """The file of a recipe; a relative path is looked for from the folder `beside`.

    Raises:
        InputError: it is neither a bundled name nor looks like a path.
    """
    if (bundled := _bundled().get(name_or_path)) is not None:
        return bundled
    path = Path(name_or_path)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1 or path.is_file():
        return path if beside is None else beside / path
    hint = did_you_mean(name_or_path, names(), cutoff=0.4)
    raise InputError(
        f"there is no recipe {name_or_path!r}",
        cure=f"{hint}{' ' if hint else ''}`docmt recipes` lists them; the path of a file of yours "
        "ends in .yaml",
    )


def lineage(path: Path, below: tuple[Path, ...]) -> dict[Path, tuple[Values, Places]]:
    """A recipe file after all it extends, directly or not, each once, the most basic first: its
    values and their places.

    Args:
        path: the file.
        below: the files that led here by `extends`.

    Raises:
        InputError: the files extend each other in a circle.
    """
    path = path.resolve()
    if path in below:
        circle = " → ".join(p.name for p in (*below[below.index(path) :], path))
        raise InputError(f"extends itself: {circle}", path=str(path), cure="Remove one `extends`")
    values, places = read(path)
    extended = values.pop("extends", [])
    extended = [extended] if isinstance(extended, str) else extended
    if not isinstance(extended, list) or not all(isinstance(name, str) for name in extended):
        raise InputError(
            f"`extends` is {extended!r}, no name of a recipe", path=str(path),
            line=places[("extends",)].line, cure="Give a name, a path, or a list of them",
        )  # fmt: skip
    files: dict[Path, tuple[Values, Places]] = {}
    for name in extended:
        files |= lineage(locate(name, beside=path.parent), (*below, path))
    return {**files, path: (values, places)}


def parse_overrides(overrides: Sequence[str]) -> tuple[Values, dict[KeyPath, Place]]:
    """`key.sub=value` texts as nested values, and each as the place of its key.

    Raises:
        InputError: an override without `=`, or whose value is no YAML.
    """
    change: Values = {}
    places: dict[KeyPath, Place] = {}
    for override in overrides:
        key, sign, text = override.partition("=")
        path = tuple(key.split("."))
        if not sign or not all(path):
            raise InputError(
                f"the override {override!r} is no key=value", cure="Write training.max_steps=500"
            )
        value, _ = parse_value(text, f"override {override}")
        for part in reversed(path):
            value = {part: value}
        change = sections_merged(change, value)
        places[path] = Place(f"{OVERRIDE}{override}")
    return change, places


def numbered(places: Places, values: Values) -> dict[KeyPath, Place]:
    """Places of overrides with the number of a stage in place of its name, as in a file."""
    stages = values.get("stages") or []
    names = [stage.get("name") for stage in stages if isinstance(stage, dict)]
    result: dict[KeyPath, Place] = {}
    for path, place in places.items():
        if path[0] == "stages" and len(path) > 1 and path[1] in names:
            path = ("stages", str(names.index(path[1])), *path[2:])
        result[path] = place
    return result


def checked(values: Values, places: Places, name: str) -> Recipe:
    """Validated values; the first problem is told with its place, and all of them are told.

    Raises:
        InputError: for every problem, also those of keys that only a stage uses.
    """
    try:
        recipe = Recipe.model_validate(values)
    except ValidationError as error:
        raise explained(error, places, name) from None
    for number, stage in enumerate(recipe.stages):
        try:
            Recipe.model_validate(stage_values(recipe, number, Path("RUN")))
        except ValidationError as error:
            root = ("stages", str(number))
            raise explained(error, places, name, root, f"stage {stage.name!r}: ") from None
    return recipe


def explained(
    error: ValidationError, places: Places, name: str, root: KeyPath = (), prefix: str = ""
) -> InputError:
    """All problems of a recipe as one error that names the place of the first.

    Args:
        root: where a stage's keys stand, whose place goes before that of the recipe's own.
        prefix: what to say before each problem.
    """
    problems: list[tuple[Place | None, str]] = []
    for problem in error.errors():
        location, _ = locate_key(Recipe, problem["loc"])
        text = describe(Recipe, problem)
        place = (
            override_in(places, (*root, *location), text)
            or override_in(places, tuple(location), text)
            or nearest(places, (*root, *location), len(root) + 1)
            or nearest(places, location, 1)
        )
        problems.append((place, prefix + text))
    (first, text), *others = problems
    for place, other in others:
        text += f"\n{place_text(place)}{other}"
    path, line = first or Place(name)
    return InputError(text, path=path, line=line)


def override_in(places: Places, section: KeyPath, text: str) -> Place | None:
    """The override of a key of a section that a problem with the section names, if there is one:
    the file may be well without it."""
    for path, place in places.items():
        inside = len(path) > len(section) and path[: len(section)] == section
        if inside and place.path.startswith(OVERRIDE) and re.search(rf"\b{path[-1]}\b", text):
            return place
    return None


def nearest(places: Places, location: Sequence[str], least: int) -> Place | None:
    """The place of a key or, where it was not written, of the section it belongs to.

    Args:
        least: parts of the location that must be met.
    """
    for length in range(len(location), least - 1, -1):
        if place := places.get(tuple(location[:length])):
            return place
    return None


def place_text(place: Place | None) -> str:
    """A place before a message."""
    if place is None:
        return ""
    return f"{place.path}, line {place.line}: " if place.line else f"{place.path}: "


def dump(recipe: Recipe) -> str:
    """A recipe as YAML with every key, so that later defaults do not change it."""
    values: dict[str, Any] = recipe.model_dump(mode="json")
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)
