"""`Score`: a number together with everything needed to reproduce it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Unit = Literal["sentence", "document", "instance"]
"""The text compared as one segment."""


@dataclass(frozen=True, slots=True)
class Score:
    """The quality of a translation by one metric.

    Attributes:
        name: `s-BLEU`, `d-BLEU`, `instance-BLEU`, `s-chrF`, `d-chrF`, `TER`, or the name of a
            metric of another package.
        score: from 0 to 100, higher is better; for TER the edits per 100 words of the reference,
            lower is better.
        documents, sentences: numbers of scored documents and sentences.
        unit: text compared as one segment.
        segments: number of compared segments.
        settings: sacrebleu's signature of the metric, or the settings of a metric of another
            package.
        precisions: for BLEU, the n-gram precisions in percent, n = 1 to 4.
        brevity_penalty: for BLEU.
        hypothesis_length, reference_length: for BLEU, the lengths in tokens.
        empty: number of sentences with an empty translation.
        notes: further notes for the reader of the score.
        lower_is_better: whether a better translation has a lower score.
        search: where a run translated for the score, how it searched.
    """

    name: str
    score: float
    documents: int
    sentences: int
    unit: Unit
    segments: int
    settings: str
    precisions: tuple[float, ...] = ()
    brevity_penalty: float | None = None
    hypothesis_length: int | None = None
    reference_length: int | None = None
    empty: int = 0
    notes: tuple[str, ...] = ()
    lower_is_better: bool = False
    search: str = ""

    @property
    def signature(self) -> str:
        """Return a description of the comparison; scores with different signatures are not
        comparable."""
        parts = [f"docs {self.documents}", f"sents {self.sentences}", f"unit {self.unit}"]
        if self.unit == "instance":
            parts.append(f"instances {self.segments}")
        if self.empty:
            parts.append(f"empty {self.empty}")
        if self.search:
            parts.append(self.search)
        return " · ".join([*parts, self.settings])

    def __str__(self) -> str:
        return f"{self.name} {self.score:.2f} · {self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """All attributes and the signature as plain values."""
        return {**asdict(self), "signature": self.signature}
