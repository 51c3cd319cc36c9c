"""Scores of parts of a translation: of short and long sentences, of the beginnings and the ends of
documents, of sentences with a possible need for context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_nmt.evaluation.metric_settings import MetricSettings
from docmt_nmt.evaluation.metrics import metric_kind
from docmt_nmt.evaluation.segments import ParallelDocuments
from docmt_nmt.evaluation.significance import segment_statistics
from docmt_research.analysis.categories import Categories

LENGTHS = (1, 6, 11, 16, 21, 31, 51)
"""Beginnings of buckets of sentences, in words of the source."""

POSITIONS = (1, 2, 3, 6, 11, 21, 51)
"""Beginnings of buckets of sentences, by their number in the document."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Some of the sentences.

    Attributes:
        label: which.
        sentences: number of sentences.
        scores: the s-BLEU of each system on the sentences, by system name.
    """

    label: str
    sentences: int
    scores: Mapping[str, float]


def by_length(
    translations: Mapping[str, Sequence[Document]],
    references: Sequence[Document],
    language: str | None,
) -> list[Bucket]:
    """s-BLEU by the length of the source sentence, in words."""

    def words(document: Document, index: int) -> int:
        return len(document.source[index].split())

    return _bucketed(translations, references, language, words, LENGTHS)


def by_position(
    translations: Mapping[str, Sequence[Document]],
    references: Sequence[Document],
    language: str | None,
) -> list[Bucket]:
    """s-BLEU by the number of the sentence in the document."""

    def number(_: Document, index: int) -> int:
        return index + 1

    return _bucketed(translations, references, language, number, POSITIONS)


def by_category(
    translations: Mapping[str, Sequence[Document]],
    references: Sequence[Document],
    language: str | None,
    categories: Categories,
) -> list[Bucket]:
    """s-BLEU by category of the source sentence; a sentence may be in several."""
    return _scored(translations, references, language, categories.members.items())


def _bucketed(
    translations: Mapping[str, Sequence[Document]],
    references: Sequence[Document],
    language: str | None,
    value: Callable[[Document, int], int],
    begins: Sequence[int],
) -> list[Bucket]:
    """The non-empty buckets of a value of sentences."""
    values = np.array([value(d, i) for d in references for i in range(len(d))])
    most = int(values.max()) + 1
    buckets = []
    for low, high in pairwise([*begins, max(most, begins[-1] + 1)]):
        label = str(low) if high == low + 1 else f"{low}–{high - 1}"
        label = f"{low}+" if low == begins[-1] else label
        buckets.append((label, (values >= low) & (values < high)))
    return _scored(translations, references, language, buckets)


def _scored(
    translations: Mapping[str, Sequence[Document]],
    references: Sequence[Document],
    language: str | None,
    members: Iterable[tuple[str, NDArray[np.bool_]]],
) -> list[Bucket]:
    """Buckets by their labels and their sentences, (sentences,), if they have any."""
    kind, settings = metric_kind("s-bleu"), MetricSettings(language=language)
    tables = {
        name: segment_statistics(kind, ParallelDocuments.of(documents, references), settings)
        for name, documents in translations.items()
    }
    return [
        Bucket(
            label,
            int(inside.sum()),
            {
                name: float(table.scores(table.counts[inside].sum(0)))
                for name, table in tables.items()
            },
        )
        for label, inside in members
        if inside.any()
    ]
