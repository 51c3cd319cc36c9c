"""Plural forms of languages: the categories of cardinal numbers by CLDR, and the formulas of GNU
gettext. Where a target language has more forms than the source, a file of strings needs forms
without a model in the source."""

from __future__ import annotations

import gettext
import re

from docmt_files.base.languages import primary_language
from docmt_files.base.packaged_tables import read_table

_FORMS = re.compile(r"nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;]{1,400});?")
_TABLE: dict[str, dict[str, str]] = read_table(__package__, "plural_forms.toml")


def _by_language(table: dict[str, str]) -> dict[str, str]:
    return {code: name for name, codes in table.items() for code in codes.split()}


_CATEGORIES = _by_language(_TABLE["categories"])
_FORMULAS = _by_language(_TABLE["formulas"])
_QT_FORMULAS = _by_language(_TABLE["qt"])


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


def qt_formula(language: str) -> str | None:
    """The plural forms of a language in Qt's files of translations, as a formula of gettext, if
    they are known."""
    return _QT_FORMULAS.get(primary_language(language)) or gettext_formula(language)


def read_formula(formula: str) -> tuple[int, list[int]] | None:
    """The number of forms, and the form of each number from 0 to 199; None if it cannot be read."""
    match = _FORMS.fullmatch(formula.strip())
    if match is None:
        return None
    count = int(match[1])
    try:
        function = gettext.c2py(match[2])
        forms = [int(function(number)) for number in range(200)]
    except (ValueError, RecursionError, ZeroDivisionError, OverflowError):
        return None
    return (count, forms) if count and all(0 <= form < count for form in forms) else None
