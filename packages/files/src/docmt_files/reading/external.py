"""Formats of other installed packages (`docmt_files.base.entry_points`, group `docmt.formats`), by
the suffix of files. A format is imported when a file with its suffix is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from docmt_files.base import entry_points
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.inline import AlignSentences
from docmt_files.core.skeleton import FileSkeleton, Written
from docmt_files.format_registry import FORMATS
from docmt_files.storage.files import PathLike, write_text, write_whole
from docmt_files.text.columns import TABLE_SUFFIXES

FORMAT_PLUGINS = entry_points.Group("docmt.formats", "format")
"""The entry points of formats of other packages."""

OWN_SUFFIXES = frozenset(
    suffix.removeprefix(".")
    for suffix in (
        ".txt",
        ".tsv",
        ".jsonl",
        ".parquet",
        *TABLE_SUFFIXES,
        *(suffix for file_format in FORMATS for suffix in file_format.suffixes),
    )
)
"""The suffixes of docmt's formats, without the dot; no other package can have them."""

Reader = Callable[[PathLike, str], tuple[list[Document], FileSkeleton]]
"""Given a file and the code of its language, the documents and the file without sentences."""


class Fillable(Protocol):
    """The skeleton of a file from a format of another package, filled like `Skeleton`."""

    def fill(self, documents: Sequence[Document]) -> str:
        """The file with the target sentences of these documents."""
        ...


@dataclass(frozen=True, slots=True)
class _OtherSkeleton(FileSkeleton):
    """A file of a format of another package."""

    file: Fillable
    plugin: entry_points.Plugin

    def write(
        self, documents: Sequence[Document], path: PathLike, align: AlignSentences | None = None
    ) -> Written:
        if hasattr(self.file, "fill_and_report"):
            with entry_points.errors_of(self.plugin):
                filled = self.file.fill_and_report(documents, align)
                data = bytes(filled.data)
                written = Written(tuple(filled.notes), filled.kept, getattr(filled, "moved", 0))
            with write_whole(path) as out:
                out.write(data)
            return written
        write_text(path, _filled(self.plugin, self.file, documents))
        return Written()


def _filled(plugin: entry_points.Plugin, file: Fillable, documents: Sequence[Document]) -> str:
    """The text of a file, filled by another package."""
    with entry_points.errors_of(plugin):
        text = file.fill(documents)
    if not isinstance(text, str):
        raise entry_points.wrong(plugin, f"fills a file with {_type(text)}, not with text")
    return text


def _check_read(plugin: entry_points.Plugin, result: object) -> tuple[list[Document], Any]:
    """Return the documents and skeleton read by another package, after a check of types and of
    filling."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise entry_points.wrong(plugin, f"returns {_type(result)}, not documents and a skeleton")
    documents, file = result
    if not isinstance(documents, list | tuple):
        raise entry_points.wrong(plugin, f"returns {_type(documents)}, not a list of documents")
    for document in documents:
        if not isinstance(document, Document):
            raise entry_points.wrong(plugin, f"returns {_type(document)} among its documents")
        texts = (document.id, *document.source, *(document.target or ()))
        if other := [text for text in texts if not isinstance(text, str)]:
            raise entry_points.wrong(plugin, f"has {_type(other[0])} where text should be")
    if isinstance(file, FileSkeleton) and not hasattr(file, "fill"):
        return list(documents), file
    if not hasattr(file, "fill"):
        if not hasattr(file, "fill_and_report"):
            raise entry_points.wrong(plugin, f"returns {_type(file)}, not a skeleton with `fill`")
        return list(documents), file
    # What cannot be filled with the source could not be written after an hour of translating.
    _filled(plugin, file, [document.translated(document.source) for document in documents])
    return list(documents), file


def _type(value: object) -> str:
    return f"a value of the type {type(value).__name__}"


def external_reader(path: PathLike) -> Reader | None:
    """Return the reader of another package for files with this suffix, if there is one.

    Raises:
        InputError: several packages have a reader, or the reader cannot be used; naming the
            package.

    >>> external_reader("guide.md") is None
    True
    """
    suffix = Path(path).suffix.removeprefix(".").lower()
    if not suffix or suffix in OWN_SUFFIXES:
        return None
    loaded = entry_points.load(FORMAT_PLUGINS, suffix)
    if loaded is None:
        return None
    plugin, read_file = loaded
    if not callable(read_file):
        raise InputError(f"{plugin} is not a function read(path, language)")

    def read(path: PathLike, language: str) -> tuple[list[Document], FileSkeleton]:
        with entry_points.errors_of(plugin):
            result = read_file(path, language)
        documents, file = _check_read(plugin, result)
        known = isinstance(file, FileSkeleton)
        return documents, file if known else _OtherSkeleton(file, plugin)

    return read
