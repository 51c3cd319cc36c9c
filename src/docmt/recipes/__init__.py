"""Recipes: one YAML file describes a whole experiment. `load` takes the name of a bundled recipe or
the path of your own."""

from docmt.recipes.help import Key, keys, show
from docmt.recipes.loading import dump, load, names, papers
from docmt.recipes.recipe import Recipe
from docmt.recipes.stages import directories, stages
from docmt.settings import differences

__all__ = [
    "Key", "Recipe", "differences", "directories", "dump", "keys", "load", "names", "papers",
    "show", "stages",
]  # fmt: skip
