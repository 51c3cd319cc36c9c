"""`Document`, the currency of the program: sentences in order, with their translations or
without. Everything that reads text makes documents and everything that writes text takes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from docmt.errors import InputError


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
