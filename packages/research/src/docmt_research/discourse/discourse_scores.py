"""`DiscourseScore`: a number about one phenomenon of discourse, with the counts behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.errors import InputError
from docmt_nmt.evaluation.statistics import Counts, Statistics


class NothingToMeasure(InputError):
    """A text has nothing for a metric to count."""


@dataclass(frozen=True, slots=True)
class DiscourseScore:
    """The score of a translation in one phenomenon of discourse.

    Attributes:
        name: the metric, such as `APT`.
        score: from 0 to 100, higher is better.
        documents, sentences: numbers of scored documents and sentences.
        settings: the settings of the score, separated by `|`.
        statistics: the counts of each document, to compare systems by.
        counts: the numbers behind the score, such as how many pronouns there are of each case.
        parts: the score of each part, such as of each pronoun, with how many it is of.
        notes: notes for the reader of the score.
        occurrences: the counted items, one by one, such as each pronoun with both translations.
    """

    name: str
    score: float
    documents: int
    sentences: int
    settings: str
    statistics: Statistics = field(repr=False, compare=False)
    counts: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    occurrences: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    @property
    def signature(self) -> str:
        """Return a description of the score; scores with different signatures are not
        comparable."""
        return f"docs {self.documents} · sents {self.sentences} · {self.settings}"

    def __str__(self) -> str:
        return f"{self.name} {self.score:.2f} · {self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """The score, the settings and the counts behind the score, as plain values."""
        return {
            "name": self.name,
            "score": self.score,
            "documents": self.documents,
            "sentences": self.sentences,
            "settings": self.settings,
            "counts": dict(self.counts),
            "parts": {
                name: {"score": score, "count": count}
                for name, (score, count) in self.parts.items()
            },
            "notes": list(self.notes),
            "signature": self.signature,
        }


def ratio(counts: Counts) -> NDArray[np.float64]:
    """The reached share of the possible number, in percent; 0 if nothing is possible.

    Args:
        counts: (..., 2): the reached and the possible number.
    """
    reached, possible = counts[..., 0], counts[..., 1]
    return np.where(possible > 0, 100 * reached / np.where(possible > 0, possible, 1), 0.0)


def ratio_statistics(
    documents: Sequence[str], rows: Iterable[tuple[str, float, float]], signature: str
) -> Statistics:
    """The statistics of a metric defined as a ratio of sums.

    Args:
        documents: the ids of all documents, in order.
        rows: a document's id, the reached number in a part of the document, and the possible
            number.
        signature: of the metric.
    """
    index = {document: i for i, document in enumerate(documents)}
    counts = np.zeros((len(index), 2))
    for document, reached, possible in rows:
        counts[index[document]] += (reached, possible)
    return Statistics(counts, ratio, signature)
