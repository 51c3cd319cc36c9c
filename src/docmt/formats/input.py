"""`Input`: how the files that `docmt translate` is given are read."""

from __future__ import annotations

from dataclasses import dataclass

from docmt.documents import Boundaries, Document
from docmt.files import PathLike
from docmt.formats.corpus import CorpusFile
from docmt.formats.external import external_reader
from docmt.formats.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Input:
    """How files are read. Those in a format of `docmt.corpora` other than line files are corpora,
    read as `docmt.corpora.read` does; those with the suffix of a format of another package, by that
    format. Others are running text or, if asked for, line files.

    Attributes:
        segmented: whether a file has one sentence per line.
        boundaries: how a line file shows where documents begin; None finds it out from its first
            line, by `docmt.corpora.default_boundaries`. Implies `segmented`.
        docids: for a line file, a file of document ids and sentence counts. Implies `segmented`.
        plain_text: whether to take any text file for plain text, whatever its name and contents.
    """

    segmented: bool = False
    boundaries: Boundaries | None = None
    docids: PathLike | None = None
    plain_text: bool = False

    def read(self, path: PathLike, language: str) -> tuple[list[Document], Skeleton | CorpusFile]:
        """The documents of a file, and what is left of it without their sentences.

        Args:
            path: the file, or `-` for standard input.
            language: the code of the language whose rules split running text into sentences.

        Raises:
            InputError: the file cannot be read in this way, or has no text.
        """
        for_lines = self.segmented or self.boundaries is not None or self.docids is not None
        if not (self.plain_text or for_lines) and (read := external_reader(path)) is not None:
            return read(path, language)
        # Splitting sentences takes long to load, as does Parquet.
        from docmt.corpora import is_line_file
        from docmt.formats import corpus, running, segmented

        if not (self.plain_text or is_line_file(path)):
            return corpus.read(path, language)
        if for_lines:
            return segmented.read(
                path, language,
                boundaries=self.boundaries, docids=self.docids, plain_text=self.plain_text,
            )  # fmt: skip
        return running.read(path, language, plain_text=self.plain_text)
