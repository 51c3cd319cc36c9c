"""Negations: a sentence that says *not* in one language and in no way in the other says the
opposite."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import regex

from docmt_files.base.languages import primary_language
from docmt_files.base.packaged_tables import read_table

_CONFUSABLE = frozenset({"cs", "fr", "ja", "ko", "tr", "zh"})
"""Languages whose negations stand in other words, too, or go with *only* and *until*: a negation of
them shows that the other side must have one only where that is translated into them."""

_ALIASES = {"nb": "no", "nn": "no"}


def differing_negation(source: str, target: str, languages: tuple[str, str]) -> str:
    """In words, the negation that only one side has; empty if all is well, or the words for it are
    not known in one of the languages.

    Args:
        source, target: the sentence and its translation.
        languages: the codes of the source and the target language.

    >>> differing_negation("Do not open it.", "Öffnen Sie es.", ("en", "de"))
    'not lost'
    """
    primary = [primary_language(code) for code in languages]
    own, theirs = (_ALIASES.get(code, code) for code in primary)
    if not {own, theirs} <= _words().keys():
        return ""
    if (lost := _clear(own).search(source)) and not _any(theirs).search(target):
        return f"{lost[0]} lost"
    if primary[1] in _CONFUSABLE:
        return ""
    added = _clear(theirs).search(target)
    return f"{added[0]} added" if added and not _any(own).search(source) else ""


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    """The words for negations by language."""
    return read_table("docmt_nmt.translators.checks", "negations.toml")


@cache
def _clear(language: str) -> regex.Pattern[str]:
    """The negations of a language that are kept in translations."""
    return regex.compile(rf"(?:{_words()[language]['clear']})", regex.IGNORECASE)


@cache
def _any(language: str) -> regex.Pattern[str]:
    """All ways to negate in a language; they take long to compile, and few sentences need them."""
    row = _words()[language]
    return regex.compile(rf"(?:{row['clear']}|{row['any']})", regex.IGNORECASE)
