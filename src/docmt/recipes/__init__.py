"""Recipes: one YAML file says all of an experiment, a bundled one by its name or yours by path."""

from docmt.recipes.help import Key, keys, show
from docmt.recipes.loading import dump, load, names
from docmt.recipes.merging import differences
from docmt.recipes.schema import Recipe
from docmt.recipes.stages import directories, stages

__all__ = [
    "Key", "Recipe", "differences", "directories", "dump", "keys", "load", "names", "show",
    "stages",
]  # fmt: skip
