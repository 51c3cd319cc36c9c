"""`other_language`: the language of a text, if it is clearly not the expected language;
`parts_in_other_languages`: the same for the parts of a text; `other_language_of_sentence`: the same
for a target sentence.

py3langid gives the probability of each language, by naive Bayes over byte n-grams that tell
languages apart whatever the topic of a text (Lui and Baldwin 2011, Cross-domain Feature Selection
for Language Identification). `docs/concepts/warnings.md` has measurements with these thresholds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import regex

from docmt_files.base.languages import language_tag, primary_language
from docmt_nmt.base.language_aliases import current_language
from docmt_nmt.text.scripts import scripts_of_language

if TYPE_CHECKING:
    from docmt_nmt.text.language_detector import LanguageDetector

_MIN_LETTERS = 100
"""Minimum length of a text, in bytes of letters in UTF-8: 100 letters of English, 50 of Russian, 34
of Chinese."""

_MAX_OWN = 0.05
"""A text is in another language if the probability of the expected language is at most this, and
the probability of another language is at least `_MIN_OTHER`. Lists of names and code resemble no
language."""
_MIN_OTHER = 0.5

_MIN_LETTERS_OF_PART, _MAX_OWN_OF_PART, _MIN_OTHER_OF_PART = 70, 0.01, 0.9
"""The same limits for one of many parts of a text, where each may be wrong."""

_MIN_LETTERS_OF_SENTENCE, _MAX_OWN_OF_SENTENCE, _MIN_OTHER_OF_SENTENCE = 16, 0.01, 0.5
"""The same limits for a target sentence, without names, code and quotations."""

_PLAIN_WORD = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}_/\\@#%$<{:.=&+-])"
    r"\p{L}[[\p{L}\p{M}]--\p{Lu}]*+(?:[-'’‑]\p{L}[[\p{L}\p{M}]--\p{Lu}]*+)*+"
    r"(?![\p{L}\p{M}\p{N}_/\\@#%$>}=&+(]|[.:]\p{L})",
    regex.VERSION1,
)
"""A word of running text. Identifiers, paths, abbreviations and markup are none."""

_MIN_LOWER = 2
"""Minimum number of words in lower case beside capitalized words, which may be names."""

_COPIED = 3
"""Number of successive words that a translation copies from the source as a name or a
quotation."""

_SAMPLE = 4000
"""Number of characters examined in a long text, roughly; the probabilities of longer texts are less
sharp."""

_NOT_TOLD_APART = (
    frozenset(("zh", "wuu", "yue")),
    frozenset(("no", "nb", "nn")),
    frozenset(("hr", "bs", "sr")),
    frozenset(("id", "ms")),
)
"""Groups of languages too similar to report a text as being in the wrong one."""

_NO_LANGUAGE = "zxx"
"""Language codes given by the detector to numbers, markup and identifiers."""


def other_language(sentences: Iterable[str], language: str) -> str | None:
    """Return the code of the language of a text, or None if the text is in the expected language or
    the language is uncertain: short texts, and languages unknown to the detector, are not checked.

    Args:
        sentences: the sentences of the text.
        language: the code of the expected language.

    Raises:
        InputError: `language` is not written as a code.

    >>> other_language(["Ouvrez le fichier dans lequel vous avez écrit votre première lettre."
    ...                 " Cliquez ensuite sur le bouton pour la supprimer."], "en")
    'fr'
    """
    text = _sample(sentences)
    if _letters(text) < _MIN_LETTERS:
        return None
    return _other(text, language, _MAX_OWN, _MIN_OTHER)


def parts_in_other_languages(parts: Sequence[str], language: str) -> dict[int, str]:
    """The indices of the parts of a text, such as paragraphs, that are surely in another language,
    with the codes of their languages; none if the other parts are not in the expected language.

    Args:
        parts: the texts of the parts.
        language: the code of the expected language.
    """
    limits = _MAX_OWN_OF_PART, _MIN_OTHER_OF_PART
    found: dict[int, str] = {}
    for index, part in enumerate(parts):
        text = part[: 2 * _SAMPLE]
        if _letters(text) < _MIN_LETTERS_OF_PART or _is_own_but_for_names(text, language):
            continue
        if other := _other(text, language, *limits):
            found[index] = other
    if not found:
        return {}
    rest = _sample(part for index, part in enumerate(parts) if index not in found)
    return found if _own_probability(rest, language) >= _MIN_OTHER else {}


def other_language_of_sentence(source: str, target: str, language: str) -> str | None:
    """Return the code of the language of a target sentence, or None if the sentence is in the
    expected language, or the language is uncertain. Code, names and quotations copied from the
    source sentence, lists of names, and short sentences are not checked.

    Args:
        source: the source sentence.
        target: the target sentence.
        language: the code of the target language.

    Raises:
        InputError: `language` is not written as a code.

    >>> other_language_of_sentence("Bitte schalten Sie ihn am Abend aus.",
    ...                            "The sentence is not in the document.", "fr")
    'en'
    """
    words, source_words = map(_PLAIN_WORD.findall, (target, source))
    names = {word for word in source_words if not word.islower()}
    runs = set(_runs(source_words))
    is_copied = [word in names for word in words]
    for start, run in enumerate(_runs(words)):
        if run in runs:
            is_copied[start : start + _COPIED] = [True] * _COPIED
    own = [
        word for word, is_from_source in zip(words, is_copied, strict=True) if not is_from_source
    ]
    capitalized = sum(word[0].isupper() for word in own)
    if capitalized and len(own) - capitalized < _MIN_LOWER:
        return None
    text = " ".join(own)
    if _letters(text) < _MIN_LETTERS_OF_SENTENCE:
        return None
    return _other(text, language, _MAX_OWN_OF_SENTENCE, _MIN_OTHER_OF_SENTENCE)


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All runs of words that are enough for a copy."""
    return zip(*(words[start:] for start in range(_COPIED)), strict=False)


