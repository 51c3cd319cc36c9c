"""Pronouns and function words by ISO 639 code, in lower case, from `word_lists.toml`."""

from __future__ import annotations

from docmt_files.base.packaged_tables import read_table

_LISTS = {
    code: {name: tuple(words.split()) for name, words in lists.items()}
    for code, lists in read_table("docmt_nmt.text", "word_lists.toml").items()
}

SOURCE_PRONOUNS = {code: lists["pronouns"] for code, lists in _LISTS.items()}
"""The pronouns of a source language scored by APT."""

TARGET_PRONOUNS = {
    code: lists["pronouns"] + lists["other_pronouns"] for code, lists in _LISTS.items()
}
"""The pronouns of a target language distinguished by APT."""

FUNCTION_WORDS = {
    code: frozenset(lists["function_words"] + TARGET_PRONOUNS[code])
    for code, lists in _LISTS.items()
}
"""The function words of a language, pronouns included: a repeated one is not a term."""
