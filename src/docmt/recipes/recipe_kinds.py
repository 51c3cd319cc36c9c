"""`recipe_class`: the class of a recipe, determined by the plain values of the recipe.

The class of trained systems needs torch, so it is imported only for their recipes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docmt.recipes.base_recipe import BaseRecipe
from docmt.recipes.language_model_recipe import LanguageModelRecipe
from docmt.recipes.language_model_settings import NAME as LANGUAGE_MODEL
from docmt.recipes.translator_recipe import TranslatorRecipe

Values = Mapping[str, Any]


def recipe_class(sources: Sequence[Values]) -> type[BaseRecipe]:
    """The class of the recipe with these plain values, the most basic first: the last translator or
    system that they name decides."""
    kind = _last_kind(sources)
    if kind == "translator":
        return TranslatorRecipe
    if kind == LANGUAGE_MODEL:
        return LanguageModelRecipe
    from docmt.recipes.recipe import Recipe

    return Recipe


def is_of_a_system(values: Values) -> bool:
    """Return whether plain values with every key are the recipe of a system that docmt trains."""
    return _kind(values) == "system"


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


def _last_kind(sources: Sequence[Values]) -> str | None:
    kinds = (_kind(values) for values in reversed(sources))
    return next((kind for kind in kinds if kind is not None), None)


def _kind(values: Values) -> str | None:
    """The kind of recipe that plain values decide; None if they leave it open."""
    if "translator" in values:
        return "translator"
    system = values.get("system")
    name = system.get("name") if isinstance(system, dict) else None
    return LANGUAGE_MODEL if name == LANGUAGE_MODEL else "system" if name else None
