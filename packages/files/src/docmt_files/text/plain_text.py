"""Plain text and other kinds of text. Files with names other than those of plain text, and files
with tags, numbers or codes by their contents, are refused with a cure, because the codes would be
translated as text."""

from __future__ import annotations

import json
import lzma
import re
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from docmt_files.base.documents import MARKER
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.base.messages import Message, parameters_of
from docmt_files.base.packaged_tables import read_table
from docmt_files.format_registry import FORMATS, format_of, plain_suffix
from docmt_files.markup.html_elements import INLINE
from docmt_files.storage.files import PathLike, is_stream, open_binary, read_lines


class _Kind(NamedTuple):
    """A kind of file other than plain text, and the cure."""

    what: str
    cure: str


_TABLE = read_table(__package__, "not_plain.toml")
_PARAMETERS = re.compile(r"`(file_format=[\w-]+|segmented)`")
_KINDS = {
    name: _Kind(row["what"], Message(row["cure"], _PARAMETERS.findall(row["cure"])))
    for name, row in _TABLE.items()
}
BY_SUFFIX = {
    suffix: _KINDS[name]
    for name, row in _TABLE.items()
    for suffix in row.get("suffixes", "").split()
}
"""Names and cures of files in none of docmt's formats, by their suffix."""

_BY_NAME = dict.fromkeys(_TABLE["code"]["names"].split(), _KINDS["code"])
_PLAIN_SUFFIXES = frozenset(("", ".txt", ".text", ".utf8", ".utf-8"))
"""Suffixes of plain text; the last two are those of Project Gutenberg."""

PICTURE = _KINDS["picture"]
"""Kinds of files with nothing to translate."""

_BY_FIRST_BYTES = {
    bytes.fromhex(first): _KINDS[name]
    for name, row in _TABLE.items()
    for first in row.get("first_bytes", ())
}
_TIMES = re.compile(r"\d+:\d\d:\d\d[,.]\d+ --> \d+:\d\d:\d\d[,.]\d+")
_TAG = re.compile(r"<(!--|!doctype\b|\?xml\b|(?P<name>[a-z][\w:.-]*)(\s[^<>]*)?/?>)", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"<(!doctype\s+html|html|head|body|p|div|h[1-6]|article|section|main|table|ul|ol)\b",
    re.IGNORECASE,
)
_CLOSING_TAG = re.compile(r"</[a-z][\w:.-]*>|-->", re.IGNORECASE)
_CODE = re.compile(
    r"[\w.$-]+[ \t]*=[ \t]*\S|[\"'][^\"']{1,80}[\"'][ \t]*(?:[:=]|=>)"  # keys and values
    r"|[a-z_][\w.-]*:(?:$|[ \t]+[\"'\[{|>])"  # YAML
    r"|# ?(?:include|define|if|endif|pragma)\b|(?:import|package|using|from) [\w.]+(?:;|$| import )"
    r"|(?:def|class|function|func|fn) \w.*[:{]$|[^.!?]*[{}][;,)]*$|.*\);$"
)
"""A line of code, settings or strings."""
_MARK = "\ufeff"
_FIRST_LINES = 100
"""The number of lines searched for marks of a format."""


class PlainText(NamedTuple):
    """A text file.

    Attributes:
        mark: the byte order mark, or nothing.
        lines: the lines without line ends.
        ends: the end of each line: a line feed, alone or after a carriage return; the end of the
            last line may be empty.
    """

    mark: str
    lines: list[str]
    ends: list[str]

    @classmethod
    def of(cls, raw: list[str]) -> Self:
        """Return the text of lines with their ends."""
        mark = _MARK if raw and raw[0].startswith(_MARK) else ""
        raw = [raw[0].removeprefix(mark), *raw[1:]] if mark else raw
        lines = [line.removesuffix("\n").removesuffix("\r") for line in raw]
        ends = [line[len(text) :] for line, text in zip(raw, lines, strict=True)]
        return cls(mark, lines, ends)


def has_plain_name(path: PathLike, language: str | None = None) -> bool:
    """Return whether a file is plain text by name: no suffix, `.txt` and the like, or the code of
    the source language in any region, as files of parallel corpora have.

    >>> [has_plain_name(name, "en-GB") for name in ("README", "a.txt", "test.en", "app.js", ".env")]
    [True, True, True, False, False]
    """
    if str(path) == "-" or is_stream(path):
        return True
    suffix = plain_suffix(path)
    if Path(path).name.startswith("."):
        return False
    if any(map(str.isspace, suffix)):  # A full stop in a title.
        return True
    is_language = language and re.split("[-_]", suffix[1:])[0] == primary_language(language)
    return suffix in _PLAIN_SUFFIXES or bool(is_language)


