"""`BaseRecipe`: what every recipe says, whatever translates."""

from __future__ import annotations

from docmt.data.data_settings import DataSettings
from docmt.ground.settings import Settings
from docmt.recipes.evaluation import EvaluationSettings


class BaseRecipe(Settings):
    """The sections that all recipes share."""

    description: str = ""
    """Purpose of the recipe, in one sentence."""

    data: DataSettings
    """The corpus."""

    evaluation: EvaluationSettings = EvaluationSettings()
    """Evaluation of translations."""
