"""`Score`: a number together with all that is needed to compute it again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

Unit = Literal["sentence", "document", "instance"]
"""What is compared as one segment."""


@dataclass(frozen=True, slots=True)
class Score:
    """How good a translation is by one metric.

    Attributes:
        name: `s-BLEU`, `d-BLEU`, `instance-BLEU`, `s-chrF`, `d-chrF` or `TER`.
        score: from 0 to 100, higher is better; for TER the edits per 100 words of the reference,
            lower is better.
        documents, sentences: how much was scored.
        unit: what was compared as one segment.
        segments: the number of those.
        settings: sacrebleu's signature of the metric.
        precisions: of BLEU, in percent, for n-grams of one to four tokens.
        brevity_penalty: of BLEU.
        hypothesis_length, reference_length: of BLEU, in tokens.
        empty: sentences whose translation is empty.
        notes: what else a reader of the score must know.
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

    @property
    def signature(self) -> str:
        """What was compared and how; scores with different signatures are not comparable."""
        parts = [f"docs {self.documents}", f"sents {self.sentences}", f"unit {self.unit}"]
        if self.unit == "instance":
            parts.append(f"instances {self.segments}")
        if self.empty:
            parts.append(f"empty {self.empty}")
        return " · ".join([*parts, self.settings])

    def __str__(self) -> str:
        return f"{self.name} {self.score:.2f} · {self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """All attributes and the signature as plain values."""
        return {**asdict(self), "signature": self.signature}

    def to_json(self) -> str:
        """All attributes and the signature as one JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The score that `to_json` wrote."""
        values = json.loads(text)
        del values["signature"]
        for name in ("precisions", "notes"):
            values[name] = tuple(values[name])
        return cls(**values)
