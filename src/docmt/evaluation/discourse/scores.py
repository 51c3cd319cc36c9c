"""`DiscourseScore`: a number about one phenomenon of discourse, with the counts behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DiscourseScore:
    """How well a translation does in one phenomenon of discourse.

    Attributes:
        name: the metric, such as `APT`.
        score: from 0 to 100, higher is better.
        documents, sentences: how many were scored.
        settings: what the score depends on, separated by `|`.
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
    counts: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    occurrences: Sequence[Mapping[str, Any]] = ()

    @property
    def signature(self) -> str:
        """What was scored and how; scores with different signatures are not comparable."""
        return f"docs {self.documents} · sents {self.sentences} · {self.settings}"

    def __str__(self) -> str:
        return f"{self.name} {self.score:.2f} · {self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """All attributes but the occurrences, and the signature, as plain values."""
        values = asdict(self)
        del values["occurrences"]
        values["parts"] = {
            name: {"score": score, "count": count} for name, (score, count) in self.parts.items()
        }
        return {**values, "notes": list(self.notes), "signature": self.signature}
