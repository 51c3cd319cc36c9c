"""`LanguageModelRecipe`: all sections of a recipe for a large language model."""

from __future__ import annotations

from docmt.recipes.base_recipe import BaseRecipe
from docmt.recipes.language_model_settings import (
    NAME,
    BudgetSettings,
    LanguageModelSettings,
    PromptContextSettings,
    PromptSettings,
)


class LanguageModelRecipe(BaseRecipe):
    """A large language model, and the form of requests."""

    system: LanguageModelSettings
    """The model."""

    context: PromptContextSettings = PromptContextSettings()
    """The context the model reads besides the sentences to translate. Only with `system.name:
    language-model`."""

    request: PromptSettings = PromptSettings()
    """Requests to the model. Only with `system.name: language-model`."""

    budget: BudgetSettings = BudgetSettings()
    """Token limit and prices of translations. Only with `system.name: language-model`."""

    @property
    def translator_name(self) -> str:
        return NAME

    @property
    def facts(self) -> dict[str, str]:
        return {
            "model": self.system.model,
            "run by": self.system.dialect,
            "request": self.request.shape,
            "temperature": f"{self.request.temperature:g}",
            "seed": str(self.request.seed),
        }
