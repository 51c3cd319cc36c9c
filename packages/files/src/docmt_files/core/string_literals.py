"""Strings as they are written in a file: their escapes, and where each character is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

UTF_16_ESCAPE = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"
"""Matches an escape of one or, for a surrogate pair, two UTF-16 units, without the first `\\`."""

CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
"""Control characters by the letters of their escapes in C."""


class Literal(NamedTuple):
    """A string in a file.

    Attributes:
        value: the characters of the string.
        offsets: the offset in the file of each character, and of the end.
    """

    value: str
    offsets: list[int]


def read_literal(
    text: str, start: int, end: int, escape: re.Pattern[str], meaning: Callable[[str], str]
) -> Literal:
    """A range of a file as a string.

    Args:
        text: the file.
        start: the offset at which the string starts, after the quotation mark.
        end: the offset at which it ends.
        escape: matches an escape, all of a surrogate pair.
        meaning: the characters of an escape, any number of them.
    """
    values: list[str] = []
    offsets: list[int] = []
    position = start
    for match in escape.finditer(text, start, end):
        first, last = match.span()
        values.append(text[position:first])
        offsets += range(position, first)
        meant = meaning(match[0])
        values.append(meant)
        offsets += [first] * len(meant)
        position = last
    values.append(text[position:end])
    offsets += range(position, end + 1)
    return Literal("".join(values), offsets)


_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f]")


def escape_controls(text: str, escape: str) -> str:
    r"""A text with escapes for control characters, which readers refuse or XML lacks.

    Args:
        text: the text.
        escape: the format of an escape with the number of the character, such as `\u{:04X}`.
    """
    return _CONTROL.sub(lambda match: escape.format(ord(match[0])), text)


def has_lone_surrogate(value: str) -> bool:
    """Return whether a string has half of a surrogate pair, as no text has."""
    return any("\ud800" <= character <= "\udfff" for character in value)


def utf_16_meaning(escape: str) -> str:
    """Return the characters of an escape of one or two UTF-16 units."""
    units = escape.replace("\\u", "").replace("\\U", "")
    return bytes.fromhex(units).decode("utf-16-be", "surrogatepass")


def escape_as_utf_16(text: str, prefix: str, *, last: str = "\x7f") -> str:
    r"""A text with each character beyond ASCII as one or two escapes of a UTF-16 unit.

    Args:
        text: the text.
        prefix: the beginning of an escape, such as `\u`.
        last: the last character written as it is.
    """
    written = []
    for character in text:
        if character <= last:
            written.append(character)
        else:
            units = character.encode("utf-16-be", "surrogatepass").hex().upper()
            written += [f"{prefix}{units[i : i + 4]}" for i in range(0, len(units), 4)]
    return "".join(written)
