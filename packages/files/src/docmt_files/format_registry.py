"""`FORMATS`: the formats of files in which only text is replaced. A new format is a row in
`formats.toml`, and a module with

    read(path, language, target_language=None) -> (documents, skeleton)

`path` is the file, or `-` for standard input; `language` the code of the language whose rules split
sentences; `target_language` the code of the language of the output, for files with the name of
their language in them, or None. A file is one document, named after the file, and a
`BlockSkeleton`. An `InputError` tells of a file of another format, damaged, encrypted, too large,
without text or translated already. Modules are imported when a file of their format is read.
Corpora (`docmt_nmt.corpora`) and plain text are not in this table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.base.packaged_tables import read_table
from docmt_files.storage.files import PathLike, is_stream, open_binary

PLAIN_TEXT = "text"
"""The name of plain text as a format."""

_HEAD = 1 << 16
"""The bytes of a file searched for `Format.marker`."""

_PROLOG = r"(?s:\A[^<]{0,4}(?>(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>|\s+)*))"
"""Matches what an XML file has before the root."""


class Format(NamedTuple):
    """A format of files.

    Attributes:
        name: the name in `--format`.
        title: words for a file of the format, in messages: "a Word document".
        suffixes: the suffixes of files, in lower case.
        module: the reader, a module in `docmt_files`.
        marker: for suffixes in use by others, too: a regular expression with a match in the
            beginning of every file of this format, in bytes. In `formats.toml` the names of
            `roots` are among what it matches.
        shared: the suffixes for which the marker decides. Default: all, if there is a marker.
        by_name: whether files are of this format by their names; if not, they are corpora, unless
            they are to be filled.
        is_text: whether a terminal can show files of the format.
        mostly_other: whether most files of these suffixes are settings or code: in a folder, only
            files whose name or folder tells of a language or of translations are of this format.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str
    marker: bytes | None = None
    shared: tuple[str, ...] = ()
    by_name: bool = True
    is_text: bool = True
    mostly_other: bool = False

    def load(self) -> Any:
        """The module with the reader."""
        return import_module(f"docmt_files.{self.module}")


def _formats() -> Iterator[Format]:
    for row in read_table(__package__, "formats.toml")["format"]:
        row["suffixes"] = tuple(row["suffixes"].split())
        if roots := "|".join(row.pop("roots", "").split()):
            by_root = rf"{_PROLOG}<(?:[\w.-]+:)?(?:{roots})(?=[\s/>])"
            row["marker"] = "|".join(filter(None, (row.get("marker", ""), by_root)))
        if "marker" in row:
            row["marker"] = row["marker"].encode()
            row["shared"] = tuple(row["shared"].split()) if "shared" in row else row["suffixes"]
        yield Format(**row)


FORMATS = tuple(_formats())
"""The formats, in the order of listings."""


def format_named(name: str) -> Format:
    """The format of this name.

    Raises:
        InputError: there is none, with the names of all.
    """
    for file_format in FORMATS:
        if file_format.name == name:
            return file_format
    cure = f"Formats are {', '.join(format_names())}"
    if name in ("tsv", "jsonl", "tmx"):
        cure = f"For output in this form, add `output_format={name}`. {cure}"
    raise InputError(
        f"`file_format={name}` is not the name of a format of input files",
        cure=cure,
        parameters=(f"file_format={name}",),
    )


def format_names() -> list[str]:
    """The values of `--format`.

    >>> "docx" in format_names()
    True
    """
    return [PLAIN_TEXT, *(file_format.name for file_format in FORMATS)]


def format_of(path: PathLike) -> Format | None:
    """The format of a file by its name and, where formats share a suffix, by the beginning of the
    file.

    >>> format_of("guide.md").name
    'markdown'
    """
    suffix = plain_suffix(path)
    if not suffix:
        return None
    candidates = [each for each in FORMATS if each.by_name and suffix in each.suffixes]
    head: bytes | None = None
    for file_format in candidates:
        if file_format.marker is None or suffix not in file_format.shared:
            return file_format
        head = _head(path) if head is None else head
        if re.search(file_format.marker, head):
            return file_format
    return None


def plain_suffix(path: PathLike) -> str:
    """The suffix of a file in lower case, without the suffix of compression."""
    plain = Path(path)
    return (plain.with_suffix("") if plain.suffix in (".gz", ".xz") else plain).suffix.lower()


def _head(path: PathLike) -> bytes:
    """The beginning of a file, or nothing if it cannot be read twice or at all."""
    if str(path) == "-" or is_stream(path):
        return b""
    try:
        with open_binary(path) as stream:
            return stream.read(_HEAD).replace(b"\0", b"")  # UTF-16 has zero bytes in ASCII.
    except (OSError, EOFError, InputError, ValueError):
        return b""  # Whoever reads the file reports it.
