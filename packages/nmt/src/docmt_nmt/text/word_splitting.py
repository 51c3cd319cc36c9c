"""Words of running text, for alignments and the comparison of pronouns and terms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import regex

from docmt_files.base.errors import InputError
from docmt_files.base.languages import is_chinese, primary_language
from docmt_files.base.packaged_tables import read_table

if TYPE_CHECKING:
    from docmt_nmt.text.chinese import JiebaSegmentation

_NO_SPACES = ("ja", "jpn", "th", "tha", "lo", "lao", "km", "khm", "my", "mya", "bo", "bod")
"""Languages without spaces between words for which docmt has no segmenter."""

_WORD = r"\p{L}[\p{L}\p{M}\p{N}]*(?:[-‐‑]\p{L}[\p{L}\p{M}\p{N}]*)*"
_NUMBER = r"\p{N}+(?:[.,:]\p{N}+)*"
_OTHER = r"[^\s]"
_PATTERNS = {
    # "don't" is "do" and "n't", "he's" is "he" and "'s", as in the Penn Treebank.
    "en": regex.compile(
        rf"(?i:{_WORD}(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b)|{_WORD}|{_NUMBER}|{_OTHER}"
    ),
    # "l'homme" is "l'" and "homme".
    "fr": regex.compile(rf"{_WORD}['’]|{_WORD}|{_NUMBER}|{_OTHER}"),
    "": regex.compile(rf"{_WORD}(?:['’](?=\p{{L}}){_WORD})*|{_NUMBER}|{_OTHER}"),
}
_PATTERNS["it"] = _PATTERNS["ca"] = _PATTERNS["fr"]

_STEMMERS: dict[str, str] = read_table("docmt_nmt.text", "stemmers.toml")
"""Snowball's stemmers by ISO 639 code."""


def split_words(text: str, language: str, *, tokenized: bool = False) -> list[str]:
    """Split a sentence into words, numbers and punctuation marks.

    Words are split at apostrophes as the language needs it; words with hyphens are one word.
    Chinese is segmented by jieba (extra `chinese`).

    Args:
        text: the sentence.
        language: the language code.
        tokenized: whether the words are already divided by spaces.

    Raises:
        InputError: the language has no spaces between words and docmt cannot segment it, or the
            segmenter is not installed.

    >>> split_words("He didn't pay 3.50.", "en")
    ['He', 'did', "n't", 'pay', '3.50', '.']
    """
    if tokenized:
        return text.split()
    code = primary_language(language)
    if is_chinese(language):
        return _segmenter().apply(text).split()
    if code in _NO_SPACES:
        raise InputError(
            f"docmt cannot split {language!r} into words",
            cure="Segment the text, put spaces between the words, and set `tokenized`",
            parameters=("tokenized",),
        )
    words: list[str] = _PATTERNS.get(code, _PATTERNS[""]).findall(text)
    return words


def stem(words: Sequence[str], language: str) -> list[str]:
    """Return the stems of words by the Snowball stemmer of the language, in lower case; words of a
    language without one, in lower case.

    >>> stem(["Houses", "were", "built"], "en")
    ['hous', 'were', 'built']
    """
    lowered = [word.lower() for word in words]
    code = primary_language(language)
    if code not in _STEMMERS:
        return lowered
    return [_stem(word, code) for word in lowered]


def has_stemmer(language: str) -> bool:
    """Return whether `stem` does more than to lower the case of words of a language."""
    return primary_language(language) in _STEMMERS


def is_word(token: str) -> bool:
    """Return whether a token is a word, not a number or punctuation."""
    return any(character.isalpha() for character in token)


@cache
def _stem(word: str, code: str) -> str:
    """Return a stem, once for each word: text repeats words, and the stemmers are slow."""
    return str(_stemmer(code).stemWord(word))


@cache
def _stemmer(code: str) -> Any:
    import snowballstemmer  # importing it is slow

    return snowballstemmer.stemmer(_STEMMERS[code])


@cache
def _segmenter() -> JiebaSegmentation:
    from docmt_nmt.text.chinese import JiebaSegmentation

    try:
        return JiebaSegmentation()
    except InputError:
        raise InputError(
            "splitting Chinese into words needs rjieba, which is not installed",
            cure="Install it with `pip install 'docmt[chinese]'`, or put spaces between the words "
            "and set `tokenized`",
            parameters=("tokenized",),
        ) from None
