"""Overlap of the training text with the splits for validation and test, which makes scores too
high. Only hashes of the validation and test text are kept in memory, whatever the size of the
training text.

To a filter each kind contains the one before: an equal pair has an equal source, and an equal
source overlaps by n-grams, too, however short it is. N-grams are of 8 words of the source, without
case and punctuation; in scripts without spaces between words, of 8 characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from docmt_files.base.documents import Document
from docmt_nmt.data.corpus_report import OverlapReport
from docmt_nmt.data.data_settings import OverlapKind
from docmt_nmt.text.word_boundaries import words_of_any_script

NGRAM = 8
"""Number of words in an n-gram."""


@dataclass(frozen=True, slots=True)
class _Hashes:
    """Hashes of a sentence pair, the source, and the n-grams of the source."""

    pair: int
    source: int
    ngrams: frozenset[int]


class Overlap:
    """Compares training documents with the documents of validation and test."""

    def __init__(self) -> None:
        self._splits: dict[str, list[_Hashes]] = {}
        self._known: set[int] = set()
        self._seen: set[int] = set()

    def add(self, split: str, document: Document) -> None:
        """Add a document of the validation or test split."""
        for hashes in _hashes(document):
            self._splits.setdefault(split, []).append(hashes)
            self._known |= {hashes.pair, hashes.source, *hashes.ngrams}

    def find(self, document: Document, kind: OverlapKind) -> list[bool]:
        """Return, for each sentence pair of a training document, whether it overlaps."""
        return [self._overlaps(hashes, kind) for hashes in _hashes(document)]

    def count(self, document: Document) -> None:
        """Count a document on which a system will be trained."""
        for hashes in _hashes(document):
            self._seen |= self._known.intersection((hashes.pair, hashes.source, *hashes.ngrams))

    def report(self) -> dict[str, OverlapReport]:
        """The sentences of each split that are also in the training text counted so far."""
        return {
            split: OverlapReport(
                sentences=len(every),
                pairs=sum(one.pair in self._seen for one in every),
                sources=sum(one.source in self._seen for one in every),
                ngrams=sum(not self._seen.isdisjoint(one.ngrams) for one in every),
            )
            for split, every in self._splits.items()
        }

    def _overlaps(self, hashes: _Hashes, kind: OverlapKind) -> bool:
        if kind == "pairs":
            return hashes.pair in self._known
        is_source = hashes.source in self._known
        return is_source or (kind == "ngrams" and not self._known.isdisjoint(hashes.ngrams))


def _hashes(document: Document) -> Iterator[_Hashes]:
    """Yield the hashes of each sentence pair; spaces do not count."""
    assert document.target is not None
    for pair in zip(document.source, document.target, strict=True):
        source, target = (" ".join(side.split()) for side in pair)
        words = words_of_any_script(source.casefold())
        ngrams = zip(*(words[start:] for start in range(NGRAM)), strict=False)
        yield _Hashes(hash((source, target)), hash(source), frozenset(map(hash, ngrams)))
