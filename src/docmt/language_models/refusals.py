"""`Refusals`: answers by which a large language model says that it will not translate."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from docmt.ground.languages import primary_language


class Refusals:
    """Finds refusals among translations between two languages.

    A sentence that reads like a refusal itself may be translated with one. So one in the target
    language counts only if the source language has phrases, too, and the sentence none of them; in
    any other language it counts in any case.

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
        """The phrase by which an answer refuses to translate a sentence; empty if there is none."""
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
    """For each language what finds a refusal in it."""
    table = tomllib.loads(
        files("docmt.language_models").joinpath("refusals.toml").read_text("utf-8")
    )
    return {
        language: re.compile(
            "|".join([*(rf"\A\W*(?:{each})" for each in start), *table["anywhere"][language]]),
            re.IGNORECASE,
        )
        for language, start in table["start"].items()
    }
