"""Strings of programs for people to read: all but the kinds of strings in `string_kinds.toml`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from docmt_files.base.packaged_tables import read_table
from docmt_files.core.inline import has_letter
from docmt_files.core.patches import apply_patches
from docmt_files.core.protection.placeholders import message_placeholders

_LONGEST_NAME = 200
LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
"""Matches the code of a language as files write it."""
_DATE_FIELD = (
    r"(?:y{1,4}|Y{2,4}|M{1,5}|d{1,4}|D{1,4}|E{1,5}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|S{1,3}|a|A)"
)


class StringKind(NamedTuple):
    """A row of the table; the table has more details.

    Attributes:
        what: the use of strings of this kind.
        is_value: whether they are surely not text; if not, they look like names in a program.
        pattern: matches strings of this kind.
        examples: some strings of this kind.
    """

    what: str
    is_value: bool
    pattern: re.Pattern[str]
    examples: tuple[str, ...]


def _kinds() -> tuple[StringKind, ...]:
    return tuple(
        StringKind(
            row["what"],
            row["kind"] == "value",
            re.compile(row["pattern"].replace("FIELD", _DATE_FIELD)),
            tuple(row["examples"]),
        )
        for row in read_table(__package__, "string_kinds.toml")["row"]
    )


STRING_KINDS = _kinds()
"""Kinds of strings nobody reads."""


def is_text(value: str, kinds: Sequence[StringKind] = STRING_KINDS) -> bool | None:
    """Return whether a string is for people to read: True; False if it is surely not, such as a
    URL, a color or a date; None if it looks like a name in a program, such as `max_size` or
    `logo.png`."""
    text = value.strip()
    if len(text) > _LONGEST_NAME:
        return None if text.isascii() and len(text.split(maxsplit=1)) == 1 else True
    matching = [kind for kind in kinds if kind.pattern.fullmatch(text)]
    if any(kind.is_value for kind in matching):
        return False
    if matching and text.isascii():
        return None
    placeholders = [(start, end, "") for start, end in message_placeholders(text)]
    return has_letter(apply_patches(text, placeholders))


def names_language(key: str, value: str) -> bool:
    """Return whether the value of a key is the code of a language, as in `"locale": "en"`."""
    return key.lower() in ("lang", "locale", "language") and bool(LANGUAGE_CODE.fullmatch(value))
