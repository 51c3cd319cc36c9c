"""Accelerators: the mark before the letter of a shortcut in a label of a program, such as `&` in
`E&xit` or `_` in `_File`.

The mark is no text: it is taken out of the string before the translation, and put back before a
letter of the translation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import regex

_LONGEST_LABEL = 80
_IN_BRACKETS = regex.compile(r"(?<=[\p{L}\p{N}])[ ]?\(([&_])([A-Z0-9])\)")


class Accelerator(NamedTuple):
    """The mark of a shortcut in a string.

    Attributes:
        sign: the offset of the mark.
        start, end: the range with the mark that stands for one character of text: the mark and the
            letter, or a character and a letter in brackets after it, as in `ファイル(&F)`.
        text: this character.
        letter: the letter of the shortcut.
    """

    sign: int
    start: int
    end: int
    text: str
    letter: str


class NotAccelerator(NamedTuple):
    """A use of a sign with the look of the mark of a shortcut.

    Attributes:
        sign: the sign.
        what: the use of the sign.
        pattern: matches such a use at the sign.
        example: a text with such a use.
        always: False if it is a mark after all, in a file with other marks of the kind.
    """

    sign: str
    what: str
    pattern: regex.Pattern[str]
    example: str
    always: bool


NOT_ACCELERATORS = tuple(
    NotAccelerator(sign, what, regex.compile(pattern, regex.DOTALL), example, always)
    for sign, what, pattern, example, always in (
        ("&", "a character reference", r"&#?[\p{L}\p{N}_]+;", "Copyright &copy; 2024", True),
        ("&", "an abbreviation", r"(?<=[\p{L}\p{N}])&(?=\p{Uppercase})", "AT&T", True),
        ("&", "between two letters", r"(?<=\b\p{L})&(?=\p{L}\b)", "r&d", True),
        ("&", "in an address", r"(?<=[?=])&|&[\p{L}\p{N}_.-]+=", "index.php?&page", True),
        ("&", "doubled", r"(?<=&)&", "Fish &&Chips", True),
        ("_", "a part of code", r"(?<=[^\s(\[\"'\p{L}\p{N}])_", "$_GET", True),
        (
            "_",
            "in a name of a program",
            r"(?<=\A\p{Ll}+)_(?=[\p{Ll}\d]+\Z)|(?<=\A\p{Lu}{2,})_(?=[\p{Lu}\d]{2,}\Z)",
            "user_name",
            True,
        ),
        ("_", "before a number", r"_(?!\p{L})", "_1 file", True),
        ("_", "one of several", r"_(?=.*_)|(?<=_.*)_", "_a_ b", True),
        ("_", "in or after a word", r"(?<=[\p{L}\p{N}])_", "the file_name", False),
        ("_", "before a name", r"(?<=\s)_(?=\p{Ll})", "the _id of a file", False),
    )
)
"""Texts without accelerators, unless the file names the sign. Each has an example."""


def find_accelerator(
    value: str,
    marker: str = "",
    *,
    is_usual: bool = False,
    exceptions: Sequence[NotAccelerator] = NOT_ACCELERATORS,
) -> Accelerator | None:
    """The mark of the shortcut of a string, or None: the mark named by the file, `&` as in `E&xit`,
    or `_` before a word, as in `_File`.

    Args:
        value: the string.
        marker: the mark named by the file, if any.
        is_usual: whether the file has strings with `_` as a mark.
        exceptions: other uses of the signs.
    """
    # Menus have neither long texts nor addresses.
    if len(value) > _LONGEST_LABEL or "://" in value:
        return None
    brackets = _IN_BRACKETS.search(value)
    if brackets is not None and marker in ("", brackets[1]):
        start, end = brackets.span()
        return Accelerator(brackets.start(1), start - 1, end, value[start - 1], brackets[2])
    for sign in (marker,) if marker else ("&", "_"):
        several = (match.start() for match in re.finditer(rf"{re.escape(sign)}(?=\w)", value))
        rows = [
            row
            for row in exceptions
            if not marker and row.sign == sign and (row.always or not is_usual)
        ]
        found = [i for i in several if not any(row.pattern.match(value, i) for row in rows)]
        if len(found) == 1:
            letter = value[found[0] + 1]
            return Accelerator(found[0], found[0], found[0] + 2, letter, letter)
    return None


def has_underscores(values: Iterable[str]) -> bool:
    """Return whether `_` is the mark of shortcuts in some of these strings."""
    found = ((value, find_accelerator(value)) for value in values if "_" in value)
    return any(mark is not None and value[mark.sign] == "_" for value, mark in found)
