"""A split of a prepared corpus: its tokens in memory, four bytes each, its text on the disk."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from docmt.corpora import parquet
from docmt.data.instances import Instance, InstanceSettings, boundaries
from docmt.data.report import SPECIAL_TOKENS
from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import open_binary, write_whole
from docmt.text.pipeline import EncodedDocument
from docmt.text.vocabulary import MASK

TOKENS = pa.list_(pa.list_(pa.int32()))
SCHEMA = pa.schema([*parquet.SCHEMA, ("source_tokens", TOKENS), ("target_tokens", TOKENS)])
"""The columns of a split's file: a corpus in Parquet, with tokens beside the text."""


@dataclass(frozen=True, eq=False)
class Tokens:
    """One side of a split.

    Attributes:
        flat: (N,) int32, all token numbers, without marks.
        offsets: (S + 1,) int64, sentence i is `flat[offsets[i]:offsets[i + 1]]`.
    """

    flat: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def sentences(self, first: int, end: int) -> list[list[int]]:
        """Some sentences, counted from the beginning of the split."""
        bounds = self.offsets[first : end + 1].tolist()
        tokens: list[int] = self.flat[bounds[0] : bounds[-1]].tolist()
        return [tokens[a - bounds[0] : b - bounds[0]] for a, b in pairwise(bounds)]


class Split:
    """The documents of one split, numbered from 0.

    Args:
        path: the Parquet file that `write` wrote.

    Attributes:
        source, target: the tokens of each side.
        first_sentences: (documents + 1,) the sentence each document begins with, counted from the
            beginning of the split, then the number of sentences.

    Raises:
        InputError: the file is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ids: list[str] = []
        sides = Side(), Side()
        with open_binary(path) as stream, parquet.explained(path):
            file = pq.ParquetFile(stream, buffer_size=1 << 20)
            if not file.schema_arrow.equals(SCHEMA):
                raise self.damaged("other columns")
            self.metadata = file.metadata
            columns = ["id", "source_tokens", "target_tokens"]
            for batch in file.iter_batches(parquet.ROWS_AT_ONCE, columns=columns):
                self.ids += batch.column("id").to_pylist()
                for side, name in zip(sides, ("source_tokens", "target_tokens"), strict=True):
                    side.add(batch.column(name))
        if sides[0].documents != sides[1].documents:
            raise self.damaged("sides of different lengths")
        self.source, self.target = sides[0].tokens(), sides[1].tokens()
        self.first_sentences = offsets_of(sides[0].documents)
        groups = range(self.metadata.num_row_groups)
        self.groups = offsets_of(self.metadata.row_group(group).num_rows for group in groups)
        self.cached: tuple[int, list[dict[str, Any]]] = (-1, [])

    def __len__(self) -> int:
        return len(self.ids)

    def document(self, number: int) -> EncodedDocument:
        """A document's tokens."""
        number = range(len(self))[number]
        first, end = self.first_sentences[number : number + 2].tolist()
        return EncodedDocument(
            self.ids[number], self.source.sentences(first, end), self.target.sentences(first, end)
        )

    def text(self, number: int) -> Document:
        """A document's text, as it was in the corpus; fast for one document after the other."""
        number = range(len(self))[number]
        group = int(np.searchsorted(self.groups, number, side="right")) - 1
        if self.cached[0] != group:
            with open_binary(self.path) as stream, parquet.explained(self.path):
                file = pq.ParquetFile(stream, metadata=self.metadata)
                rows = file.read_row_group(group, columns=parquet.SCHEMA.names).to_pylist()
            self.cached = group, rows
        row = self.cached[1][number - int(self.groups[group])]
        return Document(row["id"], tuple(row["source"]), tuple(row["target"]))

    def instances(self, settings: InstanceSettings) -> InstanceDataset:
        """The table of all instances, in the order of the documents."""
        source = np.diff(self.source.offsets) + SPECIAL_TOKENS
        target = np.diff(self.target.offsets) + SPECIAL_TOKENS
        documents, firsts, ends = array("i"), array("i"), array("i")
        bounds = self.first_sentences.tolist()
        for number, (a, b) in enumerate(pairwise(bounds)):
            for first, end in boundaries(source[a:b].tolist(), target[a:b].tolist(), settings):
                documents.append(number)
                firsts.append(first)
                ends.append(end)
        table = (np.frombuffer(a, np.int32) for a in (documents, firsts, ends))
        return InstanceDataset(self, *table, settings=settings)

    def damaged(self, how: str) -> InputError:
        """The error for a file that is not as `write` left it."""
        return InputError(
            f"not as docmt prepare writes it ({how})", path=self.path, cure="Prepare again"
        )


