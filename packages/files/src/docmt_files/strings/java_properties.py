r"""Java's `.properties` files: `key = value`, with comments, escapes and continued lines.

Values are translated as strings of a program; keys, comments and all else stay. A file is in UTF-8
or, as for Java 8, in ISO-8859-1, with `\u0151` for other characters; a file of ASCII stays so. In
messages with placeholders in braces apostrophes are doubled, as `java.text.MessageFormat` reads
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import decode, marked_codec, read_data
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import (
    UTF_16_ESCAPE,
    escape_as_utf_16,
    escape_controls,
    read_literal,
    utf_16_meaning,
)
from docmt_files.storage.files import PathLike
from docmt_files.strings.message_branches import for_target
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings

_LINE_END = r"(?:\r\n|\r|\n)"
_ENTRY = re.compile(
    rf"(?:[ \t\f]|{_LINE_END}|\ufeff)*+"
    rf"(?:[#!][^\r\n]*+|(?P<key>(?:[^\\=: \t\f\r\n]|\\(?:{_LINE_END}[ \t\f]*+|(?s:.)|\Z))*+)"
    rf"[ \t\f]*+(?:[=:][ \t\f]*+)?+"
    rf"(?P<value>(?:[^\\\r\n]++|\\(?:{_LINE_END}[ \t\f]*+|(?s:.)|\Z))*+))"
)
_ESCAPE = re.compile(rf"\\(?:{UTF_16_ESCAPE}|{_LINE_END}[ \t\f]*|(?s:.)|\Z)")
_NOT_ISO_8859_1 = re.compile(rb"[\x80-\x9f]")
_CONTROLS = {"f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    data = read_data(path)
    codec = _codec(data)
    text = decode(data, codec, path)
    last = chr(0x10FFFF) if codec != "iso8859-1" else "\xff"
    if text.removeprefix("\ufeff").isascii():
        last = "\x7f"
    find = partial(_strings, escape=partial(_escape, last=last))
    encode = partial(str.encode, encoding=codec)
    return read_strings(
        path,
        for_target(text, find(text), language, target_language, path),
        find,
        language,
        encode=encode,
        doubles_apostrophes=True,
        message_language=target_language or language,
    )


def _codec(data: bytes) -> str:
    """The encoding of a file: UTF-8, UTF-16 with its mark, or ISO-8859-1 if it has no bytes that
    are control characters there, as text in other encodings has."""
    codec = marked_codec(data)
    if codec is not None or _NOT_ISO_8859_1.search(data):
        return codec or "utf-8"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "iso8859-1"
    return "utf-8"


def _strings(text: str, *, escape: Callable[[str], str]) -> list[FileString]:
    """The values of a file, in order."""
    strings = []
    position = 0
    while position < len(text):
        match = _ENTRY.match(text, position)
        assert match is not None, "any text is an entry"
        if match["value"]:
            literal = read_literal(text, *match.span("value"), _ESCAPE, _meaning)
            key = read_literal(text, *match.span("key"), _ESCAPE, _meaning).value
            strings.append(FileString(*literal, escape, scope=Scope("key", key)))
        position = max(match.end(), position + 1)
    return strings


def _meaning(escape: str) -> str:
    """Return the character of an escape; nothing for the continuation of a line."""
    if escape[1:2] == "u" and len(escape) > 2:
        return utf_16_meaning(escape)
    if escape[1:2] in ("", "\r", "\n"):
        return ""
    return _CONTROLS.get(escape[1], escape[1])


def _escape(text: str, *, last: str) -> str:
    written = escape_controls(text.replace("\\", "\\\\"), "\\u{:04X}")
    return escape_as_utf_16(written, "\\u", last=last)
