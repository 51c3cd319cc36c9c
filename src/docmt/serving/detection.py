"""The language of the texts of a request, among those that the service translates from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from docmt.ground.languages import primary_language
from docmt.text.language_detection import language_probabilities


class Detected(NamedTuple):
    """A language that a text may be in.

    Attributes:
        language: its tag, as the service lists it.
        confidence: how probable it is, in percent.
    """

    language: str
    confidence: float


def detect(text: str, languages: Iterable[str]) -> list[Detected]:
    """Rank languages by how probable it is that a text is in them, the most probable first.

    Args:
        text: the text.
        languages: the tags of the languages, one or more.

    >>> detect("Das ist eine Datei.", ["en", "de"])[0].language
    'de'
    """
    probabilities = language_probabilities(text)
    ranked = [
        Detected(tag, round(100 * probabilities.get(primary_language(tag), 0.0), 1))
        for tag in languages
    ]
    return sorted(ranked, key=lambda each: -each.confidence)
