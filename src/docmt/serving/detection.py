"""Language detection among the source languages of the service."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from docmt.ground.languages import primary_language
from docmt.text.language_detection import language_probabilities


@dataclass(frozen=True, slots=True)
class Detected:
    """A possible language of a text.

    Attributes:
        language: tag of the language.
        confidence: probability in percent.
    """

    language: str
    confidence: float


def detect(text: str, languages: Iterable[str]) -> list[Detected]:
    """Rank languages by probability, the most probable first.

    Args:
        text: the text.
        languages: tags of at least one language.

    >>> detect("Das ist eine Datei.", ["en", "de"])[0].language
    'de'
    """
    probabilities = language_probabilities(text)
    ranked = [
        Detected(tag, round(100 * probabilities.get(primary_language(tag), 0.0), 1))
        for tag in languages
    ]
    return sorted(ranked, key=lambda each: -each.confidence)
