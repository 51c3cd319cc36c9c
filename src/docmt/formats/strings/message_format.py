"""Apostrophes in messages for Java's `MessageFormat` and ICU: `''` is one, and those around braces
make text of them, so that `'{'name'}'` and `'{name}'` are what a reader sees as `{name}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTED = r"'[{}](?:[^']|'')*+(?:'|\Z)"
QUOTES = re.compile(rf"''|{_QUOTED}")
"""Matches a doubled apostrophe, or what is quoted."""
_SECTION = re.compile(rf"''|({_QUOTED})")
_NAME = re.compile(r"(?:'\{'[\w.$-]{1,64}'\}'|'\{[\w.$-]{1,64}\}')(?!')")
_BOTH_BRACES = re.compile(r"(?<!')'\{'[^'{}]*+'\}'")
_ARGUMENT = re.compile(r"\{\s*\w{1,64}\s*[,}]")
_BRACES = re.compile(r"[{}][{}']*+|'")


def has_message_quotes(value: str) -> bool:
    """Return whether a string shows that it is a message in which apostrophes quote: it has braces,
    and doubled apostrophes or two quoted braces."""
    return "{" in value and ("''" in value or _BOTH_BRACES.search(value) is not None)


def quotes_argument(value: str) -> bool:
    """Return whether a string has something quoted and, beside it, an argument: in a file of
    messages it is one."""
    return any(_sections(value)) and _ARGUMENT.search(without_quoted(value)) is not None


def without_quoted(value: str) -> str:
    """A message of the same length in which what is quoted has no braces."""
    return _SECTION.sub(lambda match: "\0" * len(match[0]) if match[1] else match[0], value)


def quoted_names(value: str) -> Iterator[tuple[int, int]]:
    """The ranges of names in quoted braces, which a reader sees as `{name}`."""
    position = 0
    while (section := _SECTION.search(value, position)) is not None:
        name = _NAME.match(value, section.start()) if section[1] else None
        position = (name or section).end()
        if name is not None:
            yield name.span()


def meaning_of_quotes(quoted: str) -> str:
    """Return what a match of `QUOTES` means."""
    inner = quoted.removeprefix("'").removesuffix("'")
    return "'" if quoted == "''" else inner.replace("''", "'")


def with_message_quotes(text: str) -> str:
    """A text as it is written in a message that quotes braces."""

    def quoted(match: re.Match[str]) -> str:
        doubled = match[0].replace("'", "''")
        return doubled if match[0] == "'" else f"'{doubled}'"

    return _BRACES.sub(quoted, text)


def _sections(value: str) -> Iterator[str]:
    return (match[1] for match in _SECTION.finditer(value) if match[1])
