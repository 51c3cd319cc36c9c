"""`Input`: how the files that `docmt translate` is given are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.documents import Boundaries, Document
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.formats.blocks import BlockSkeleton
from docmt.formats.corpus import CorpusFile
from docmt.formats.external import external_reader
from docmt.formats.skeleton import Skeleton

FileFormat = Literal["html", "markdown"]
"""The formats of files with markup."""

_SUFFIXES: dict[FileFormat, tuple[str, ...]] = {
    "html": (".html", ".htm", ".xhtml", ".xht"),
    "markdown": (".md", ".markdown", ".mdown", ".mkd", ".mdx"),
}


@dataclass(frozen=True, slots=True)
class Input:
    """How files are read. Those in a format of `docmt.corpora` other than line files are corpora,
    read as `docmt.corpora.read` does; those with the suffix of a format of another package, by that
    format; those with markup, by `docmt.formats.html` or `markdown`. Others are running text or, if
    asked for, line files.

    Attributes:
        segmented: whether a file has one sentence per line.
        boundaries: how a line file shows where documents begin; None finds it out from its first
            line, by `docmt.corpora.default_boundaries`. Implies `segmented`.
        docids: for a line file, a file of document ids and sentence counts. Implies `segmented`.
        plain_text: whether to take any text file for plain text, whatever its name and contents.
        file_format: the format of all files; None goes by their names.

    Raises:
        InputError: two of these exclude each other.
    """

    segmented: bool = False
    boundaries: Boundaries | None = None
    docids: PathLike | None = None
    plain_text: bool = False
    file_format: FileFormat | None = None

    def __post_init__(self) -> None:
        if self.file_format is not None and (self.plain_text or self.for_lines):
            option = "--plain-text" if self.plain_text else "--segmented, --boundaries or --docids"
            raise InputError(
                f"--format {self.file_format} excludes {option}", cure="Give one of them"
            )

    @property
    def for_lines(self) -> bool:
        """Whether files have one sentence per line."""
        return self.segmented or self.boundaries is not None or self.docids is not None

    def read(
        self, path: PathLike, language: str, target_language: str | None = None
    ) -> tuple[list[Document], Skeleton | BlockSkeleton | CorpusFile]:
        """The documents of a file, and what is left of it without their sentences.

        Args:
            path: the file, or `-` for standard input.
            language: the code of the language whose rules split running text into
                sentences.
            target_language: the code of the language of the output, for files that name theirs.

        Raises:
            InputError: the file cannot be read in this way, or has no text.
        """
        as_text = self.plain_text or self.for_lines
        if not as_text and not self.file_format and (read := external_reader(path)) is not None:
            return read(path, language)
        file_format = self.file_format or (None if as_text else _format_of(path))
        if file_format is not None:
            return _read_markup(file_format, path, language, target_language)
        # Splitting sentences takes long to load, as does Parquet.
        from docmt.corpora import is_line_file
        from docmt.formats import corpus, running, segmented

        if not (self.plain_text or is_line_file(path)):
            return corpus.read(path, language)
        if self.for_lines:
            return segmented.read(
                path, language,
                boundaries=self.boundaries, docids=self.docids, plain_text=self.plain_text,
            )  # fmt: skip
        return running.read(path, language, plain_text=self.plain_text)


def _format_of(path: PathLike) -> FileFormat | None:
    """The format with markup that a file has by its name, without the suffix of a compression."""
    plain = Path(path)
    plain = plain.with_suffix("") if plain.suffix in (".gz", ".xz") else plain
    suffix = plain.suffix.lower()
    return next((name for name, own in _SUFFIXES.items() if suffix in own), None)


def _read_markup(
    file_format: FileFormat, path: PathLike, language: str, target_language: str | None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file with markup."""
    # The parsers and sentence splitting take long to load.
    from docmt.formats import html, markdown

    if file_format == "html":
        return html.read(path, language, target_language)
    return markdown.read(path, language, target_language)
