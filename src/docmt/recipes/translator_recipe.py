"""`TranslatorRecipe`: the recipe of a translator from another package."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from docmt.recipes.base_recipe import BaseRecipe


class TranslatorRecipe(BaseRecipe):
    """A translator of another package, by the entry point `docmt.translators`."""

    translator: str
    """Name of a translator from another package (see `docmt plugins`). Such a recipe has no
    `system`."""

    settings: dict[str, Any] = Field(default_factory=dict)
    """Settings of the translator, checked by its package. Only with `translator`."""

    @property
    def translator_name(self) -> str:
        return self.translator
