"""The options by which sentences are categorized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from docmt_files.base.errors import InputError
from docmt_research.analysis.categories import CategorySettings


@dataclass(frozen=True, slots=True)
class CategoryOptions:
    """Options by which sentences are categorized."""

    where: bool = False
    """Also by category of the source sentence: sentences with an ambiguous pronoun, with a term
    that occurred before, with an ellipsis, and the rest."""

    category_lists: Annotated[str | None, typer.Option(metavar="FILE")] = None
    """With `where`, a JSON file of words and limits by which sentences are categorized, for
    languages other than English; see the guide to discourse."""

    def settings(self) -> CategorySettings | None:
        """The settings of categories; None without `where`.

        Raises:
            InputError: the file is not of settings, or is given without `where`.
        """
        if self.category_lists is None:
            return CategorySettings() if self.where else None
        if not self.where:
            raise InputError(
                "`category_lists` has no effect without `where`",
                cure="Add it, or leave this out",
                parameters=("category_lists", "where"),
            )
        return CategorySettings.read(self.category_lists)
