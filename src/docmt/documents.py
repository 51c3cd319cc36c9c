"""`Document`, sentences in order with or without their translations: the type that every reader
returns and every writer takes. Also how line files, which hold one sentence per line, show where a
document begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from docmt.errors import InputError

Boundaries = Literal["markers", "blank", "docids", "sentences", "none"]
"""How line files show where documents begin: a `MARKER` line before each document, a blank line
between documents, a file of document ids and sentence counts, each line is its own document
(`sentences`), or the whole file is one document (`none`)."""

MARKER = "<d>"
"""The line that opens a document in line files with boundaries `markers`."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document as a list of sentences; target sentence i translates source sentence i.

    Attributes:
        id: the document's name, unique in its corpus.
        source: the source sentences.
        target: the target sentences, or None where there is no translation yet.

    Raises:
        InputError: the two sides have different numbers of sentences.
    """

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.target is not None and len(self.source) != len(self.target):
            raise InputError(
                f"document {self.id!r} has {len(self.source)} source sentences "
                f"but {len(self.target)} target sentences",
                cure="Align the two sides so that sentence i translates sentence i",
            )

    def __len__(self) -> int:
        return len(self.source)

    def translated(self, target: Sequence[str]) -> Document:
        """The same document with these target sentences, one for each source sentence."""
        return replace(self, target=tuple(target))
