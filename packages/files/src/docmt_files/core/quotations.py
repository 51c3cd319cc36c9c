"""Quotation marks that are pairs, and marks that are not.

sentencex never ends a sentence between two quotation marks. Marks that are not a pair, as in `a 15"
screen` or in the typed `„Wort"`, take text between them for a quotation. So a mark counts as one of
a pair only if the other, of the same style, is near; sentencex sees any other mark as a letter or
as white space.
"""

from __future__ import annotations

from collections.abc import Iterator

LONGEST = 300
"""The most characters between two quotation marks of a pair. A longer quotation is split."""

_CLOSING = {
    '"': '"',
    "“": '”"',
    "„": '“”"',
    "«": "»",
    "»": "«»",
    "‹": "›",
    "›": "‹›",
    "「": "」",
    "『": "』",
    "‚": "‘’'",
    "‘": "’'",
    "'": "'",
    "”": "”",
    "’": "’",
}
"""The marks that close a quotation, by the mark that opens it."""

_MARKS = frozenset(_CLOSING) | frozenset("」』")
_ALWAYS_OPENING, _ALWAYS_CLOSING = "„‚「『", "」』"
_OPENING_BETWEEN_WORDS, _CLOSING_BETWEEN_WORDS = "“«‹", "”»›"
"""What a mark without white space on either side is, as in Chinese."""

_KNOWN = {'""', "“”", "„“", "«»", "»«", "‹›", "「」", "‘’", "''"}
"""The pairs that sentencex knows. Other pairs are given as `“” `."""

_ENDS = ".!?…。！？"
_BEFORE_OPENING = "([{-–—:/" + "".join(_CLOSING)
_AFTER_CLOSING = ")]},.;:!?…-–—/" + "".join(_MARKS)


def with_known_pairs(text: str) -> str:
    """A text as long, in which quotation marks are only pairs that sentencex knows."""
    marks = [i for i, character in enumerate(text) if character in _MARKS]
    if not marks:
        return text
    characters = list(text)
    closing = dict(_pairs(text, marks))
    paired = {*closing, *closing.values()}
    for first, last in closing.items():
        if text[first] + text[last] not in _KNOWN:
            characters[first], characters[last] = "“”"
    for i in marks:
        if _is_apostrophe(text, i):
            characters[i] = "’"
        elif i not in paired:
            after_end = i > 0 and (text[i - 1] in _ENDS or text[i - 1] in _MARKS)
            characters[i] = " " if after_end or is_opening(text, i) else "x"
    return "".join(characters)


def is_opening(text: str, i: int) -> bool:
    """Return whether a mark stands where a quotation begins."""
    mark = text[i]
    if mark not in _CLOSING:
        return False
    before, after = text[i - 1 : i] or " ", text[i + 1 : i + 2] or " "
    starts = before.isspace() or before in _BEFORE_OPENING
    ends = after.isspace() or after in _AFTER_CLOSING
    if starts != ends:
        return starts
    return mark in _ALWAYS_OPENING or mark in _OPENING_BETWEEN_WORDS


def _is_closing(text: str, i: int) -> bool:
    """Return whether a mark stands where a quotation ends."""
    mark = text[i]
    if mark in _ALWAYS_OPENING:
        return False
    before, after = text[i - 1 : i] or " ", text[i + 1 : i + 2] or " "
    starts = before.isspace() or before in "([{"
    ends = after.isspace() or after in _AFTER_CLOSING
    if starts != ends:
        return ends
    return mark in _ALWAYS_CLOSING or mark in _CLOSING_BETWEEN_WORDS


def _is_apostrophe(text: str, i: int) -> bool:
    """Return whether a mark stands within a word."""
    around = text[i - 1 : i], text[i + 1 : i + 2]
    return text[i] in "'’‘" and all(character.isalnum() for character in around)


def _pairs(text: str, marks: list[int]) -> Iterator[tuple[int, int]]:
    """The places of the two marks of each pair; those of a quotation within another, too."""
    opened: list[int] = []
    for i in marks:
        if _is_apostrophe(text, i):
            continue
        if _is_closing(text, i):
            found = _opener(text, opened, i)
            if found is not None:
                yield opened[found], i
                del opened[found:]
                continue
        if is_opening(text, i):
            opened.append(i)


def _opener(text: str, opened: list[int], i: int) -> int | None:
    """The index among opening marks of the nearest that a mark closes; None if there is none."""
    for index in range(len(opened) - 1, -1, -1):
        if i - opened[index] > LONGEST:
            return None
        if text[i] in _CLOSING[text[opened[index]]]:
            return index
    return None