def read_plain_text(
    path: PathLike, *, force: bool = False, language: str | None = None
) -> PlainText:
    """Read a plain text file, with everything around the text.

    Args:
        path: the file, or `-` for standard input.
        force: whether to take a text file for plain text whatever the name and contents.
        language: the code of the source language, to refuse files of unknown formats by name; None
            to take all names but those of other formats.

    Raises:
        InputError: the file is not plain text, or as `read_lines`.
    """
    kind = None if force else _by_name(path)
    # Data other than text by its contents cannot be forced.
    head = b"" if kind and format_of(path) else _first_bytes(path)
    for first, (what, cure) in _BY_FIRST_BYTES.items():
        if head.startswith(first):
            raise InputError(f"is {what}, not plain text", path=path, cure=cure)
    if kind:
        raise _not_plain(path, kind)
    if not force and language is not None and not has_plain_name(path, language):
        raise _unknown(path)
    plain = PlainText.of(list(read_lines(path, keep_ends=True)))
    if not force and (other_kind := _kind_of(plain.lines, has_suffix=bool(plain_suffix(path)))):
        raise _not_plain(path, other_kind)
    return plain


def what_it_is(path: PathLike) -> _Kind | None:
    """Return the kind of a file refused as plain text by suffix or first bytes, with the cure; None
    if it may be text, or cannot be read."""
    if (kind := _known_name(path)) is not None:
        return kind
    try:
        head = _first_bytes(path)
    except InputError:
        return None
    return next((kind for first, kind in _BY_FIRST_BYTES.items() if head.startswith(first)), None)


def _by_name(path: PathLike) -> _Kind | None:
    """Return the kind of a file other than plain text by name, with the cure."""
    if (file_format := format_of(path)) is not None:
        options = ["segmented", "boundaries", "docids"]
        cure = Message("Leave out `segmented`, `boundaries` and `docids`", options)
        return _Kind(file_format.title, cure)
    kind = _known_name(path)
    if kind is None:
        return None
    cure = Message(f"{kind.cure}. {_translated()}", parameters_of(kind.cure))
    return kind._replace(cure=cure)


def _known_name(path: PathLike) -> _Kind | None:
    """Return the kind of a file in none of docmt's formats by name, with the cure."""
    return BY_SUFFIX.get(plain_suffix(path)) or _BY_NAME.get(Path(path).name.lower())


def _translated() -> str:
    """The formats that are translated."""
    names = ", ".join(file_format.name for file_format in FORMATS)
    return f"docmt translates {names} and plain text"


def _first_bytes(path: PathLike) -> bytes:
    """The first bytes of a file, if they can be read twice."""
    if str(path) == "-":
        peek = getattr(sys.stdin.buffer, "peek", None)
        return b"" if peek is None else bytes(peek(8))
    if is_stream(path):
        return b""
    with open_binary(path) as stream:
        try:
            return stream.read(8)
        except (OSError, EOFError, zlib.error, lzma.LZMAError):
            return b""  # Whoever reads the lines reports it with its line.


def _kind_of(lines: Sequence[str], *, has_suffix: bool) -> _Kind | None:
    """Return the kind of a text other than plain text by the first lines, with the cure.

    Args:
        lines: the lines.
        has_suffix: whether the name says that it is plain text; else a text with code in half of
            the lines is no plain text.
    """
    first = [text for line in lines[:_FIRST_LINES] if (text := line.strip())]
    if not first:
        return None
    if first[0].startswith("[Script Info]"):
        return _KINDS["subtitles"]
    if first[0] == "WEBVTT" or first[0].startswith("WEBVTT ") or any(map(_TIMES.match, first[:3])):
        return _KINDS["cues"]
    if first[0].startswith(("#!", "<?php", "<?=")):
        return _KINDS["code"]
    if first[0].startswith("\\documentclass"):
        return _KINDS["markup"]
    if any(t.startswith("msgid ") for t in first) and any(t.startswith("msgstr") for t in first):
        return _KINDS["po"]
    tag = _TAG.match(first[0])
    is_inline = tag is not None and str(tag["name"]).lower() in INLINE  # A code in a text.
    if first[0] != MARKER and tag and not is_inline and any(map(_CLOSING_TAG.search, first)):
        return _KINDS["html" if _HTML_TAG.match(first[0]) else "markup"]
    if _is_json(lines, first[0]):
        return _KINDS["json"]
    is_code = not has_suffix and 2 * sum(map(bool, map(_CODE.match, first))) >= len(first) > 1
    return _KINDS["code_or_strings"] if is_code else None


def _is_json(lines: Sequence[str], first: str) -> bool:
    """Return whether a text, or the first line, is a JSON object, or the text a list."""
    if not first.startswith(("{", "[")):
        return False
    for text in (first, "\n".join(lines)):
        try:
            value = json.loads(text, parse_int=float)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) or (isinstance(value, list) and text is not first):
            return True
    return False


def _unknown(path: PathLike) -> InputError:
    """The error about a file of an unknown format."""
    return InputError(
        "has the file extension of neither plain text nor a format that docmt translates, and codes"
        " in it would be translated too",
        path=path,
        cure=f"{_translated()} (.txt, or without a suffix). To translate it as plain text all the "
        "same, add `file_format=text`",
        parameters=("file_format=text",),
    )


def _not_plain(path: PathLike, kind: _Kind) -> InputError:
    """The error about text other than plain text."""
    return InputError(
        f"is {kind.what}, not plain text, and what is not text in it would be translated too",
        path=path,
        cure=f"{kind.cure}. To translate it as plain text all the same, add `file_format=text`",
        parameters=("file_format=text", *parameters_of(kind.cure)),
    )
