"""`recipe_class`: the class of a recipe, determined by the plain values of the recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.recipes.translator_kinds import recipe_class_of
from docmt_nmt.recipes.translator_recipe import TranslatorRecipe
from docmt_nmt.systems import SYSTEMS

Values = Mapping[str, Any]


class _Kind(NamedTuple):
    """A kind of recipe: of an engine, or of the systems that docmt trains.

    Attributes:
        section: the key that names the engine or the system.
        engine: the engine; "" for all systems.
    """

    section: str
    engine: str


_SYSTEM = _Kind("system", "")


def recipe_class(sources: Sequence[Values]) -> type[BaseRecipe]:
    """The class of the recipe with these plain values, the most basic first: the last engine or
    system that they name decides."""
    kind = _last_kind(sources)
    if kind in (None, _SYSTEM):
        from docmt_nmt.recipes.recipe import Recipe  # a recipe of an engine does without

        return Recipe
    assert kind is not None
    own = recipe_class_of(kind.engine)
    return own if own is not None and kind.section in own.model_fields else TranslatorRecipe


def is_of_a_system(values: Values) -> bool:
    """Return whether plain values with every key are the recipe of a system that docmt trains."""
    return _kind(values) == _SYSTEM


def of_one_kind(sources: Sequence[Values]) -> list[dict[str, Any]]:
    """The plain values of a file and all that it extends, the most basic first: before the first of
    the kind of the recipe, only the sections that all recipes share."""
    kinds, last = [_kind(values) for values in sources], _last_kind(sources)
    end = 0
    for index, kind in enumerate(kinds):
        if kind == last and any(other not in (None, last) for other in kinds[end:index]):
            end = index
    return [
        {k: value for k, value in values.items() if index >= end or k in BaseRecipe.model_fields}
        for index, values in enumerate(sources)
    ]


def _last_kind(sources: Sequence[Values]) -> _Kind | None:
    kinds = (_kind(values) for values in reversed(sources))
    return next((kind for kind in kinds if kind is not None), None)


def _kind(values: Values) -> _Kind | None:
    """The kind of recipe that plain values decide; None if they leave it open."""
    if "translator" in values:
        return _Kind("translator", str(values["translator"]))
    system = values.get("system")
    name = system.get("name") if isinstance(system, dict) else None
    if not name:
        return None
    is_engine = isinstance(name, str) and name not in SYSTEMS and _has_system_section(name)
    return _Kind("system", str(name)) if is_engine else _SYSTEM


def _has_system_section(engine: str) -> bool:
    recipe = recipe_class_of(engine)
    return recipe is not None and "system" in recipe.model_fields
