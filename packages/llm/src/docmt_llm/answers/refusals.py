"""`Refusals`: answers of a large language model refusing to translate."""

from __future__ import annotations

import re
from functools import cache

from docmt_files.base.languages import primary_language
from docmt_files.base.packaged_tables import read_table


class Refusals:
    """Finds refusals among translations between two languages.

    A source sentence may read like a refusal itself, and the translation then does, too. So a
    refusal phrase in the target language counts only if phrases are known for the source language
    and the source sentence has none. A phrase in any other language always counts, unless the
    source sentence has it.

    Args:
        languages: the codes of the source and of the target language.

    >>> refusals = Refusals(("en", "de"))
    >>> refusals.find("Open the file.", "Es tut mir leid, aber ich kann das nicht übersetzen.")
    'Es tut mir leid, aber ich'
    >>> refusals.find("I'm sorry, but I can't help you.", "Es tut mir leid, aber ich kann nicht.")
    ''
    """

    def __init__(self, languages: tuple[str, str]) -> None:
        self._source, self._target = map(primary_language, languages)

    def find(self, source: str, target: str) -> str:
        """The refusal phrase of an answer; empty if there is none."""
        patterns = _patterns()
        own = patterns.get(self._source)
        for language, pattern in patterns.items():
            match = pattern.search(target)
            if match is None or pattern.search(source) is not None:
                continue
            if language == self._target and (own is None or own.search(source) is not None):
                continue
            return match[0].strip()
        return ""


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """The pattern of refusals in each language."""
    table = read_table(__package__, "refusals.toml")
    return {
        language: re.compile(
            "|".join([*(rf"\A\W*(?:{each})" for each in start), *table["anywhere"][language]]),
            re.IGNORECASE,
        )
        for language, start in table["start"].items()
    }
