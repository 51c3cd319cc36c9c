"""`RequestCounts`: what was asked of a large language model, and what became of it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from docmt.ground.wording import counted
from docmt.language_models.faults import FAULTS, FaultKind

Rung = Literal["halves", "alone", "without-context", "corrected", "shortened", "kept"]
"""What was done about a faulty answer: its sentences were asked for again in halves, one alone, or
one without context; the model was asked to correct it; the context was shortened; or the sentence
was left as it is in the source."""

_RUNGS: dict[Rung, str] = {
    "halves": "in halves",
    "alone": "alone",
    "without-context": "without context",
    "corrected": "to be corrected",
    "shortened": "with less context",
}


@dataclass(slots=True)
class RequestCounts:
    """Counts of requests.

    Attributes:
        requests: the number of requests that were answered.
        rungs: requests for sentences whose answers were faulty, by what was done; under `kept`, the
            sentences that were left as they are.
        faults: the number of faults of answers by kind.
    """

    requests: int = 0
    rungs: Counter[Rung] = field(default_factory=Counter)
    faults: Counter[FaultKind] = field(default_factory=Counter)

    def add(self, other: RequestCounts) -> None:
        """Add other counts."""
        self.requests += other.requests
        self.rungs += other.rungs
        self.faults += other.faults

    def notes(self) -> Iterator[str]:
        """What a user should know, in sentences."""
        again = [
            f"{self.rungs[rung]:,} {words}" for rung, words in _RUNGS.items() if self.rungs[rung]
        ]
        if again:
            yield f"asked again: {', '.join(again)}"
        listed = [f"{count:,} {FAULTS[kind].words}" for kind, count in self.faults.most_common()]
        if listed:
            yield f"answers with faults: {'; '.join(listed)}"
        if kept := self.rungs["kept"]:
            yield (
                f"{counted(kept, 'sentence')} left as in the source, because the model gave no "
                "usable translation; if answers are kept, it is asked again only without the run's "
                "answers.jsonl"
            )


class SharedCounts:
    """Counts that threads add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = RequestCounts()

    def add(self, counts: RequestCounts) -> None:
        """Add counts."""
        with self._lock:
            self._counts.add(counts)

    def take(self) -> RequestCounts:
        """What was added since this was called last."""
        with self._lock:
            counts, self._counts = self._counts, RequestCounts()
        return counts
