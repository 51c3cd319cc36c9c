"""What is plain text and what is not: files whose tags, numbers or codes would be translated as
text are recognized by their names and their contents, and refused with the way out.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from docmt.documents import MARKER
from docmt.errors import InputError
from docmt.files import PathLike, is_stream, open_binary, read_lines
from docmt.formats.core.skeleton import name_of
from docmt.formats.format_registry import FORMATS, format_of, plain_suffix

_PANDOC = "Convert it to plain text, for example with `pandoc --to plain --wrap none`"
_SUBTITLES = ("a file of subtitles", "Save what is said as a .txt file, and translate that")
_CUES = ("a file of subtitles", "Name it .srt or .vtt, or add `file_format=subrip` or webvtt")
_HTML = ("an HTML page", "Translate it as HTML: add `file_format=html`, without `segmented`")
_MARKUP = ("a file with markup", _PANDOC)
_OLD_TEXT = ("a text document of an old or closed format", "Save it as .docx or .odt")
_OLD_SHEET = ("a spreadsheet of an old or closed format", "Save it as .xlsx or .ods")
_OLD_SLIDES = ("a presentation of an old or closed format", "Save it as .pptx or .odp")
_RTF = ("a document in RTF", "Save it as .docx or .odt")
_MESSAGES = ("a file of messages to translate", "Write the texts to a .txt file, one per line")
_PO = ("a file of messages to translate", "Name it .po, or add `file_format=po`")
_DATA = ("a data file", "Write its texts to a .tsv file (document id, tab, sentence) or .jsonl")
_JSON = ("JSON", "To translate its strings, add `file_format=json`; for a corpus, name it .jsonl")
_PDF = (
    "a PDF document, which has characters in places but no paragraphs",
    "Translate the file that it was made from; or open it in a word processor, save it as .docx "
    "and look it over; or take its text alone, for example with `pdftotext`",
)
_BOOK = ("an e-book of a closed format", "Convert it to .epub, for example with `ebook-convert`")
_XCODE = (
    "a file of Xcode's strings with plural forms",
    "Export it as XLIFF (Product > Export Localizations), and translate the .xliff file",
)

_BY_SUFFIX = {
    suffix: kind
    for suffixes, kind in (
        (".ass .ssa .sbv .ttml .dfxp", _SUBTITLES),
        (".rst .adoc .tex", _MARKUP),
        (".doc .dot .pages .wpd .wps .sxw", _OLD_TEXT),
        (".xls .xlsb .xlt .numbers .sxc", _OLD_SHEET),
        (".ppt .pps .key .sxi", _OLD_SLIDES),
        (".rtf", _RTF),
        (".stringsdict .xcstrings", _XCODE),
        (".resx", _MESSAGES),
        (".csv .tab .yaml .yml .toml .ini", _DATA),
        (".pdf", _PDF),
        (".mobi .azw .azw3 .kfx", _BOOK),
    )
    for suffix in suffixes.split()
}
"""What files in none of docmt's formats are by their suffix, and what to do about it."""

_COMPRESSED = ("compressed", "Decompress it first; .gz and .xz are read under these names")
_PICTURE = ("a picture", "Name a file of text")
_OLD_OFFICE = (
    "an office document of an old format (such as .doc or .xls) or with a password",
    "Save it as .docx, .xlsx or .pptx, without a password",
)
_ZIPPED = (
    "a ZIP file, as are .docx, .xlsx, .pptx, .odt and .epub files",
    "If it is one of these, give it its suffix; otherwise unpack it",
)
_UTF_16 = ("text in UTF-16", "Save it as UTF-8, for example with `iconv --from-code UTF-16`")

_BY_FIRST_BYTES = (
    (b"PK\x03\x04", _ZIPPED),
    (b"%PDF", _PDF),
    (b"\xef\xbb\xbf%PDF", _PDF),
    (b"{\\rtf", _RTF),
    (b"\xd0\xcf\x11\xe0", _OLD_OFFICE),
    (b"\x1f\x8b", _COMPRESSED),
    (b"\xfd7zXZ\0", _COMPRESSED),
    (b"BZh", _COMPRESSED),
    (b"7z\xbc\xaf", _COMPRESSED),
    (b"\x28\xb5\x2f\xfd", _COMPRESSED),
    (b"\x89PNG", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"\xff\xfe", _UTF_16),
    (b"\xfe\xff", _UTF_16),
)
"""What files are that are not text, by their first bytes."""

