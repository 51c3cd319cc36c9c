"""How alike two sentences are: words count, and each number or placeholder counts as one word,
whichever it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

_VALUE = (
    r"https?://[^\s<>]*[\w/]|\{\{?[\w.:$#-]*\}?\}|(?<![\w%])%(?:\(\w+\)|\d+\$)?[a-zA-Z@](?!\w)"
    r"|\d+(?:[.,:/]\d+)*"
)
_TOKEN = re.compile(rf"{_VALUE}|\w+(?:['’]\w+)*|[^\w\s]")
_VALUES = re.compile(_VALUE)
_NUMBERS = re.compile(r"\d+(?:[.,:/]\d+)*")
_NO_SPACES = re.compile("[\u0e00-\u0eff\u3040-\u9fff]")
"""A letter of a script that puts no spaces between words."""

_NUMBER = "#"


class Tokens(NamedTuple):
    """The tokens of a sentence.

    Attributes:
        words: words in lower case and punctuation marks; a number or placeholder is `#`.
        values: the numbers and placeholders (`{name}`, `%s`, addresses), in order.
    """

    words: tuple[str, ...]
    values: tuple[str, ...]


def tokenize(sentence: str) -> Tokens:
    """The tokens of a sentence. A sentence without spaces between words has one token a character.

    >>> tokenize("Wait 2.5 seconds.")
    Tokens(words=('wait', '#', 'seconds', '.'), values=('2.5',))
    """
    words, values = [], []
    for token in _TOKEN.findall(unicodedata.normalize("NFC", sentence)):
        if not token.isalpha() and _VALUES.fullmatch(token):
            values.append(token)
            words.append(_NUMBER)
        elif not token.isascii() and _NO_SPACES.search(token):
            values += _NUMBERS.findall(token)
            words += _NUMBERS.sub(_NUMBER, token)
        else:
            words.append(token.lower())
    return Tokens(tuple(words), tuple(values))


def normalized(sentence: str) -> str:
    """A sentence as exact matches compare it: with composed characters and single spaces."""
    return " ".join(unicodedata.normalize("NFC", sentence).split())


def without_values(sentence: str) -> str:
    """A sentence as `normalized`, with `#` in place of numbers and placeholders."""
    return _VALUES.sub(_NUMBER, normalized(sentence))


def find_values(sentence: str) -> list[re.Match[str]]:
    """The numbers and placeholders of a sentence, in order."""
    return list(_VALUES.finditer(sentence))


def count_words(sentence: str) -> int:
    """The number of words and numbers of a sentence, without punctuation marks."""
    return sum(word == _NUMBER or word[0].isalnum() for word in tokenize(sentence).words)


def similarity(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """How alike two sequences of words are, from 0 to 1: one minus the number of edits, by the
    length of the longer one."""
    return float(Levenshtein.normalized_similarity(one, other))
