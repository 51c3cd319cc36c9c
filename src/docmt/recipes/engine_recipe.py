"""`EngineRecipe`: all sections of a recipe for a translator that docmt does not train, a large
language model."""

from __future__ import annotations

from docmt.language_models.language_model_settings import (
    BudgetSettings,
    LanguageModelSettings,
    PromptContextSettings,
    PromptSettings,
)
from docmt.recipes.base_recipe import BaseRecipe


class EngineRecipe(BaseRecipe):
    """A large language model, and how it is asked."""

    system: LanguageModelSettings
    """The model."""

    context: PromptContextSettings = PromptContextSettings()
    """What the model reads besides the sentences that it translates. Only with
    `system.name: language-model`."""

    request: PromptSettings = PromptSettings()
    """How the model is asked. Only with `system.name: language-model`."""

    budget: BudgetSettings = BudgetSettings()
    """What translations may take, and what they cost. Only with `system.name: language-model`."""
