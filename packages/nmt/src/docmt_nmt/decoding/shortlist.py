"""Search over a lexical shortlist: each instance is scored over the words that probably translate
its source, about a thousand, instead of all. So a step reads a small part of the output layer.

The shortlist is a file of Marian (`lex.*.bin`, as read by `BinaryShortlistGenerator`). The words of
an instance are the first words of the vocabulary, those that the file lists for each source token,
the source tokens themselves where both sides share a vocabulary, and the tokens of its terms.
Log-probabilities are normalized over these words. They depend on the instance alone, so it is
translated in the same way in every batch.

Shapes: V tokens of the vocabulary, n words of an instance, d numbers of a state.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.errors import InputError
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.decoding.tables import Floats, Table
from docmt_nmt.runs.compiled_files import SHORTLIST, Manifest

Integers = NDArray[np.int64]

BIAS = "output_bias.npy"
"""The file with the bias of the output layer in a compiled form."""

_MAX_WITHOUT = 100
"""Maximum number of source tokens that are not in the file: those that a run adds at the end of the
model's vocabulary, and names of rows of embeddings without a token."""

_MAGIC = 0xF11A48D5013417F5
_HEADER = struct.Struct("<6Q")


class Shortlist:
    """The probable translations of each source token.

    Args:
        first: the number of words at the beginning of the vocabulary that are in every shortlist.
        offsets: for each source token where its words begin in `words`, and the end.
        words: target tokens.
    """

    def __init__(self, first: int, offsets: Integers, words: Integers) -> None:
        self._first, self._offsets, self._words = np.arange(first), offsets.tolist(), words

    @classmethod
    def read(cls, path: Path, source: int, target: int) -> Self:
        """Read a file of Marian.

        Args:
            source, target: the sizes of the vocabularies.

        Raises:
            InputError: the file is no shortlist, or one of other vocabularies.
        """
        cure = "Give the file `lex.….bin` that came with the model"
        content = read_stored(path, cure=cure)
        if len(content) < _HEADER.size or content[:8] != struct.pack("<Q", _MAGIC):
            raise InputError("is not a lexical shortlist of Marian", path=path, cure=cure)
        _, _, first, _, tokens, size = _HEADER.unpack_from(content)
        if len(content) != _HEADER.size + 8 * tokens + 4 * size:
            raise InputError("is not a whole lexical shortlist", path=path, cure=cure)
        offsets = np.frombuffer(content, "<u8", tokens, _HEADER.size)
        words = np.frombuffer(content, "<u4", size, _HEADER.size + 8 * tokens)
        ascending = tokens > 0 and bool((offsets[1:] >= offsets[:-1]).all())
        if not ascending or offsets[-1] > size or first > target or (words >= target).any():
            raise InputError(
                f"is not a shortlist of words of this vocabulary of {target:,}",
                path=path,
                cure=cure,
            )
        without = source + 1 - tokens
        if not 0 <= without <= _MAX_WITHOUT:
            raise InputError(
                f"lists words for {tokens - 1:,} source tokens, and the vocabulary has {source:,}",
                path=path,
                cure=cure,
            )
        # The last tokens of the vocabulary, which the model's own one lacks, have no words.
        filled = np.append(offsets, [offsets[-1]] * without).astype(np.int64)
        return cls(first, filled, words.astype(np.int64))

    def of(self, source: Iterable[int], others: Iterable[int]) -> Integers:
        """(n,) the words for source tokens, and other target tokens, in ascending order."""
        ranges = (self._offsets[token : token + 2] for token in source)
        listed = [self._words[begin:end] for begin, end in ranges]
        return np.unique(np.concatenate([self._first, *listed, np.array([*others], np.int64)]))


class ListedWords(NamedTuple):
    """The words of an instance: ids, (n,), with output rows, (n, d), and biases, (n,) or one."""

    ids: Integers
    rows: Floats
    bias: Floats


@dataclass(frozen=True)
class ListedOutput:
    """The output layer of a compiled system, read by rows.

    Attributes:
        step: the graph of a step without the output layer, an `onnxruntime.InferenceSession`.
        shortlist: the words of a source.
        table: the rows of the output layer.
        bias: (V,) what is added to the scores, if anything.
        shares: whether source and target share a vocabulary.
    """

    step: Any
    shortlist: Shortlist
    table: Table
    bias: Floats | None
    shares: bool

    @classmethod
    def read(
        cls,
        folder: Path,
        manifest: Manifest,
        step: Any,
        source: Table,
        target: Table,
        output: Table,
    ) -> Self:
        """The output layer of a compiled form, given its tables."""
        shortlist = Shortlist.read(folder / SHORTLIST, len(source), len(output))
        has_bias = BIAS in manifest.files
        bias = np.load(folder / BIAS, allow_pickle=False) if has_bias else None
        return cls(step, shortlist, output, bias, source is target)

    def words(self, source: set[int], others: set[int]) -> ListedWords:
        """The words for source tokens, and other target tokens."""
        ids = self.shortlist.of(source, others | source if self.shares else others)
        bias = np.zeros(1, np.float32) if self.bias is None else self.bias[ids]
        return ListedWords(ids, self.table.rows(ids), bias)