_TIMES = re.compile(r"\d+:\d\d:\d\d[,.]\d+ --> \d+:\d\d:\d\d[,.]\d+")
_TAG = re.compile(r"<(!--|!doctype\b|\?xml\b|[a-z][\w:.-]*(\s[^<>]*)?/?>)", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"<(!doctype\s+html|html|head|body|p|div|h[1-6]|article|section|main|table|ul|ol)\b",
    re.IGNORECASE,
)
_CLOSING_TAG = re.compile(r"</[a-z][\w:.-]*>|-->", re.IGNORECASE)
_MARK = "\ufeff"
_FIRST_LINES = 100
"""The lines in which marks of a format are looked for."""


class PlainText(NamedTuple):
    """A text file.

    Attributes:
        mark: its byte order mark, or nothing.
        lines: its lines without their line ends.
        ends: the end of each line: a line feed, alone or after a carriage return; that of the last
            line may be empty.
    """

    mark: str
    lines: list[str]
    ends: list[str]


def read_plain_text(path: PathLike, *, force: bool = False) -> PlainText:
    """Read a plain text file, with all that is around its text.

    Args:
        path: the file, or `-` for standard input.
        force: whether to take a text file for plain text whatever its name and contents.

    Raises:
        InputError: the file is not plain text, or as `read_lines`.
    """
    kind = None if force else _by_name(path)
    # What is not text by its contents cannot be forced.
    head = b"" if kind and format_of(path) else _first_bytes(path)
    for first, (what, cure) in _BY_FIRST_BYTES:
        if head.startswith(first):
            raise InputError(f"is {what}, not plain text", path=name_of(path), cure=cure)
    if kind:
        raise _not_plain(path, *kind)
    raw = list(read_lines(path, keep_ends=True))
    mark = _MARK if raw and raw[0].startswith(_MARK) else ""
    if mark:
        raw[0] = raw[0].removeprefix(mark)
    lines = [line.removesuffix("\n").removesuffix("\r") for line in raw]
    if not force and (found := _kind_of(lines)):
        raise _not_plain(path, *found)
    ends = [line[len(text) :] for line, text in zip(raw, lines, strict=True)]
    return PlainText(mark, lines, ends)


def _by_name(path: PathLike) -> tuple[str, str] | None:
    """Return what a file is that is not plain text by its name, and what to do about it."""
    if (file_format := format_of(path)) is not None:
        return file_format.title, "Leave out `segmented`, `boundaries` and `docids`"
    what, cure = _BY_SUFFIX.get(plain_suffix(path), ("", ""))
    names = ", ".join(file_format.name for file_format in FORMATS)
    return (what, f"{cure}. docmt translates {names} and plain text") if what else None


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


def _kind_of(lines: Sequence[str]) -> tuple[str, str] | None:
    """Return what a text is that is not plain, by its first lines, and what to do about it."""
    first = [text for line in lines[:_FIRST_LINES] if (text := line.strip())]
    if not first:
        return None
    if first[0].startswith("[Script Info]"):
        return _SUBTITLES
    if first[0] == "WEBVTT" or first[0].startswith("WEBVTT ") or any(map(_TIMES.match, first[:3])):
        return _CUES
    if first[0].startswith("\\documentclass"):
        return _MARKUP
    if any(t.startswith("msgid ") for t in first) and any(t.startswith("msgstr") for t in first):
        return _PO
    if first[0] != MARKER and _TAG.match(first[0]) and any(map(_CLOSING_TAG.search, first)):
        return _HTML if _HTML_TAG.match(first[0]) else _MARKUP
    return _JSON if _is_json(lines, first[0]) else None


def _is_json(lines: Sequence[str], first: str) -> bool:
    """Return whether a text, or its first line, is a JSON object, or the text a list."""
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


def _not_plain(path: PathLike, what: str, cure: str) -> InputError:
    """The error about text that is not plain."""
    return InputError(
        f"is {what}, not plain text, and what is not text in it would be translated too",
        path=name_of(path),
        cure=f"{cure}. To translate it as plain text all the same, add `file_format=text`",
    )
