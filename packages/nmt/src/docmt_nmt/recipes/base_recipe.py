"""`BaseRecipe`: the sections of every recipe, whatever translates."""

from __future__ import annotations

from abc import abstractmethod

from docmt_nmt.base.settings import Settings
from docmt_nmt.data.data_settings import DataSettings
from docmt_nmt.recipes.evaluation import EvaluationSettings


class BaseRecipe(Settings):
    """The sections shared by all recipes."""

    description: str = ""
    """Purpose of the recipe, in one sentence."""

    data: DataSettings
    """The corpus."""

    evaluation: EvaluationSettings = EvaluationSettings()
    """Evaluation of translations."""

    @property
    @abstractmethod
    def translator_name(self) -> str:
        """The name of the engine of a run with this recipe
        (`docmt_nmt.recipes.translator_kinds`)."""

    @property
    def is_trained(self) -> bool:
        """True if docmt trains or has imported the weights of a system."""
        return False

    @property
    def joins_sentences(self) -> bool:
        """True if whole instances are translated freely, without a translation of each sentence."""
        return False

    @property
    def facts(self) -> dict[str, str]:
        """Further facts for a report about a run with this recipe, by name."""
        return {}

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of the source and of the target language."""
        return self.data.source_language, self.data.target_language
