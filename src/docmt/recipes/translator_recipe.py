"""`TranslatorRecipe`: the recipe of a translator that another package adds."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from docmt.recipes.base_recipe import BaseRecipe


class TranslatorRecipe(BaseRecipe):
    """A translator of another package, by its entry point `docmt.translators`."""

    translator: str
    """Name of a translator that another package adds (see `docmt plugins`). Such a recipe has no
    `system`."""

    settings: dict[str, Any] = Field(default_factory=dict)
    """Settings of the translator, which its package checks. Only with `translator`."""

    @property
    def translator_name(self) -> str:
        return self.translator
