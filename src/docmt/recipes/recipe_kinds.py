"""`recipe_class`: the class of a recipe, determined by the plain values of the recipe.

The class of trained systems needs torch, so it is imported only for their recipes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docmt.recipes.base_recipe import BaseRecipe
from docmt.recipes.language_model_recipe import LanguageModelRecipe
from docmt.recipes.language_model_settings import NAME as LANGUAGE_MODEL
from docmt.recipes.translator_recipe import TranslatorRecipe


def recipe_class(values: Mapping[str, Any]) -> type[BaseRecipe]:
    """The class of the recipe with these plain values, determined by the translator or the
    system."""
    if "translator" in values:
        return TranslatorRecipe
    if system_name(values) == LANGUAGE_MODEL:
        return LanguageModelRecipe
    from docmt.recipes.recipe import Recipe

    return Recipe


def system_name(values: Mapping[str, Any]) -> Any:
    """The name of the system in the plain values of a recipe; None if there is none."""
    system = values.get("system")
    return system.get("name") if isinstance(system, dict) else None


def names_translator(values: Mapping[str, Any]) -> bool:
    """Return whether plain values determine the class of a recipe."""
    return "translator" in values or bool(system_name(values))
