"""Boundaries of words in plain text, in scripts with and without spaces between words."""

from __future__ import annotations

import unicodedata
from functools import cache

import regex

WITHOUT_SPACES = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}"
    r"\p{Script=Myanmar}\p{Script=Tibetan}]"
)
"""A character of a script without spaces between words. Katakana is excluded: Katakana words mostly
end at the beginning of another script."""

_WORD = regex.compile(
    rf"{WITHOUT_SPACES.pattern}|[[\p{{L}}\p{{M}}\p{{N}}_]--{WITHOUT_SPACES.pattern}]+", regex.V1
)

_KATAKANA = regex.compile(r"[\p{Script=Katakana}\u30fc]")


@cache
def is_in_word(character: str) -> bool:
    """Return whether a character is part of a word that ends at the next space or punctuation mark:
    a letter, mark, digit or underscore, unless the script has no spaces between words."""
    if character != "_" and unicodedata.category(character)[0] not in "LMN":
        return False
    return WITHOUT_SPACES.match(character) is None


def is_word_boundary(text: str, index: int) -> bool:
    """Return whether a word may begin or end before the character at an index of a text. In scripts
    without spaces between words, one may anywhere but before a combining mark."""
    if index in (0, len(text)):
        return True
    before, after = text[index - 1], text[index]
    if unicodedata.category(after)[0] == "M":
        return False
    if not (is_in_word(before) and is_in_word(after)):
        return True
    return bool(_KATAKANA.match(before)) != bool(_KATAKANA.match(after))


def words_of_any_script(text: str) -> list[str]:
    """Return the words of a text without punctuation; in scripts without spaces between words, the
    characters. Coarse, but the same for every language.

    >>> words_of_any_script("Is it 8 o'clock?")
    ['Is', 'it', '8', 'o', 'clock']
    """
    words: list[str] = _WORD.findall(text)
    return words
