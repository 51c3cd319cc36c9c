"""Recipes: one YAML file describes a whole experiment. `load` takes the name of a bundled recipe or
the path of your own.

Names are loaded on first use: listing the bundled recipes does without the schema of a recipe.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt.ground.settings import differences
    from docmt.recipes.base_recipe import BaseRecipe
    from docmt.recipes.bundle import descriptions, names, papers
    from docmt.recipes.help import Key, keys, show
    from docmt.recipes.loading import dump, load, load_any
    from docmt.recipes.recipe import Recipe
    from docmt.recipes.staging import directories, stages
    from docmt.recipes.translator_kinds import TranslatorKind
    from docmt.recipes.translator_recipe import EngineRecipe, TranslatorRecipe

__all__ = [
    "BaseRecipe",
    "EngineRecipe",
    "Key",
    "Recipe",
    "TranslatorKind",
    "TranslatorRecipe",
    "descriptions",
    "differences",
    "directories",
    "dump",
    "keys",
    "load",
    "load_any",
    "names",
    "papers",
    "show",
    "stages",
]

_MODULES = {
    "BaseRecipe": "docmt.recipes.base_recipe",
    "Key": "docmt.recipes.help",
    "Recipe": "docmt.recipes.recipe",
    "EngineRecipe": "docmt.recipes.translator_recipe",
    "TranslatorKind": "docmt.recipes.translator_kinds",
    "TranslatorRecipe": "docmt.recipes.translator_recipe",
    "descriptions": "docmt.recipes.bundle",
    "differences": "docmt.ground.settings",
    "directories": "docmt.recipes.staging",
    "dump": "docmt.recipes.loading",
    "keys": "docmt.recipes.help",
    "load": "docmt.recipes.loading",
    "load_any": "docmt.recipes.loading",
    "names": "docmt.recipes.bundle",
    "papers": "docmt.recipes.bundle",
    "show": "docmt.recipes.help",
    "stages": "docmt.recipes.staging",
}
"""The module of each name loaded on first use."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt.recipes' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
