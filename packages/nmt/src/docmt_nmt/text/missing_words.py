"""Words of a sentence with characters missing from a vocabulary."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import regex

from docmt_nmt.text.spellings import Span

_INSIDE, _ALONE = "\ue000", "\ue001"
"""Stand-ins for a missing character: one for a character inside a word, and one for a character
alone, such as a dash or a character of a script without spaces."""

_UNSPACED = (
    r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}"
    r"\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}"
)
_IS_UNSPACED = regex.compile(rf"[{_UNSPACED}]")

_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}{_INSIDE}]--[{_UNSPACED}]]"
_WORD = regex.compile(
    rf"\w{{1,20}}://\S*[^\s.,;:!?)\]}}\"'»”]|{_LETTER}++(?:(?!['’]s(?!{_LETTER}))[.,'’_@-]{_LETTER}++)*+|{_ALONE}++",
    regex.V1,
)
"""An address, a word or number with a missing character in it, such as `£25`, or missing characters
alone."""


def missing_words(text: str, missing: Sequence[Span]) -> list[Span]:
    """Return the words and symbols of a sentence with missing characters, whole, in order.

    Args:
        text: the sentence.
        missing: the ranges of the sentence's characters missing from a vocabulary.

    >>> [text[a:b] for text in ("It is £2.50, André.",) for a, b in missing_words(text, [(6, 7)])]
    ['£2.50']
    """
    marked = [" " if character in (_INSIDE, _ALONE) else character for character in text]
    for start, end in missing:
        for offset in range(start, end):
            if not text[offset].isspace():
                marked[offset] = _ALONE if _stands_alone(text[offset]) else _INSIDE
    return [
        match.span()
        for match in _WORD.finditer("".join(marked))
        if _INSIDE in match[0] or _ALONE in match[0]
    ]


def _stands_alone(character: str) -> bool:
    """Return whether a character is no part of the word beside it."""
    is_mark = unicodedata.category(character)[0] in "PZ"
    return is_mark or _IS_UNSPACED.match(character) is not None
