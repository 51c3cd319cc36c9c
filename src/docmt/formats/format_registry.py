"""`FORMATS`: the formats of files that are translated with all that is not text in them kept. A new
format is a row in `formats.toml`, and a module with

    read(path, language, target_language=None) -> (documents, skeleton)

It is given the file, or `-` for standard input; the code of the language whose rules split
sentences; and that of the target language, which the output names as its own; None for none. A file
is one document that is named after it, and its `BlockSkeleton`. An `InputError` says that it is of
another format, damaged, encrypted or too large, or has no text. Modules are imported when a file of
their format is read. Corpora (`docmt.corpora`) and plain text are not in this table.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from docmt.ground.errors import InputError
from docmt.storage.files import PathLike, is_stream, open_binary

PLAIN_TEXT = "text"
"""The name by which plain text is asked for."""

_HEAD = 4096
"""The bytes of a file in which `Format.marker` is looked for."""


class Format(NamedTuple):
    """A format of files.

    Attributes:
        name: its name in `--format`.
        title: what a file of it is, in messages: "a Word document".
        suffixes: the suffixes of its files, in lower case.
        module: the module in `docmt.formats` that reads it.
        marker: for a suffix that others use, too: a regular expression that is found in the
            beginning of every file of this format, in bytes.
        by_name: whether files are of this format by their names; if not, they are corpora, unless
            they are to be filled.
        is_text: whether a terminal can show its files.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str
    marker: bytes | None = None
    by_name: bool = True
    is_text: bool = True

    def load(self) -> Any:
        """The module that reads it."""
        return import_module(f"docmt.formats.{self.module}")


def _formats() -> Iterator[Format]:
    text = files("docmt.formats").joinpath("formats.toml").read_text("utf-8")
    for row in tomllib.loads(text)["format"]:
        row["suffixes"] = tuple(row["suffixes"].split())
        if "marker" in row:
            row["marker"] = row["marker"].encode()
        yield Format(**row)


FORMATS = tuple(_formats())
"""The formats, in the order in which they are listed."""


def format_named(name: str) -> Format:
    """The format of this name.

    Raises:
        InputError: there is none, with the names of all.
    """
    for file_format in FORMATS:
        if file_format.name == name:
            return file_format
    cure = f"Formats are {', '.join(format_names())}"
    if name in ("tsv", "jsonl", "tmx", "html-side-by-side"):
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
    """The format of a file by its name and, where formats share a suffix, by how it begins.

    >>> format_of("guide.md").name
    'markdown'
    """
    suffix = plain_suffix(path)
    if not suffix:
        return None
    candidates = [each for each in FORMATS if each.by_name and suffix in each.suffixes]
    head: bytes | None = None
    for file_format in candidates:
        if file_format.marker is None:
            return file_format
        head = _head(path) if head is None else head
        if re.search(file_format.marker, head):
            return file_format
    return None


def plain_suffix(path: PathLike) -> str:
    """The suffix of a file in lower case, without that of its compression."""
    plain = Path(path)
    return (plain.with_suffix("") if plain.suffix in (".gz", ".xz") else plain).suffix.lower()


def _head(path: PathLike) -> bytes:
    """The beginning of a file, or nothing if it cannot be read twice or at all."""
    if str(path) == "-" or is_stream(path):
        return b""
    try:
        with open_binary(path) as stream:
            return stream.read(_HEAD)
    except (OSError, EOFError, InputError, ValueError):
        return b""  # Whoever reads the file reports it.
