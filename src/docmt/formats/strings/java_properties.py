r"""Java's `.properties` files: `key = value`, with comments, escapes and continued lines.

Values are translated as strings of a program; keys, comments and all else stay. A file of ASCII
alone stays so, with `\u00e9` for other characters, as older versions of Java need it. In messages
with placeholders in braces apostrophes are doubled, as `java.text.MessageFormat` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from docmt.formats.core.blocks import BlockSkeleton
from docmt.formats.core.encodings import read_text
from docmt.formats.core.literals import (
    UTF_16_ESCAPE,
    escape_as_utf_16,
    escape_controls,
    read_literal,
    utf_16_meaning,
)
from docmt.formats.strings.string_blocks import FileString
from docmt.formats.strings.string_files import read_strings
from docmt.ground.documents import Document
from docmt.storage.files import PathLike

_LINE_END = r"(?:\r\n|\r|\n)"
_ENTRY = re.compile(
    rf"(?:[ \t\f]|{_LINE_END}|\ufeff)*+"
    rf"(?:[#!][^\r\n]*+|(?:[^\\=: \t\f\r\n]|\\(?:{_LINE_END}[ \t\f]*+|(?s:.)|\Z))*+"
    rf"[ \t\f]*+(?:[=:][ \t\f]*+)?+"
    rf"(?P<value>(?:[^\\\r\n]++|\\(?:{_LINE_END}[ \t\f]*+|(?s:.)|\Z))*+))"
)
_ESCAPE = re.compile(rf"\\(?:{UTF_16_ESCAPE}|{_LINE_END}[ \t\f]*|(?s:.)|\Z)")
_CONTROLS = {"f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001 (a file does not name its language)
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text = read_text(path)
    only_ascii = text.removeprefix("\ufeff").isascii()
    find = partial(_strings, escape=partial(_escape, only_ascii=only_ascii))
    return read_strings(path, text, find, language, doubles_apostrophes=True)


def _strings(text: str, *, escape: Callable[[str], str]) -> list[FileString]:
    """The values of a file, in order."""
    strings = []
    position = 0
    while position < len(text):
        match = _ENTRY.match(text, position)
        assert match is not None, "any text is an entry"
        if match["value"]:
            literal = read_literal(text, *match.span("value"), _ESCAPE, _meaning)
            strings.append(FileString(*literal, escape))
        position = max(match.end(), position + 1)
    return strings


def _meaning(escape: str) -> str:
    """Return the character of an escape; nothing for the continuation of a line."""
    if escape[1:2] == "u" and len(escape) > 2:
        return utf_16_meaning(escape)
    if escape[1:2] in ("", "\r", "\n"):
        return ""
    return _CONTROLS.get(escape[1], escape[1])


def _escape(text: str, *, only_ascii: bool) -> str:
    written = escape_controls(text.replace("\\", "\\\\"), "\\u{:04X}")
    return escape_as_utf_16(written, "\\u") if only_ascii else written
