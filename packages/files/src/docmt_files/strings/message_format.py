"""Apostrophes in messages for Java's `MessageFormat` and ICU: `''` is one apostrophe, and
apostrophes around braces make the braces text, so a reader sees `'{'name'}'` and `'{name}'` as
`{name}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_QUOTED = r"'[{}](?:[^']|'')*+(?:'|\Z)"
QUOTES = re.compile(rf"''|{_QUOTED}")
"""Matches a doubled apostrophe, or quoted text."""
_SECTION = re.compile(rf"''|({_QUOTED})")
_NAME = re.compile(r"(?:'\{'[\w.$-]{1,64}'\}'|'\{[\w.$-]{1,64}\}')(?!')")
_BOTH_BRACES = re.compile(r"(?<!')'\{'[^'{}]*+'\}'")
_ARGUMENT = re.compile(r"\{\s*\w{1,64}\s*[,}]")
_BRACES = re.compile(r"[{}][{}']*+|'")

_of_message = lru_cache(maxsize=8)
"""Keeps an answer about a message for its branches, of which there may be many."""


@_of_message
def has_message_quotes(value: str) -> bool:
    """Return whether a string is clearly a message with quoting apostrophes: it has braces, and
    doubled apostrophes or two quoted braces."""
    return "{" in value and ("''" in value or _BOTH_BRACES.search(value) is not None)


@_of_message
def quotes_argument(value: str) -> bool:
    """Return whether a string has something quoted and, beside it, an argument: in a file of
    messages it is one."""
    quoted = any(section[1] for section in _SECTION.finditer(value))
    return quoted and _ARGUMENT.search(without_quoted(value)) is not None


@_of_message
def has_no_apostrophe(value: str) -> bool:
    """Return whether a string may be a message, and shows no way to write apostrophes."""
    return "{" in value and "'" not in value


def without_quoted(value: str) -> str:
    """A message of the same length without braces in quoted text."""
    return _SECTION.sub(lambda match: "\0" * len(match[0]) if match[1] else match[0], value)


def quoted_names(value: str) -> Iterator[tuple[int, int]]:
    """The ranges of names in quoted braces, seen by a reader as `{name}`."""
    position = 0
    while (section := _SECTION.search(value, position)) is not None:
        name = _NAME.match(value, section.start()) if section[1] else None
        position = (name or section).end()
        if name is not None:
            yield name.span()


def meaning_of_quotes(quoted: str) -> str:
    """Return the characters of a match of `QUOTES`."""
    inner = quoted.removeprefix("'").removesuffix("'")
    return "'" if quoted == "''" else inner.replace("''", "'")


def with_message_quotes(text: str) -> str:
    """A text in the form of a message with quoted braces."""

    def quoted(match: re.Match[str]) -> str:
        doubled = match[0].replace("'", "''")
        return doubled if match[0] == "'" else f"'{doubled}'"

    return _BRACES.sub(quoted, text)
