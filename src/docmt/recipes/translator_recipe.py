"""`TranslatorRecipe`: the recipe of a translator from another package, or of a T5."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from docmt.recipes.base_recipe import BaseRecipe

T5 = "t5"
"""The translator of T5 models with target-language tags."""

OWN_TRANSLATORS = ("beam-search", "language-model")
"""The translators of docmt, which a recipe chooses by its system."""


def _check_name(name: str) -> str:
    """Check that a name may be that of a translator of another package."""
    if not name:
        raise ValueError("is empty; name a translator, or remove `translator`")
    if name in OWN_TRANSLATORS:
        raise ValueError("docmt's own translators are chosen by `system.name`; remove `translator`")
    return name


class TranslatorRecipe(BaseRecipe):
    """A translator of another package, by the entry point `docmt.translators`, or a T5."""

    translator: Annotated[str, AfterValidator(_check_name)]
    """Name of a translator from another package (see `docmt plugins`), or `t5` for a T5 such as
    MADLAD-400. Such a recipe has no `system`."""

    settings: dict[str, Any] = Field(default_factory=dict)
    """Settings of the translator, checked by its package; of `t5`, `model` and `beam_size`. Only
    with `translator`."""

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
