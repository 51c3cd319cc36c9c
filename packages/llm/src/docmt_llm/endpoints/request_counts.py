"""`RequestCounts`: the numbers of requests to a large language model, retries and faults."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from docmt_files.base.wording import counted
from docmt_llm.answers.answer_faults import FAULTS, FaultKind

RetryStep = Literal[
    "compared", "halves", "alone", "without-context", "corrected", "shortened", "kept"
]
"""A step after an answer: a sentence was asked for again to compare the translations; or, after a
faulty answer, the sentences were asked for again in halves, alone, or alone without context; the
model was asked for a correction; the context was shortened; or the sentence was kept
untranslated."""

_RETRY_WORDS: dict[RetryStep, str] = {
    "compared": "to compare",
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
        requests: the number of answered requests.
        retry_steps: the number of retries of each kind; under `kept`, the number of untranslated
            sentences.
        faults: the number of faults of answers by kind.
    """

    requests: int = 0
    retry_steps: Counter[RetryStep] = field(default_factory=Counter)
    faults: Counter[FaultKind] = field(default_factory=Counter)

    def add(self, other: RequestCounts) -> None:
        """Add other counts."""
        self.requests += other.requests
        self.retry_steps += other.retry_steps
        self.faults += other.faults

    def notes(self) -> Iterator[str]:
        """Notes for the user, in sentences."""
        again = [
            f"{self.retry_steps[step]:,} {words}"
            for step, words in _RETRY_WORDS.items()
            if self.retry_steps[step]
        ]
        if again:
            yield f"asked again: {', '.join(again)}"
        listed = [f"{count:,} {FAULTS[kind].words}" for kind, count in self.faults.most_common()]
        if listed:
            yield f"answers with faults: {'; '.join(listed)}"
        if kept := self.retry_steps["kept"]:
            yield (
                f"{counted(kept, 'sentence')} left as in the source, because the model gave no "
                "usable translation; if answers are kept, it is asked again only without the run's "
                "answers.jsonl"
            )


class SharedCounts:
    """Counts shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = RequestCounts()

    def add(self, counts: RequestCounts) -> None:
        """Add counts."""
        with self._lock:
            self._counts.add(counts)

    def take(self) -> RequestCounts:
        """The counts since the last call."""
        with self._lock:
            counts, self._counts = self._counts, RequestCounts()
        return counts