class Side:
    """Gathers one side of a split; arrays grow in place, so that it is never in memory twice."""

    def __init__(self) -> None:
        self.documents, self.sentences, self.flat = array("i"), array("i"), array("i")

    def add(self, column: Any) -> None:
        """Add the documents of a column of lists of lists of token numbers."""
        sentences = column.flatten()
        self.documents.frombytes(column.value_lengths().to_numpy().tobytes())
        self.sentences.frombytes(sentences.value_lengths().to_numpy().tobytes())
        self.flat.frombytes(sentences.flatten().to_numpy().tobytes())

    def tokens(self) -> Tokens:
        """What was gathered."""
        return Tokens(np.frombuffer(self.flat, np.int32), offsets_of(self.sentences))


def offsets_of(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Where pieces of these lengths begin, one after the other, and where the last ends."""
    return np.fromiter(accumulate(lengths, initial=0), np.int64)


class InstanceDataset:
    """The instances of a split as a table.

    Args:
        split: the split.
        document: (I,) the number of each instance's document.
        first, end: (I,) its sentences, as places in its document.
        settings: how they were cut, and what is read with them.

    Attributes:
        source_tokens, target_tokens: (I,) its tokens on each side, two marks a sentence included;
            those of the context are source tokens.
    """

    def __init__(
        self,
        split: Split,
        document: NDArray[np.int32],
        first: NDArray[np.int32],
        end: NDArray[np.int32],
        *,
        settings: InstanceSettings,
    ) -> None:
        self.split, self.document, self.first, self.end = split, document, first, end
        self.masked = settings.kind == "masked"
        before = (settings.window - 1) // 2 if self.masked else settings.previous_sentences
        after = settings.window // 2 if self.masked else 0
        begin = split.first_sentences[document]
        sentences = split.first_sentences[document + 1] - begin
        self.context = np.maximum(first - before, 0)
        self.read_end = np.minimum(end + after, sentences)
        self.source_tokens = tokens_between(
            split.source, begin + self.context, begin + self.read_end
        )
        if self.masked:
            lengths = split.source.offsets[begin + end] - split.source.offsets[begin + first]
            self.source_tokens += 1 - lengths.astype(np.int32)
        self.target_tokens = tokens_between(split.target, begin + first, begin + end)

    def __len__(self) -> int:
        return len(self.document)

    def __getitem__(self, number: int) -> Instance:
        document, first = int(self.document[number]), int(self.first[number])
        begin = int(self.split.first_sentences[document])
        bounds = begin + first, begin + int(self.end[number])
        source, target = self.split.source, self.split.target
        if self.masked:
            read = begin + int(self.context[number]), begin + int(self.read_end[number])
            sentences = source.sentences(*read)
            sentences[bounds[0] - read[0]] = [MASK]
            return Instance(self.split.ids[document], first, sentences, target.sentences(*bounds))
        return Instance(
            self.split.ids[document], first, source.sentences(*bounds), target.sentences(*bounds),
            source.sentences(begin + int(self.context[number]), bounds[0]),
        )  # fmt: skip


def tokens_between(
    side: Tokens, first: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.int32]:
    """(I,) tokens from sentence `first` to before sentence `end`, with the marks of each."""
    return (side.offsets[end] - side.offsets[first] + SPECIAL_TOKENS * (end - first)).astype(
        np.int32
    )


def write(path: Path, documents: Iterable[tuple[Document, EncodedDocument]]) -> None:
    """Write documents and their tokens."""
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
        parquet.write_rows(stream, SCHEMA, rows)
