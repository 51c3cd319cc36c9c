"""`LANGUAGE_MODEL`: the translators of runs of large language models, and the recipes of such runs.
Reading a recipe loads no more than this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from docmt_files.base.errors import InputError
from docmt_llm.recipes.language_model_recipe import LanguageModelRecipe
from docmt_nmt.base.choices import Precision
from docmt_nmt.recipes.translator_kinds import TranslatorKind

if TYPE_CHECKING:
    from docmt_llm.language_model.language_model import LanguageModelTranslator
    from docmt_nmt.runs.run import Run

_SECTIONS = {"temperature": "request", "seed": "request", "max_tokens_total": "budget"}
"""The options for overriding a key of the recipe, with the section of each key."""


def open_translator(
    run: Run, *, device: str | None = None, precision: Precision | None = None, **overrides: Any
) -> LanguageModelTranslator:
    """The translator of the run of a language model.

    Args:
        run: the run.
        device, precision: of a model in this process.
        overrides: the options that override a key of the recipe.

    Raises:
        InputError: the model cannot be opened, or an option has no effect.
    """
    from docmt_llm.endpoints.profiles import profile_named
    from docmt_llm.language_model.language_model import LanguageModelTranslator
    from docmt_llm.language_model.model_opening import open_model

    recipe = cast(LanguageModelRecipe, run.recipe)
    changed = {name: getattr(recipe, name) for name in set(_SECTIONS.values())}
    for key, value in overrides.items():
        section = changed[_SECTIONS[key]]
        changed[_SECTIONS[key]] = type(section).read(section.model_dump() | {key: value})
    if device is not None and recipe.system.dialect != "transformers":
        raise InputError(
            f"`device` has no effect with {run.directory}, whose model an endpoint runs",
            cure="Leave it out",
            parameters=("device",),
        )
    recipe = recipe.model_copy(update=changed)
    model = open_model(
        recipe.system,
        recipe.request,
        recipe.budget,
        folder=run.directory,
        device=device,
        precision=precision,
    )
    languages = recipe.data.source_language, recipe.data.target_language
    return LanguageModelTranslator.of(
        model,
        languages,
        recipe.context,
        recipe.request,
        recipe.all_languages,
        None if recipe.system.profile is None else profile_named(recipe.system.profile),
        has_template=recipe.system.dialect != "ollama",
    )


def _prompts(recipe: LanguageModelRecipe) -> Mapping[str, str]:
    """The templates of the requests of a recipe."""
    from docmt_llm.prompting.prompts import prompt_texts

    return {str(name): text for name, text in prompt_texts(recipe.request.prompts).items()}


LANGUAGE_MODEL = TranslatorKind(
    open_translator, frozenset({"device", *_SECTIONS}), recipe=LanguageModelRecipe, prompts=_prompts
)
"""A large language model, behind an endpoint or in this process."""
