"""Language detection among the source languages of the service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt.translating.source_language import sample_text
from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_nmt.text.language_detection import language_name, language_probabilities, other_language
from docmt_serve.models.models import Models

_MIN_CONFIDENCE = 5.0
"""Minimum probability, in percent, of the language of a text in a list of texts. Single words have
up to 4 %."""

_MIN_NAMED = 10.0
"""Minimum probability, in percent, of a language that is named and not served."""

_MIN_WORDS, _MAX_OWN, _MIN_OTHER = 5, 1.0, 0.5
"""Minimum number of words of a short text that is refused as it is in a language that no model
translates from, with the maximum probability, in percent, of those that are served, and the minimum
probability of the other language."""

_MIN_CERTAIN = 50.0
"""Minimum probability, in percent, of a file in the target language."""


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


def detect_any(text: str, languages: Iterable[str]) -> list[Detected]:
    """Rank languages by probability, the most probable first: those of the service, and others that
    the text may well be in.

    Args:
        text: the text.
        languages: tags of the languages of the service.

    >>> [each.language for each in detect_any("Das ist eine kleine rote Datei.", ["en"])]
    ['de', 'en']
    """
    served = detect(text, languages)
    known = {primary_language(each.language) for each in served}
    others = [
        Detected(code, round(100 * probability, 1))
        for code, probability in language_probabilities(text).items()
        if code not in known and 100 * probability >= _MIN_NAMED
    ]
    return sorted([*served, *others], key=lambda each: -each.confidence)


def check_served(text: str, detected: Detected, target: str) -> None:
    """Check that a text is not in a language from which no model translates.

    Args:
        text: the text.
        detected: the most probable of the languages that models translate from.
        target: tag of the target language.

    Raises:
        InputError: it is, clearly.
    """
    other = other_language([text], detected.language) or _clearly_other(text, detected)
    if other is not None and other != primary_language(target):
        raise InputError(
            f"the text is in {language_name(other)}, from which no model translates into "
            f"{language_name(target)}",
            cure="Give the source language, if it is another one",
        )


def _clearly_other(text: str, detected: Detected) -> str | None:
    """The language of a text that is short, and yet clearly not in the language detected among the
    served ones; None if it may be."""
    if detected.confidence >= _MAX_OWN or len(text.split()) < _MIN_WORDS:
        return None
    probabilities = language_probabilities(text)
    best = max(probabilities, key=lambda code: probabilities[code])
    return best if probabilities[best] >= _MIN_OTHER else None


def detect_each(
    models: Models, texts: Sequence[str], target: str, name: str | None, *, together: bool = False
) -> list[Detected]:
    """Detect the language of each text, among the source languages for a target language.

    Args:
        models: the models of the service.
        texts: the texts. A text too short to tell has the language of all texts together.
        target: target language.
        name: name of a model, if the request has one.
        together: whether the texts are one document, in one language.

    Raises:
        InputError: there is no such model, or a text is in a language that none translates from.
    """
    into = models.choose(None, target, name).target
    sources = [tag for tag, targets in models.sources.items() if into in targets]
    common = detect("\n".join(texts), sources)[0]
    if together or len(texts) == 1:
        check_served("\n".join(texts), common, into)
        return [common] * len(texts)
    each = [detect(text, sources)[0] for text in texts]
    for text, own in zip(texts, each, strict=True):
        check_served(text, own, into)
    return [own if own.confidence >= _MIN_CONFIDENCE else common for own in each]


def detect_file(path: Path, form: Input, languages: Iterable[str], target: str) -> str:
    """The language of a file.

    Args:
        path: the file.
        form: the way to read the file.
        languages: tags of the possible languages, at least one.
        target: tag of the target language.

    Raises:
        InputError: the file cannot be read, or is in the target language already.
    """
    possible = list(languages)
    is_possible = any(primary_language(tag) == primary_language(target) for tag in possible)
    others = [] if is_possible else [target]
    first, *rest = detect(sample_text([str(path)], form), [*possible, *others])
    if first.language not in others:
        return first.language
    if first.confidence >= _MIN_CERTAIN:
        raise InputError(
            f"Source and target language of the file are both {language_name(target)}",
            cure="Give the source language, if it is another one",
        )
    return rest[0].language
