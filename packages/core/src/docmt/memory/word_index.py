"""`WordIndex`: the units of a memory that may be like a sentence, by the words that they share.

Of a sentence of n words, at most ⌊(1 − s) n⌋ differ in a sentence that is at least s alike. So of
any ⌊(1 − s) n⌋ + k different words, at least k are shared. The rarest words are counted first, and
more of them until few units are left to compare.

    postings    for each word and batch of units, first the ids of the units, then the lengths
    batches     units that were indexed together
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

WORD_TABLES = """
CREATE TABLE postings (
    word INTEGER NOT NULL, batch INTEGER NOT NULL, count INTEGER NOT NULL, list BLOB NOT NULL,
    PRIMARY KEY (word, batch)
) WITHOUT ROWID;
CREATE TABLE batches (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, units INTEGER NOT NULL);
"""

_MAX_SMALL_BATCHES = 64
"""Batches of few units that may be in a memory before they become one."""

_SMALL = 10_000

_COST = 300
"""The cost of comparing a unit, in postings to read."""

_MAX_COMPARED = 1000
"""Maximum number of units that a sentence is compared with, those with the most words in common."""

_MAX_LENGTH = (1 << 16) - 1

_UNIT, _LENGTH = np.dtype("<u4"), np.dtype("<u2")

_Ids: TypeAlias = NDArray[np.uint32]
_Lengths: TypeAlias = NDArray[np.uint16]


class WordIndex:
    """The index of a memory.

    Args:
        base: the file, with `WORD_TABLES` and a table `units` with the numbers of the words.
    """

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def add(self, first: int, sentences: Sequence[array[int]]) -> None:
        """Write the posting lists of units, within a transaction.

        Args:
            first: the id of the first unit; the ids are consecutive.
            sentences: the numbers of the words of each.
        """
        hashes, ids, lengths = array("I"), array("I"), array("H")
        for unit, words in enumerate(sentences, start=first):
            different = set(words)
            hashes.extend(different)
            ids.extend([unit] * len(different))
            lengths.extend([min(len(words), _MAX_LENGTH)] * len(different))
        order = np.argsort(hashes, kind="stable")
        units, sizes = np.array(ids, _UNIT)[order], np.array(lengths, _LENGTH)[order]
        different_words, starts = np.unique(np.array(hashes)[order], return_index=True)
        bounds = pairwise([*starts.tolist(), len(order)])
        lists = (
            (word, units[start:end], sizes[start:end])
            for word, (start, end) in zip(different_words.tolist(), bounds, strict=True)
        )
        self._insert((first, len(sentences)), lists)

    def _insert(self, units: tuple[int, int], lists: Iterable[tuple[int, _Ids, _Lengths]]) -> None:
        """Insert a batch: the first id and the number of the units, and the lists by word."""
        (batch,) = self._base.execute("SELECT coalesce(max(id), 0) + 1 FROM batches").fetchone()
        self._base.execute("INSERT INTO batches VALUES (?, ?, ?)", (batch, *units))
        self._base.executemany(
            "INSERT INTO postings VALUES (?, ?, ?, ?)",
            (
                (word, batch, len(ids), ids.tobytes() + lengths.tobytes())
                for word, ids, lengths in lists
            ),
        )

    def join_small_batches(self, transaction: AbstractContextManager[None]) -> None:
        """Make one batch of small ones where there are many, so that words keep few rows."""
        query = "SELECT count(*) FROM batches WHERE units < ?"
        (number,) = self._base.execute(query, (_SMALL,)).fetchone()
        if number <= _MAX_SMALL_BATCHES:
            return
        with transaction:
            query = "SELECT id, units FROM batches WHERE units < ? ORDER BY id"
            small = dict(self._base.execute(query, (_SMALL,)).fetchall())
            marks = ",".join("?" * len(small))
            joined: dict[int, list[bytes]] = defaultdict(list)
            for word, part in self._base.execute(
                f"SELECT word, list FROM postings WHERE batch IN ({marks}) ORDER BY batch", [*small]
            ):
                joined[word].append(part)
            for table, column in (("postings", "batch"), ("batches", "id")):
                self._base.execute(f"DELETE FROM {table} WHERE {column} IN ({marks})", [*small])
            lists = ((word, *_read(joined[word])) for word in sorted(joined))
            self._insert((0, sum(small.values())), lists)

    def candidates(
        self, words: Sequence[int], threshold: float
    ) -> Iterator[tuple[int, array[int]]]:
        """The units that may be alike, each with the numbers of its words.

        Args:
            words: the numbers of the words of a sentence.
            threshold: minimum rate, from 0 to 1.
        """
        best = self._sharing(words, threshold)
        marks = ",".join("?" * len(best))
        for number, content in self._base.execute(
            f"SELECT id, words FROM units WHERE id IN ({marks})", best
        ):
            yield number, array("I", content[: len(content) // 4 * 4])

    def _sharing(self, words: Sequence[int], threshold: float) -> list[int]:
        """The ids of units of about the same length that share enough words."""
        counts = self._counts(set(words))
        rarest = sorted(counts, key=lambda word: (counts[word], word))
        needed = int((1 - threshold) * len(words)) + 1
        (last,) = self._base.execute("SELECT coalesce(max(id), 0) FROM units").fetchone()
        shared = np.zeros(last + 1, np.uint16)
        least, longest = threshold * len(words), len(words) / threshold
        found = np.empty(0, np.int64)
        for number, word in enumerate(rarest, start=1):
            if number > needed and counts[word] > _COST * min(len(found), _MAX_COMPARED):
                break
            if counts[word]:
                units, lengths = self._postings(word)
                units = units[(lengths >= least) & (lengths <= longest)]
                shared[units[units <= last]] += 1
            if number >= needed:
                found = np.flatnonzero(shared > number - needed)
        if len(found) > _MAX_COMPARED:
            found = found[np.argpartition(shared[found], -_MAX_COMPARED)[-_MAX_COMPARED:]]
        return [int(unit) for unit in found]

    def _counts(self, words: Iterable[int]) -> dict[int, int]:
        """The number of units with each word."""
        query = "SELECT coalesce(sum(count), 0) FROM postings WHERE word = ?"
        return {word: int(self._base.execute(query, (word,)).fetchone()[0]) for word in words}

    def _postings(self, word: int) -> tuple[_Ids, _Lengths]:
        """The posting list of a word."""
        rows = self._base.execute("SELECT list FROM postings WHERE word = ?", (word,))
        return _read([part for (part,) in rows])


def _read(lists: Sequence[bytes]) -> tuple[_Ids, _Lengths]:
    """The ids and lengths of posting lists."""
    sizes = [len(part) // (_UNIT.itemsize + _LENGTH.itemsize) for part in lists]
    parts = list(zip(lists, sizes, strict=True))
    units = [np.frombuffer(part, _UNIT, size) for part, size in parts]
    lengths = [np.frombuffer(part, _LENGTH, size, size * _UNIT.itemsize) for part, size in parts]
    return np.concatenate(units), np.concatenate(lengths)
