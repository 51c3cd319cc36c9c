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
    lost = _pattern(own, "clear").search(source)
    if lost and not _pattern(theirs, "clear", "any").search(target):
        return f"{lost[0]} lost"
    if primary[1] in _CONFUSABLE:
        return ""
    added = _pattern(theirs, "clear").search(target)
    is_new = added and not _pattern(own, "clear", "any").search(source)
    return f"{added[0]} added" if added and is_new else ""


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    """The words for negations by language."""
    return read_table("docmt_nmt.translators.checks", "negations.toml")


@cache
def _pattern(language: str, *kinds: str) -> regex.Pattern[str]:
    """The negations of a language: `clear` ones, which are kept in translations, and with `any` all
    ways to negate, which take long to compile and are needed by few sentences."""
    row = _words()[language]
    return regex.compile(rf"(?:{'|'.join(row[kind] for kind in kinds)})", regex.IGNORECASE)
