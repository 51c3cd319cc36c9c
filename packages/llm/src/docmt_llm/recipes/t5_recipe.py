"""`T5Recipe`: the recipe of a T5 with target-language tags."""

from __future__ import annotations

from typing import Literal

from docmt_nmt.base.settings import PositiveInt, Settings
from docmt_nmt.recipes.translator_recipe import EngineRecipe

NAME: Literal["t5"] = "t5"
"""The value of `translator` in recipes of a T5."""


class T5Settings(Settings):
    """The section `settings` of the recipe of a T5."""

    model: str
    """Folder of the model, or its name on the Hugging Face hub."""

    beam_size: PositiveInt = 5
    """Number of hypotheses kept per sentence; 1 is greedy search."""


class T5Recipe(EngineRecipe):
    """A T5 with target-language tags, such as MADLAD-400."""

    settings: T5Settings
    """Settings of the translator."""
