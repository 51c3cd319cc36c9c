"""`T5`: the translators of runs of T5 models with target-language tags, and their recipes.
Reading a recipe loads no more than this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from docmt.ground.settings import PositiveInt, Settings
from docmt.recipes.translator_kinds import TranslatorKind
from docmt.recipes.translator_recipe import EngineRecipe

if TYPE_CHECKING:
    from docmt.language_models.t5_translator import T5Translator
    from docmt.runs.run import Run

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


def _open_translator(run: Run, *, device: str | None = None, **overrides: Any) -> T5Translator:
    """The translator of a run.

    Raises:
        InputError: the model cannot be loaded, or a setting is not valid.
    """
    from docmt.language_models.t5_translator import T5Translator
    from docmt.language_models.tagged_t5 import TaggedT5

    recipe = cast(T5Recipe, run.recipe)
    settings = T5Settings.read(recipe.settings.model_dump() | overrides)
    translator = T5Translator(TaggedT5.load(settings.model, device), settings, recipe.languages)
    return translator.between(*recipe.languages)


T5 = TranslatorKind(_open_translator, frozenset({"device", "beam_size"}), recipe=T5Recipe)
"""A T5 with target-language tags, by `transformers` in this process."""
