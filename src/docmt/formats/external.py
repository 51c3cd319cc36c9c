"""Formats of other installed packages (`docmt.entry_points`, group `docmt.formats`), by the
suffix of files. A format is imported when a file with its suffix is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from docmt import entry_points
from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import PathLike, write_text, write_whole
from docmt.formats.core.skeleton import FileSkeleton, Written
from docmt.formats.format_registry import FORMATS
from docmt.formats.text.columns import TABLE_SUFFIXES

if TYPE_CHECKING:
    # NumPy takes long to load.
    from docmt.formats.core.word_links import AlignSentences

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

Reader = Callable[[PathLike, str], tuple[list[Document], FileSkeleton]]
"""Given a file and the code of its language, its documents and the file without their sentences."""


class Fillable(Protocol):
    """The skeleton that a format of another package gives for a file: it is filled as `Skeleton`
    is."""

    def fill(self, documents: Sequence[Document]) -> str:
        """The file with the target sentences of these documents."""
        ...


@dataclass(frozen=True, slots=True)
class _OtherSkeleton(FileSkeleton):
    """A file of a format of another package."""

    file: Fillable

    def write(
        self, documents: Sequence[Document], path: PathLike, align: AlignSentences | None = None
    ) -> Written:
        if hasattr(self.file, "fill_and_report"):
            filled = self.file.fill_and_report(documents, align)
            with write_whole(path) as out:
                out.write(filled.data)
            return Written(tuple(filled.notes), filled.kept)
        write_text(path, self.file.fill(documents))
        return Written()


def external_reader(path: PathLike) -> Reader | None:
    """Return what reads files with the suffix of this one, if another package has a format for it.

    Raises:
        InputError: several packages have one, or it cannot be used; naming the package.

    >>> external_reader("guide.md") is None
    True
    """
    suffix = Path(path).suffix.removeprefix(".").lower()
    if not suffix or suffix in OWN_SUFFIXES:
        return None
    loaded = entry_points.load("docmt.formats", suffix)
    if loaded is None:
        return None
    plugin, read_file = loaded
    if not callable(read_file):
        raise InputError(f"{plugin} is not a function read(path, language)")

    def read(path: PathLike, language: str) -> tuple[list[Document], FileSkeleton]:
        documents, file = read_file(path, language)
        return documents, file if isinstance(file, FileSkeleton) else _OtherSkeleton(file)

    return read
