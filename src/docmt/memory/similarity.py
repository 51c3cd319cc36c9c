"""How alike two sentences are: words count, and numbers count as one word each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|\w+(?:['’]\w+)*|[^\w\s]", re.UNICODE)
_NUMBERS = re.compile(r"\d+(?:[.,:/]\d+)*")
_NUMBER = "#"


class Tokens(NamedTuple):
    """The tokens of a sentence.

    Attributes:
        words: words in lower case and punctuation marks; a number is `#`.
        numbers: the numbers as they are written, in order.
    """

    words: tuple[str, ...]
    numbers: tuple[str, ...]


def tokenize(sentence: str) -> Tokens:
    """The tokens of a sentence. A sentence without spaces between words has one token a character.

    >>> tokenize("Wait 2.5 seconds.")
    Tokens(words=('wait', '#', 'seconds', '.'), numbers=('2.5',))
    """
    words, numbers = [], []
    for match in _TOKEN.finditer(unicodedata.normalize("NFC", sentence)):
        token = match[0]
        if token[0].isdecimal():
            numbers.append(token)
            words.append(_NUMBER)
        elif _has_no_spaces(token):
            numbers += _NUMBERS.findall(token)
            words += _NUMBERS.sub(_NUMBER, token)
        else:
            words.append(token.lower())
    return Tokens(tuple(words), tuple(numbers))


def _has_no_spaces(word: str) -> bool:
    """Return whether a run of letters is of a script that puts no spaces between words."""
    return any(
        "\u0e00" <= character <= "\u0eff" or "\u3040" <= character <= "\u9fff" for character in word
    )


def normalized(sentence: str) -> str:
    """A sentence as exact matches compare it: with composed characters and single spaces."""
    return " ".join(unicodedata.normalize("NFC", sentence).split())


def without_numbers(sentence: str) -> str:
    """A sentence as `normalized`, with `#` in place of numbers."""
    return _NUMBERS.sub(_NUMBER, normalized(sentence))


def similarity(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """How alike two sequences of words are, from 0 to 1: one minus the number of edits, by the
    length of the longer one."""
    return float(Levenshtein.normalized_similarity(one, other))
