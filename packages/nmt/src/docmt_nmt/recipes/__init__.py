"""Recipes: one YAML file describes a whole experiment. `load` takes the name of a bundled recipe or
the path of your own.

Names are loaded on first use: listing the bundled recipes does without the schema of a recipe.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt_nmt.base.settings import differences
    from docmt_nmt.recipes.base_recipe import BaseRecipe
    from docmt_nmt.recipes.bundle import descriptions, names, papers
    from docmt_nmt.recipes.help import Key, keys, show
    from docmt_nmt.recipes.loading import dump, load, load_any
    from docmt_nmt.recipes.recipe import Recipe
    from docmt_nmt.recipes.staging import directories, stages
    from docmt_nmt.recipes.translator_kinds import TranslatorKind
    from docmt_nmt.recipes.translator_recipe import EngineRecipe, TranslatorRecipe

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
    "BaseRecipe": "docmt_nmt.recipes.base_recipe",
    "Key": "docmt_nmt.recipes.help",
    "Recipe": "docmt_nmt.recipes.recipe",
    "EngineRecipe": "docmt_nmt.recipes.translator_recipe",
    "TranslatorKind": "docmt_nmt.recipes.translator_kinds",
    "TranslatorRecipe": "docmt_nmt.recipes.translator_recipe",
    "descriptions": "docmt_nmt.recipes.bundle",
    "differences": "docmt_nmt.base.settings",
    "directories": "docmt_nmt.recipes.staging",
    "dump": "docmt_nmt.recipes.loading",
    "keys": "docmt_nmt.recipes.help",
    "load": "docmt_nmt.recipes.loading",
    "load_any": "docmt_nmt.recipes.loading",
    "names": "docmt_nmt.recipes.bundle",
    "papers": "docmt_nmt.recipes.bundle",
    "show": "docmt_nmt.recipes.help",
    "stages": "docmt_nmt.recipes.staging",
}
"""The module of each name loaded on first use."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt_nmt.recipes' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
