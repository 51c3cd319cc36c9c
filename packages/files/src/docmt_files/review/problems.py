"""`Problems`: what does not fit when a review is merged, with the ids of the units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from docmt_files.base.wording import counted, first_few

ProblemKind = Literal[
    "missing",
    "unknown",
    "doubled",
    "reordered",
    "untranslated",
    "source",
    "lost codes",
    "superfluous codes",
    "around",
    "left",
]

_MAX_IDS = 100
"""The most ids in a note."""

_WORDS: dict[ProblemKind, str] = {
    "missing": "missing from the review, and left as in the source",
    "unknown": "of the review not in the file, and not used",
    "doubled": "several times in the review, with the same translation",
    "reordered": "at another place in the review than in the file; merged by the id",
    "untranslated": "without a translation, and left as in the source",
    "source": "with another source than the file; the translation is used",
    "lost codes": "without all inline codes, or with crossing ones; put in by alignment",
    "superfluous codes": "with inline codes that the source lacks or has once; left out",
    "around": "with inline codes around the sentences, as the file would break otherwise",
    "left": "with a translation that would break the file; left as in the source",
}


class Problems:
    """Units that do not fit, by kind."""

    def __init__(self) -> None:
        self._ids: dict[ProblemKind, list[str]] = defaultdict(list)

    def add(self, kind: ProblemKind, name: str) -> None:
        """Note a problem of a unit."""
        if name not in self._ids[kind][-1:]:
            self._ids[kind].append(name)

    def __len__(self) -> int:
        return sum(map(len, self._ids.values()))

    @property
    def kinds(self) -> set[ProblemKind]:
        """The kinds of problems."""
        return set(self._ids)

    def ids(self, kind: ProblemKind) -> list[str]:
        """The ids of the units with a problem."""
        return list(self._ids.get(kind, ()))

    def notes(self) -> Iterator[str]:
        """A note for each kind of problem, with the ids."""
        for kind, words in _WORDS.items():
            if ids := self.ids(kind):
                yield f"{counted(len(ids), 'unit')} {words}: {first_few(ids, _MAX_IDS)}"
