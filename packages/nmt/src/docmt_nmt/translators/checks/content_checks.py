"""Numbers, symbols and addresses to keep in a translation: a difference from the source is nearly
always wrong, and easily overlooked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from docmt_files.base.documents import WarningKind

_IN_WORDS = 12
"""Numbers up to this one may be written in words, or a word as a number."""

_MAX_LISTED = 5
"""Maximum number of differences listed in a warning for each side."""

_DIGITS = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<=\d)[.,'’\u00a0\u2009\u202f ](?=\d{3}(?!\d))")
"""A separator of the thousands of a number, which languages write differently."""
_PADDED = re.compile(r"(?<!\d)0(?=\d(?:[:.]|$))|(?<=\d)[:.,]00(?!\d)")
"""Redundant parts of a number: `08:30`, `09. April`, `2.00`."""
_SCALED = re.compile(r"\d\s?[万萬億亿兆]")
"""A number in units without equivalent in European languages."""

_PERCENT = re.compile(r"(?i:\bpro[zcs]en\w*|\bper ?cent\b|\bp[ou][ru] ?ci?ent\w*|процент\w*)")
_SYMBOL = regex.compile(r"[[\p{Sc}\p{So}\p{Sm}§@#%\\_^{}]--[−`´]]|(?<=\d)/(?=\d)", regex.V1)
_ADDRESS = re.compile(
    r"(?:https?|ftp)://[^\s<>\"'{}]*[^\s<>\"'{}.,;:!?)\]*_]"
    r"|[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}"
)

_PART = regex.compile(r"[\p{Latin}\p{N}_]{3,}")
"""A part of the text of an inline code."""

_EMPTY_PAIR = regex.compile(
    r"<(\p{L}[\w:-]*+)[^<>]*+>\s*</\1>|\(\s*\)|\[\s*\]|\"\"|„\s*[“”]|“\s*”|«\s*»|‹\s*›|「\s*」"
)
"""Tags, brackets or quotation marks with nothing between them."""


def differing_content(source: str, target: str) -> Iterator[tuple[WarningKind, str]]:
    """Yield the kind and the details of each difference between a translation and the source.

    >>> list(differing_content("Call 7946 0958.", "Rufen Sie 7946 0985."))
    [('numbers', '0958 became 0985')]
    """
    lost, new = _differences(_addresses(source), _addresses(target))
    if lost or new:
        yield "symbols", _described(lost, new)
    source, target = map(without_addresses, (source, target))
    lost, new = _differences(_numbers(source), _numbers(target))
    differ = (lost and new) or any(map(_is_large, (*lost, *new)))
    if differ and not (_SCALED.search(source) or _SCALED.search(target)):
        yield "numbers", _described(lost, new)
    lost, new = _differences(_symbols(source), _symbols(target))
    if lost or new:
        yield "symbols", _described(lost, new)


def emptied_pairs(source: str, target: str) -> list[str]:
    """Tags, brackets and quotation marks with nothing in them, which the source does not have.

    >>> emptied_pairs("Open the <b>file</b>.", "Öffnen Sie die <b></b>.")
    ['<b></b>']
    """
    before, after = (
        Counter(match[0] for match in _EMPTY_PAIR.finditer(text)) for text in (source, target)
    )
    return list(after - before)


def superfluous_words(source: str, target: str, words: Sequence[str]) -> list[str]:
    """Words of inline codes that a translation has more often than its source, and parts of them
    that stand outside of them.

    Args:
        source, target: the sentence and its translation.
        words: the words that must be kept, such as the text of code in Markdown.

    >>> superfluous_words("Put it in src/a.", "Legen Sie es in src src/a ab.", ["src/a"])
    ['src']
    """
    if not words:
        return []
    longest_first = sorted(set(words), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    before, after = (Counter(pattern.findall(text)) for text in (source, target))
    around, beside = (set(_PART.findall(pattern.sub(" ", text))) for text in (source, target))
    parts = dict.fromkeys(part for word in longest_first for part in _PART.findall(word))
    return [*(after - before), *(part for part in parts if part in beside - around)]


def without_addresses(text: str) -> str:
    """A text without mail and web addresses, which stay the same in a translation."""
    return _ADDRESS.sub(" ", text)


def _addresses(text: str) -> Counter[str]:
    return Counter(_ADDRESS.findall(text))


def _numbers(text: str) -> Counter[str]:
    """The runs of digits of a text; thousands are not separated."""
    plain = unicodedata.normalize("NFKC", text) if not text.isascii() else text
    return Counter(_DIGITS.findall(_PADDED.sub("", _GROUPED.sub("", plain))))


def _symbols(text: str) -> Counter[str]:
    """The symbols of a text; percent in words is one."""
    return Counter(_SYMBOL.findall(_PERCENT.sub("%", text)))


def _is_large(number: str) -> bool:
    """Return whether a number is not written in words."""
    return len(number) > 2 or number.startswith("0") or int(number) > _IN_WORDS


def _differences(source: Counter[str], target: Counter[str]) -> tuple[list[str], list[str]]:
    """Items only in the source, or more often there, and the same for the target."""
    return sorted((source - target).elements()), sorted((target - source).elements())


def _described(lost: list[str], new: list[str]) -> str:
    """Description of lost and new items."""
    before, after = (", ".join(each[:_MAX_LISTED]) for each in (lost, new))
    if lost and new:
        return f"{before} became {after}"
    return f"{before} lost" if lost else f"{after} added"
