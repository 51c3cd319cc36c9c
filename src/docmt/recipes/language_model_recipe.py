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
