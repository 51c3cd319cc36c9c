"""`DiscourseScore`: a number about one phenomenon of discourse, with the counts behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt.evaluation.statistics import Counts, Statistics
from docmt.ground.errors import InputError


class NothingToMeasure(InputError):
    """A text has none of what a metric counts."""


@dataclass(frozen=True, slots=True)
class DiscourseScore:
    """The score of a translation in one phenomenon of discourse.

    Attributes:
        name: the metric, such as `APT`.
        score: from 0 to 100, higher is better.
        documents, sentences: how many were scored.
        settings: what the score depends on, separated by `|`.
        statistics: what was counted in each document, to compare systems by.
        counts: the numbers behind the score, such as how many pronouns there are of each case.
        parts: the score of each part, such as of each pronoun, with how many it is of.
        notes: what a reader of the score must know.
        occurrences: what was counted, one by one, such as each pronoun with its translations.
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
        """Return what was scored and how; scores with different signatures are not comparable."""
        return f"docs {self.documents} · sents {self.sentences} · {self.settings}"

    def __str__(self) -> str:
        return f"{self.name} {self.score:.2f} · {self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """The score, what it depends on and the counts behind it as plain values."""
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
    """The part of what is possible that was reached, in percent; 0 if nothing is possible.

    Args:
        counts: (..., 2): what was reached, and what is possible.
    """
    reached, possible = counts[..., 0], counts[..., 1]
    return np.where(possible > 0, 100 * reached / np.where(possible > 0, possible, 1), 0.0)


def ratio_statistics(
    documents: Sequence[str], rows: Iterable[tuple[str, float, float]], signature: str
) -> Statistics:
    """The statistics of a metric that is a ratio of sums.

    Args:
        documents: the ids of all documents, in order.
        rows: a document's id, what was reached in a part of it, and what was possible.
        signature: of the metric.
    """
    index = {document: i for i, document in enumerate(documents)}
    counts = np.zeros((len(index), 2))
    for document, reached, possible in rows:
        counts[index[document]] += (reached, possible)
    return Statistics(counts, ratio, signature)
