"""Plural forms of languages: the categories of cardinal numbers by CLDR, and the formulas of GNU
gettext. Where a target language has more forms than the source, a file of strings needs forms
without a model in the source."""

from __future__ import annotations

from docmt.ground.languages import primary_language
from docmt.ground.packaged_tables import read_table

_TABLE: dict[str, dict[str, str]] = read_table("docmt.formats.strings", "plural_forms.toml")


def _by_language(table: dict[str, str]) -> dict[str, str]:
    return {code: name for name, codes in table.items() for code in codes.split()}


_CATEGORIES = _by_language(_TABLE["categories"])
_FORMULAS = _by_language(_TABLE["formulas"])


def plural_categories(language: str) -> tuple[str, ...]:
    """The CLDR categories of cardinal numbers in a language, in CLDR's order; `one` and `other` for
    most. `many` of Romance languages, for millions, is among them.

    Args:
        language: a language code; script and region do not matter.
    """
    return tuple(_CATEGORIES.get(primary_language(language), "one other").split())


def missing_categories(source: str, target: str) -> tuple[str, ...]:
    """The categories of a target language missing in a source language, without categories of
    numbers seldom shown by programs (`zero`, and the millions of Romance languages).

    Args:
        source: the code of the source language.
        target: the code of the target language.
    """
    source_categories = plural_categories(source)
    wanted = plural_categories(target)
    seldom = {"zero", "many"} if "few" not in wanted else set[str]()
    return tuple(name for name in wanted if name not in source_categories and name not in seldom)


def gettext_formula(language: str) -> str | None:
    """The value of `Plural-Forms` in a PO file for a language, if it is known."""
    return _FORMULAS.get(language.replace("-", "_")) or _FORMULAS.get(primary_language(language))
