"""`LanguageModelRecipe`: all sections of a recipe for a large language model."""

from __future__ import annotations

from docmt_llm.language_model_settings import (
    NAME,
    BudgetSettings,
    LanguageModelSettings,
    PromptContextSettings,
    PromptSettings,
)
from docmt_nmt.recipes.base_recipe import BaseRecipe


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
    def all_languages(self) -> tuple[str, ...]:
        """All languages of the run, the pair of `data` first; none if it is of this pair alone."""
        if not self.system.languages:
            return ()
        data = self.data
        both = (data.source_language, data.target_language)
        return tuple(dict.fromkeys((*both, *self.system.languages)))

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
