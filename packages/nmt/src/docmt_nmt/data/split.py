"""`Split`: one split of a prepared corpus. The text stays on disk; token ids, four bytes each, are
in files without names, which are mapped: they take memory that the system can have back.

    id              string
    source, target  the sentences, as text
    source_tokens,  the sentences, as lists of token ids without special tokens
    target_tokens
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_whole
from docmt_files.storage.stored_files import open_stored
from docmt_nmt.corpora import parquet
from docmt_nmt.text import EncodedDocument

_TOKENS = pa.list_(pa.list_(pa.int32()))
_SCHEMA = pa.schema([*parquet.SCHEMA, ("source_tokens", _TOKENS), ("target_tokens", _TOKENS)])


@dataclass(frozen=True, eq=False)
class TokenizedSentences:
    """All sentences of one side of a split.

    Attributes:
        tokens: (N,) int32, the token ids of all sentences, without special tokens.
        offsets: (S + 1,) int64; sentence i is `tokens[offsets[i]:offsets[i + 1]]`.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def sentences(self, first: int, end: int) -> list[list[int]]:
        """The sentences from `first` to before `end`, counted from the start of the split."""
        bounds = self.offsets[first : end + 1].tolist()
        tokens: list[int] = self.tokens[bounds[0] : bounds[-1]].tolist()
        return [tokens[a - bounds[0] : b - bounds[0]] for a, b in pairwise(bounds)]

    def count(
        self, first: NDArray[np.int64], end: NDArray[np.int64], overhead: int
    ) -> NDArray[np.int32]:
        """(I,) the number of tokens from sentence `first` to before sentence `end`, with `overhead`
        special tokens per sentence."""
        tokens = self.offsets[end] - self.offsets[first] + overhead * (end - first)
        return tokens.astype(np.int32)


class Split:
    """The documents of one split, indexed from 0.

    Args:
        path: the Parquet file written by `write_split`.

    Attributes:
        ids: the ids of the documents.
        source, target: the token ids of each side.
        first_sentences: (documents + 1,) the first sentence of each document, counted from the
            start of the split, then the number of sentences.

    Raises:
        InputError: the file is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ids: list[str] = []
        source, target = _SideBuilder(path.parent), _SideBuilder(path.parent)
        with open_stored(path) as stream, parquet.naming_damaged_file(path):
            file = pq.ParquetFile(stream, buffer_size=1 << 20)
            if not file.schema_arrow.equals(_SCHEMA):
                raise self._damaged("other columns")
            self.metadata = file.metadata
            columns = ["id", "source_tokens", "target_tokens"]
            for batch in file.iter_batches(parquet.ROWS_AT_ONCE, columns=columns):
                self.ids += batch.column("id").to_pylist()
                source.add(batch.column("source_tokens"))
                target.add(batch.column("target_tokens"))
        if source.sentences != target.sentences:
            raise self._damaged("sides of different lengths")
        self.source, self.target = source.build(), target.build()
        self.first_sentences = _offsets(source.sentences)
        row_groups = range(self.metadata.num_row_groups)
        self._row_groups = _offsets(self.metadata.row_group(i).num_rows for i in row_groups)
        self._cached: tuple[int, list[dict[str, Any]]] = (-1, [])

    def __len__(self) -> int:
        return len(self.ids)

    def document(self, index: int) -> EncodedDocument:
        """The token ids of a document."""
        index = range(len(self))[index]
        first, end = self.first_sentences[index : index + 2].tolist()
        return EncodedDocument(
            self.ids[index], self.source.sentences(first, end), self.target.sentences(first, end)
        )

    def text(self, index: int) -> Document:
        """The text of a document, as in the corpus. Reading documents in order is fast."""
        index = range(len(self))[index]
        group = int(np.searchsorted(self._row_groups, index, side="right")) - 1
        if self._cached[0] != group:
            with open_stored(self.path) as stream, parquet.naming_damaged_file(self.path):
                file = pq.ParquetFile(stream, metadata=self.metadata)
                rows = file.read_row_group(group, columns=parquet.SCHEMA.names).to_pylist()
            self._cached = group, rows
        row = self._cached[1][index - int(self._row_groups[group])]
        return Document(row["id"], tuple(row["source"]), tuple(row["target"]))

    def _damaged(self, how: str) -> InputError:
        """The error for a file that differs from the output of `write_split`."""
        return InputError(
            f"not as docmt prepare writes it ({how})", path=self.path, cure="Prepare again"
        )


def write_split(path: Path, documents: Iterable[tuple[Document, EncodedDocument]]) -> None:
    """Write documents and their token ids, whole or not at all."""
    rows = (
        {
            "id": document.id,
            "source": document.source,
            "target": document.target,
            "source_tokens": encoded.source,
            "target_tokens": encoded.target,
        }
        for document, encoded in documents
    )
    with write_whole(path) as stream:
        parquet.write_rows(stream, _SCHEMA, rows)


class _SideBuilder:
    """Collects one side of a split in files that are mapped.

    Args:
        folder: where the files are made; they have no names, and are gone when they are closed.
    """

    def __init__(self, folder: Path) -> None:
        self.sentences = array("i")
        self._tokens, self._offsets = _nameless_file(folder), _nameless_file(folder)
        self._number = 0
        self._write_offsets(np.zeros(1, np.int64))

    def add(self, column: Any) -> None:
        """Add a column: per document a list of sentences, each a list of token ids."""
        sentences = column.flatten()
        self.sentences.frombytes(column.value_lengths().to_numpy().tobytes())
        lengths = sentences.value_lengths().to_numpy()
        self._write_offsets(lengths.cumsum(dtype=np.int64) + self._number)
        self._number += int(lengths.sum())
        self._tokens.write(sentences.flatten().to_numpy().tobytes())

    def build(self) -> TokenizedSentences:
        """All added sentences."""
        return TokenizedSentences(_mapped(self._tokens, np.int32), _mapped(self._offsets, np.int64))

    def _write_offsets(self, offsets: NDArray[np.int64]) -> None:
        self._offsets.write(offsets.tobytes())


def _nameless_file(folder: Path) -> IO[bytes]:
    """A new file beside the split, or among temporary files if the folder cannot be written."""
    try:
        return TemporaryFile(dir=folder)
    except OSError:
        return TemporaryFile()


def _mapped(file: IO[bytes], kind: type[Any]) -> NDArray[Any]:
    """The numbers in a file, mapped into memory; the file is closed."""
    with file:
        file.flush()
        if not file.tell():
            return np.zeros(0, kind)
        return np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), kind)


def _offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    """The start of each of several consecutive spans of these lengths, then the end of the last."""
    return np.fromiter(accumulate(lengths, initial=0), np.int64)
