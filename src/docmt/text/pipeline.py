"""The text pipeline: what makes numbers of sentences, and sentences of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """A document as token numbers, without marks.

    Attributes:
        id: the document's id.
        source: its source sentences.
        target: its target sentences, or None where they are to be found.
    """

    id: str
    source: Sequence[Sequence[int]]
    target: Sequence[Sequence[int]] | None = None
