"""Recipes of engines that the key `translator` names: `EngineRecipe`, on which packages build their
own, and `TranslatorRecipe`, for engines without a recipe of their own."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.recipes.translator_kinds import BEAM_SEARCH, recipe_class_of


def _check_name(name: str) -> str:
    """Check that a name may be that of an engine without a system."""
    if not name:
        raise ValueError("is empty; name a translator, or remove `translator`")
    own = recipe_class_of(name)
    if name == BEAM_SEARCH or (own is not None and "translator" not in own.model_fields):
        raise ValueError("this translator is chosen by `system.name`; remove `translator`")
    return name


class EngineRecipe(BaseRecipe):
    """A translator of a package, by the entry point `docmt.translators`. A package with typed
    settings has a subclass with a section `settings`, and names it in its `TranslatorKind`."""

    translator: Annotated[str, AfterValidator(_check_name)]
    """Name of a translator of an installed package (see `docmt plugins`). Such a recipe has no
    `system`."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_system(cls, values: Any) -> Any:
        """Refuse a system beside the translator."""
        if isinstance(values, dict) and "system" in values:
            raise ValueError("`translator` and `system` exclude each other; remove one of them")
        return values

    @property
    def translator_name(self) -> str:
        return self.translator


class TranslatorRecipe(EngineRecipe):
    """A translator whose package checks the settings itself."""

    settings: dict[str, Any] = Field(default_factory=dict)
    """Settings of the translator, checked by its package. Only with `translator`."""
