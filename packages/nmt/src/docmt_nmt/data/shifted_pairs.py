"""Sentence pairs that stand one off: a sentence is missing on one side, another further on, and
between them line i of the source is translated by line i - 1 or i + 1, while the numbers of lines
agree. In IWSLT 2014's TEDX.dev2012 such are 72 pairs (facebookresearch/fairseq#4146).

A pair fits by the lengths (after Gale and Church 1993) and by numbers, names and question marks on
both sides. The best path through a document that may leave the diagonal finds runs of pairs that
fit better one off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import log

import numpy as np

from docmt_files.base.documents import Document
from docmt_nmt.data.corpus_report import ShiftReport

_SHIFTS = (0, -1, 1)
_STEP = 10.0
"""What a run of shifted pairs must gain at either end, in nats."""

_FEWEST = 3
"""The fewest pairs in a run that is reported."""

_CLIP = 3.0
"""What a pair of unlike lengths speaks against a place at most."""

_MOST_PLACES = 5
_FIRST = 2_000
"""Pairs from which the ratio of the lengths is estimated."""

_SAME = re.compile(r"\d+|[^\W\d_]{4,}")
"""Numbers, and words that may be written alike in both languages."""


class ShiftFinder:
    """Finds shifted pairs in the documents of a split."""

    def __init__(self) -> None:
        self._waiting: list[Document] = []
        self._pairs = 0
        self._lengths: tuple[float, float, float] | None = None
        self._places: list[str] = []
        self._found = 0

    def add(self, document: Document) -> None:
        """Look for shifted pairs in a document with a target."""
        self._waiting.append(document)
        self._pairs += len(document)
        if self._lengths is not None or self._pairs >= _FIRST:
            self._look()

    def watched(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents, each looked at as it passes."""
        for document in documents:
            self.add(document)
            yield document

    def report(self) -> ShiftReport | None:
        """What was found in all documents; None if nothing was."""
        self._look()
        if not self._found:
            return None
        return ShiftReport(pairs=self._found, places=tuple(self._places))

    def _look(self) -> None:
        """Look in the documents that wait."""
        if self._lengths is None:
            self._lengths = _length_statistics(self._waiting)
        for document in self._waiting:
            for first, last in _runs(document, self._lengths):
                self._found += last - first + 1
                if len(self._places) < _MOST_PLACES:
                    self._places.append(f"{document.id}: {first + 1}-{last + 1}")
        self._waiting = []


def _ratios(source: Sequence[str], target: Sequence[str]) -> np.ndarray:
    """The logarithms of the ratios of lengths."""
    pairs = zip(source, target, strict=False)
    return np.array([log((len(t) + 5) / (len(s) + 5)) for s, t in pairs])


def _length_statistics(documents: Sequence[Document]) -> tuple[float, float, float]:
    """The median ratio of pairs, and the spread of ratios of pairs and of neighbours."""
    pairs = [_ratios(one.source, one.target or ()) for one in documents]
    beside = [_ratios(one.source, (one.target or ())[1:]) for one in documents]
    every, others = np.concatenate([[0.0], *pairs]), np.concatenate([[0.0], *beside])
    middle = float(np.median(every))
    # By quantiles, as a part may be shifted.
    spread = float(np.quantile(np.abs(every - middle), 0.68))
    return middle, max(spread, 0.1), max(float(np.quantile(np.abs(others - middle), 0.68)), 0.2)


def _runs(document: Document, lengths: tuple[float, float, float]) -> Iterator[tuple[int, int]]:
    """The first and the last pair of each run that fits better one off."""
    source, target = document.source, document.target or ()
    n = len(source)
    if n < 2 * _FEWEST or len(target) != n:
        return
    marks = [
        [(set(_SAME.findall(text)), text.rstrip()[-1:] in "?？") for text in side]
        for side in (source, target)
    ]
    gains = np.full((n, 3), -_CLIP)
    middle, spread, other = lengths
    for column, shift in enumerate(_SHIFTS):
        rows = range(max(0, -shift), min(n, n - shift))
        ratios = _ratios(source[rows.start : rows.stop], target[rows.start + shift :]) - middle
        fits = (ratios / other) ** 2 / 2 - (ratios / spread) ** 2 / 2 + log(other / spread)
        for i, fit in zip(rows, np.clip(fits, -_CLIP, None), strict=True):
            (ours, asks), (theirs, answers) = marks[0][i], marks[1][i + shift]
            alike = 2 * min(2, len(ours & theirs))
            gains[i, column] = fit + alike + (asks and answers) - (asks != answers)
    # A refrain says once where it stands.
    first = {text: i for i, text in reversed([*enumerate(source)])}
    gains[[i for i, text in enumerate(source) if first[text] != i]] = 0.0
    states = _best_path(gains)
    at = 0
    for state, group in groupby(states):
        size = len(list(group))
        if state and size >= _FEWEST:
            yield at, at + size - 1
        at += size


def _best_path(gains: np.ndarray) -> list[int]:
    """The state of each row: 0 on the diagonal, 1 and 2 beside it. It begins on the diagonal."""
    scores, back = np.array([0.0, -_STEP, -_STEP]) + gains[0], []
    for row in gains[1:]:
        moved = scores[:, None] - _STEP * (1 - np.eye(3))
        back.append(moved.argmax(0))
        scores = moved.max(0) + row
    state = int((scores - [0, _STEP, _STEP]).argmax())
    states = [state]
    for choices in reversed(back):
        state = int(choices[state])
        states.append(state)
    return states[::-1]