def _is_own_but_for_names(text: str, language: str) -> bool:
    """Return whether a text may be in a language but for capitalized words, such as names of menus
    in another language."""
    lower = " ".join(word for word in _PLAIN_WORD.findall(text) if not word[0].isupper())
    if _letters(lower) < _MIN_LETTERS_OF_SENTENCE:
        return False
    return _own_probability(lower, language) > _MAX_OWN


def _letters(text: str) -> int:
    """The length of a text in bytes of letters."""
    return len("".join(filter(str.isalpha, text)).encode("utf-8", "replace"))


def _own_probability(text: str, language: str) -> float:
    """The probability that a text is in a language, or in one too similar to tell apart."""
    probabilities = dict(_detector().rank(text))
    return float(sum(probabilities.get(code, 0.0) for code in _own_codes(language)))


def _own_codes(language: str) -> frozenset[str]:
    """The codes of a language and of the languages too similar to tell apart from it."""
    primary = primary_language(language)
    return _alike(primary) | _alike(current_language(primary))


def _other(text: str, language: str, most_own: float, least_other: float) -> str | None:
    """The language of a text if the expected one and another one have such probabilities."""
    own_codes, detector = _own_codes(language), _detector()
    if own_codes.isdisjoint(detector.labels) or not _in_usual_script(language):
        return None
    probabilities = dict(detector.rank(text))
    if sum(probabilities.get(code, 0.0) for code in (*own_codes, _NO_LANGUAGE)) > most_own:
        return None
    likeliest = max(probabilities, key=probabilities.__getitem__)
    alike = _alike(likeliest)
    if sum(probabilities.get(code, 0.0) for code in alike) < least_other:
        return None
    return min(alike, key=lambda code: (len(code), code != likeliest))


def language_probabilities(text: str) -> dict[str, float]:
    """The possible languages of a text, by code, with probabilities; languages too similar to tell
    apart share a probability.

    >>> max(language_probabilities("Das ist eine Datei.").items(), key=lambda item: item[1])[0]
    'de'
    """
    ranked = dict(_detector().rank(text[: 2 * _SAMPLE]))
    del ranked[_NO_LANGUAGE]
    return {code: sum(ranked.get(each, 0.0) for each in _alike(code)) for code in ranked}


def language_name(language: str) -> str:
    """Return the English name of a language, or the code if no name is known.

    >>> language_name("de-AT"), language_name("deu_Latn")
    ('German', 'German')
    """
    from babel import Locale  # slow to import

    return str(Locale("en").languages.get(current_language(language), language))


def regional_name(language: str) -> str:
    """Return the English name of a language with the script and the region of the code, or the code
    if no name is known.

    >>> regional_name("EN-GB"), regional_name("zh_Hant"), regional_name("DE")
    ('English (United Kingdom)', 'Chinese (Traditional)', 'German')
    """
    from babel import Locale  # slow to import

    english, parts = Locale("en"), language_tag(language).split("-")[1:]
    names = [
        english.scripts.get(part.title()) or english.territories.get(part.upper()) for part in parts
    ]
    details = ", ".join(name or part for name, part in zip(names, parts, strict=True))
    return language_name(language) + (f" ({details})" if details else "")


def _sample(sentences: Iterable[str]) -> str:
    """Different sentences from all over a text."""
    different = list(dict.fromkeys(sentences))
    step = 1 + sum(map(len, different)) // _SAMPLE
    return " ".join(different[::step])[: 2 * _SAMPLE]


def _alike(code: str) -> frozenset[str]:
    """Return a language with the languages too similar to tell apart from it."""
    return next((each for each in _NOT_TOLD_APART if code in each), frozenset((code,)))


def _in_usual_script(language: str) -> bool:
    """Return whether a code names no script, or the script of most texts of the language."""
    return scripts_of_language(language) == scripts_of_language(primary_language(language))


@cache
def _detector() -> LanguageDetector:
    """The detector for languages with a code of ISO 639-1. Lists of names look like the others,
    which have few texts."""
    from docmt_nmt.text.language_detector import load_detector  # needs NumPy

    return load_detector(
        lambda labels: (
            {code for code in labels if len(code) == 2 or _alike(code) != {code}} | {_NO_LANGUAGE}
        )
    )
