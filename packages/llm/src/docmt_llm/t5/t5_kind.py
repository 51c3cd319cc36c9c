"""`T5`: the translators of runs of T5 models with target-language tags, and their recipes.
Reading a recipe loads no more than this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from docmt_llm.recipes.t5_recipe import T5Recipe, T5Settings
from docmt_nmt.recipes.translator_kinds import TranslatorKind

if TYPE_CHECKING:
    from docmt_nmt.runs.run import Run
    from docmt_nmt.translators.translator import Translator


def _open_translator(run: Run, *, device: str | None = None, **overrides: Any) -> Translator:
    """The translator of a run.

    Raises:
        InputError: the model cannot be loaded, or a setting is not valid.
    """
    from docmt_llm.t5.t5_translator import T5Translator
    from docmt_llm.t5.tagged_t5 import TaggedT5

    recipe = cast(T5Recipe, run.recipe)
    settings = T5Settings.read(recipe.settings.model_dump() | overrides)
    translator = T5Translator(TaggedT5.load(settings.model, device), settings, recipe.languages)
    return translator.between(*recipe.languages)


T5 = TranslatorKind(_open_translator, frozenset({"device", "beam_size"}), recipe=T5Recipe)
"""A T5 with target-language tags, by `transformers` in this process."""
