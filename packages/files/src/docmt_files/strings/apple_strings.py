"""Apple's `.strings` files: `"key" = "value";` with comments, in UTF-8 or UTF-16.

Values are translated as strings of a program; keys, comments and everything else stay. Escapes are
the escapes of property lists in text form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import read_encoded_text
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import (
    CONTROLS,
    escape_as_utf_16,
    escape_controls,
    read_literal,
    utf_16_meaning,
)
from docmt_files.storage.files import PathLike
from docmt_files.strings.message_branches import for_target
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings

_TOKEN = re.compile(
    r"(?P<space>\s++|\ufeff|//[^\r\n]*+|/\*(?s:.*?)\*/)"
    r"|(?P<text>\"(?:[^\"\\]++|\\(?s:.))*+\")"
    r"|(?P<word>(?!/[/*])[\w.$:/-]++)|(?P<sign>[=;{}])"
)
_ESCAPE = re.compile(
    r"\\(?:[uU][dD][89abAB][0-9a-fA-F]{2}\\[uU][dD][c-fC-F][0-9a-fA-F]{2}|[uU][0-9a-fA-F]{4}"
    r"|(?s:.))"
)
_BEGINNINGS = frozenset(("k", "k=", "k=k", "k=k;", "k;", "{", "}"))
_CURE = 'Write each entry as "key" = "value"; with a semicolon, and quotation marks in it as \\"'


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_encoded_text(path)
    _check(text, path)
    find = partial(_strings, escape=partial(_escape, only_ascii=_has_escapes(text)))
    text = for_target(text, find(text), language, target_language, path)
    message_language = target_language or language
    return read_strings(
        path, text, find, language, encode=encode, message_language=message_language
    )


def _check(text: str, path: PathLike) -> None:
    """Refuse a text other than a file of strings, naming the line."""
    kinds = ""
    position = 0
    for match in _tokens(text):
        position = match.end()
        if match["space"] is not None:
            continue
        # A key without a value stands for itself.
        kinds = (kinds if kinds[-1:] not in ("", ";", "{", "}") else "") + (match["sign"] or "k")
        if kinds not in _BEGINNINGS:
            raise _error(text, match.start(), path)
    # The last semicolon may be missing.
    if position < len(text) or kinds not in ("", "k=k", "k=k;", "k;", "{", "}"):
        raise _error(text, position, path)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a file, with space and comments, up to anything else."""
    position = 0
    while (match := _TOKEN.match(text, position)) is not None:
        position = match.end()
        yield match


def _error(text: str, offset: int, path: PathLike) -> InputError:
    """The error about a text other than a file of strings."""
    start = offset + len(text[offset:]) - len(text[offset:].lstrip())
    shown = repr(text[start : start + 30].partition("\n")[0]) if text[start:] else "the end"
    return InputError(
        f"{shown} is not where an entry has it",
        path=path,
        line=text.count("\n", 0, start) + 1,
        cure=_CURE,
    )


def _strings(text: str, *, escape: Callable[[str], str]) -> list[FileString]:
    """The values of a file, in order."""
    strings = []
    is_value, key = False, ""
    for match in _tokens(text):
        if match["text"] is not None and is_value:
            start, end = match.span("text")
            literal = read_literal(text, start + 1, end - 1, _ESCAPE, _meaning)
            strings.append(FileString(*literal, escape, scope=Scope("key", key)))
        elif match["text"] is not None or match["word"] is not None:
            key = match[0].strip('"')
        if match["space"] is None:
            is_value = match["sign"] == "="
    return strings


def _meaning(escape: str) -> str:
    if len(escape) == 2:
        return CONTROLS.get(escape[1], escape[1])
    return utf_16_meaning(escape)


def _escape(text: str, *, only_ascii: bool) -> str:
    written = text.replace("\\", "\\\\").replace('"', '\\"')
    written = escape_controls(written, "\\U{:04X}")
    return escape_as_utf_16(written, "\\U") if only_ascii else written


def _has_escapes(text: str) -> bool:
    """Return whether a file writes characters beyond ASCII as escapes only."""
    return text.removeprefix("\ufeff").isascii() and bool(re.search(r"\\[uU][0-9a-fA-F]{4}", text))
