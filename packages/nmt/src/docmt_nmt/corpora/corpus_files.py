"""Files that hold documents, their sentences and possibly their translations: `.tsv`, `.jsonl`,
`.parquet`, evaluation sets and translation memories. The translated file holds the same documents,
with the new target sides; that of an evaluation set, the target sides as a `<tstset>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docmt_files import (
    AlignSentences,
    EmptyShardError,
    FileSkeleton,
    NoTextError,
    Shard,
    Written,
    with_writable,
)
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.characters import NO_CHARACTER, NOT_TEXT
from docmt_files.storage.corpus_checks import not_empty
from docmt_files.storage.corpus_names import TMX
from docmt_files.storage.files import PathLike
from docmt_nmt import corpora
from docmt_nmt.corpora import tmx_corpus


@dataclass(frozen=True, slots=True)
class CorpusFile(FileSkeleton):
    """The format of a corpus in one file.

    Attributes:
        suffix: the suffix that names it.
    """

    suffix: str

    def write(
        self,
        documents: Sequence[Document],
        path: PathLike,
        align: AlignSentences | None = None,  # noqa: ARG002
    ) -> Written:
        """Write translated documents, whole or not at all. A line break or tab in a target sentence
        becomes a space.

        Args:
            documents: the documents with their target sides.
            path: the file. Its suffix names the format; a file of any other name is a line file
                with the target sides and a `<d>` line before each document. `-` is standard output
                and has the format of the input.
            align: not used.

        Raises:
            InputError: as `docmt_nmt.corpora.write`.
        """
        form = self.suffix if str(path) == "-" else corpora.file_format(path)
        is_xml = corpora.holds_references(f"a{form}")
        documents, written = with_writable(documents, NO_CHARACTER if is_xml else NOT_TEXT)
        clean = [
            document.translated([_on_one_line(sentence) for sentence in document.target or ()])
            for document in documents
        ]
        if str(path) == "-" and not corpora.holds_references(f"a{self.suffix}"):
            corpora.write(clean, path, suffix=self.suffix)
        elif corpora.is_line_file(path) or corpora.holds_references(path):
            corpora.write_translation(clean, path)
        else:
            corpora.write(clean, path)
        return written


def read(
    path: PathLike, language: str | None = None, shard: Shard | None = None
) -> tuple[list[Document], CorpusFile]:
    """Read a file. Sentences may be empty.

    Args:
        path: the file.
        language: the code of the source language, for files of several languages.
        shard: which of its documents. Default: all.

    Raises:
        InputError: as `docmt_nmt.corpora.read`, no document has text, or a shard is of a file that
            is not a corpus.
    """
    if shard is not None and (corpora.is_line_file(path) or not corpora.is_writable(path)):
        raise InputError(
            "is not a corpus that has shards",
            path=path,
            cure="Use a .jsonl, .parquet, .tsv or .tmx file, or leave out `shard`",
            parameters=("shard",),
        )
    if corpora.file_format(path) == TMX:
        whole = not_empty(tmx_corpus.read_sources(path, language), path)
    else:
        whole = corpora.read(path, allow_empty=True, languages=(language, None))
    documents = list(whole if shard is None else shard.of(whole))
    if shard is not None and not documents:
        raise EmptyShardError(
            f"has fewer documents than {shard.number:,}, so shard {shard.number:,} has none",
            path=path,
        )
    if not any(sentence.strip() for document in documents for sentence in document.source):
        raise NoTextError.of(path)
    suffix = corpora.file_format(path) if corpora.is_writable(path) else ".jsonl"
    if suffix == ".tsv":
        _check_ids(documents, path)
    return documents, CorpusFile(suffix)


def _check_ids(documents: Sequence[Document], path: PathLike) -> None:
    """Refuse a table with sentences in the first of two columns: different in each row, and mostly
    of several words."""
    if any(len(document) > 1 or document.target is not None for document in documents):
        return
    sentences = [document.id for document in documents if len(document.id.split()) > 2]
    if 2 * len(sentences) > len(documents):
        raise InputError(
            "the first of two columns, which holds document ids, seems to hold sentences, such as "
            f"{sentences[0][:60]!r}",
            path=path,
            cure="Put a column with the document's id before them; its rows are document id, "
            "source and target, or document id and source",
        )


def _on_one_line(sentence: str) -> str:
    """A sentence that any of the formats can hold."""
    return " ".join(sentence.splitlines()).replace("\t", " ")
