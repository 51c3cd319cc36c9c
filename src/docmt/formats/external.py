"""Formats of other installed packages (`docmt.plugins`, group `docmt.formats`), by the suffix of
files. A format is imported when a file with its suffix is read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from docmt import plugins
from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.formats.core.skeleton import Skeleton
from docmt.formats.format_registry import FORMATS
from docmt.formats.text.columns import TABLE_SUFFIXES

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
"""The suffixes, without the dot, that no other package can have: those of docmt's formats."""

Reader = Callable[[PathLike, str], tuple[list[Document], Skeleton]]
"""Given a file and the code of its language, its documents and what is left of it without their
sentences, which any object with a method `fill` as that of `Skeleton` can be."""


def external_reader(path: PathLike) -> Reader | None:
    """Return what reads files with the suffix of this one, if another package has a format for it.

    Raises:
        InputError: several packages have one, or it cannot be used; naming the package.
    """
    suffix = Path(path).suffix.removeprefix(".").lower()
    if not suffix or suffix in OWN_SUFFIXES:
        return None
    found = plugins.load("docmt.formats", suffix)
    if found is None:
        return None
    plugin, read = found
    if not callable(read):
        raise InputError(f"{plugin} is not a function read(path, language)")
    reader: Reader = read
    return reader
