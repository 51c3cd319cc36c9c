"""Plain text and other kinds of text: files with tags, numbers or codes are recognized by name and
contents, and refused with a cure, because the codes would be translated as text."""

from __future__ import annotations

import json
import lzma
import re
import sys
import zlib
from collections.abc import Sequence
from typing import NamedTuple, Self

from docmt.formats.format_registry import FORMATS, format_of, plain_suffix
from docmt.ground.documents import MARKER
from docmt.ground.errors import InputError
from docmt.ground.messages import Message
from docmt.ground.packaged_tables import read_table
from docmt.storage.files import PathLike, is_stream, open_binary, read_lines


class _Kind(NamedTuple):
    """A kind of file other than plain text, and the cure."""

    what: str
    cure: str


_TABLE = read_table("docmt.formats.text", "not_plain.toml")
_KINDS = {name: _Kind(row["what"], row["cure"]) for name, row in _TABLE.items()}
BY_SUFFIX = {
    suffix: _KINDS[name]
    for name, row in _TABLE.items()
    for suffix in row.get("suffixes", "").split()
}
"""Names and cures of files in none of docmt's formats, by their suffix."""

PICTURE = _KINDS["picture"]
"""Kinds of files with nothing to translate."""

_BY_FIRST_BYTES = {
    bytes.fromhex(first): _KINDS[name]
    for name, row in _TABLE.items()
    for first in row.get("first_bytes", ())
}
_TIMES = re.compile(r"\d+:\d\d:\d\d[,.]\d+ --> \d+:\d\d:\d\d[,.]\d+")
_TAG = re.compile(r"<(!--|!doctype\b|\?xml\b|[a-z][\w:.-]*(\s[^<>]*)?/?>)", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"<(!doctype\s+html|html|head|body|p|div|h[1-6]|article|section|main|table|ul|ol)\b",
    re.IGNORECASE,
)
_CLOSING_TAG = re.compile(r"</[a-z][\w:.-]*>|-->", re.IGNORECASE)
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


def read_plain_text(path: PathLike, *, force: bool = False) -> PlainText:
    """Read a plain text file, with everything around the text.

    Args:
        path: the file, or `-` for standard input.
        force: whether to take a text file for plain text whatever the name and contents.

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
    plain = PlainText.of(list(read_lines(path, keep_ends=True)))
    if not force and (other_kind := _kind_of(plain.lines)):
        raise _not_plain(path, other_kind)
    return plain


def what_it_is(path: PathLike) -> _Kind | None:
    """Return the kind of a file refused as plain text by suffix or first bytes, with the cure; None
    if it may be text, or cannot be read."""
    if (kind := BY_SUFFIX.get(plain_suffix(path))) is not None:
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
    kind = BY_SUFFIX.get(plain_suffix(path))
    if kind is None:
        return None
    names = ", ".join(file_format.name for file_format in FORMATS)
    return kind._replace(cure=f"{kind.cure}. docmt translates {names} and plain text")


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


def _kind_of(lines: Sequence[str]) -> _Kind | None:
    """Return the kind of a text other than plain text by the first lines, with the cure."""
    first = [text for line in lines[:_FIRST_LINES] if (text := line.strip())]
    if not first:
        return None
    if first[0].startswith("[Script Info]"):
        return _KINDS["subtitles"]
    if first[0] == "WEBVTT" or first[0].startswith("WEBVTT ") or any(map(_TIMES.match, first[:3])):
        return _KINDS["cues"]
    if first[0].startswith("\\documentclass"):
        return _KINDS["markup"]
    if any(t.startswith("msgid ") for t in first) and any(t.startswith("msgstr") for t in first):
        return _KINDS["po"]
    if first[0] != MARKER and _TAG.match(first[0]) and any(map(_CLOSING_TAG.search, first)):
        return _KINDS["html" if _HTML_TAG.match(first[0]) else "markup"]
    return _KINDS["json"] if _is_json(lines, first[0]) else None


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


def _not_plain(path: PathLike, kind: _Kind) -> InputError:
    """The error about text other than plain text."""
    return InputError(
        f"is {kind.what}, not plain text, and what is not text in it would be translated too",
        path=path,
        cure=f"{kind.cure}. To translate it as plain text all the same, add `file_format=text`",
        parameters=("file_format=text",),
    )
