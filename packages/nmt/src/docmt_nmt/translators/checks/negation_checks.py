"""Negations: a sentence that says *not* in one language and in no way in the other says the
opposite."""

from __future__ import annotations

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
    own, theirs = (_patterns(_ALIASES.get(code, code)) for code in primary)
    if own is None or theirs is None:
        return ""
    if (lost := own[0].search(source)) and not theirs[1].search(target):
        return f"{lost[0]} lost"
    if primary[1] in _CONFUSABLE:
        return ""
    added = theirs[0].search(target)
    return f"{added[0]} added" if added and not own[1].search(source) else ""


@cache
def _patterns(language: str) -> tuple[regex.Pattern[str], regex.Pattern[str]] | None:
    """The negations of a language that are kept in translations, and all ways to negate."""
    row = read_table("docmt_nmt.translators.checks", "negations.toml").get(language)
    if row is None:
        return None
    clear = regex.compile(rf"(?:{row['clear']})", regex.IGNORECASE)
    return clear, regex.compile(rf"(?:{row['clear']}|{row['any']})", regex.IGNORECASE)
