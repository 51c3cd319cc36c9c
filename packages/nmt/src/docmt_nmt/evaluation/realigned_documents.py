"""`RealignedDocument`: a free translation with one text for each sentence of the reference, as
`docmt_nmt.evaluation.realignment` makes it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_nmt.evaluation.sentence_alignment import Group


@dataclass(frozen=True, slots=True)
class RealignmentCounts:
    """What was found in a free translation.

    Attributes:
        sentences: sentences of the reference.
        translated: sentences of the translation.
        merged: sentences of the reference that share a sentence of the translation.
        split: sentences of the reference with several sentences in the translation.
        lost: sentences of the reference without a translation.
        added: sentences of the translation without a sentence of the reference.
        moved: of the lost sentences, those with a translation among the added ones.
        repeated: of the other added sentences, those that say again what another says.
    """

    sentences: int = 0
    translated: int = 0
    merged: int = 0
    split: int = 0
    lost: int = 0
    added: int = 0
    moved: int = 0
    repeated: int = 0

    def __add__(self, other: RealignmentCounts) -> RealignmentCounts:
        return RealignmentCounts(
            *(getattr(self, one.name) + getattr(other, one.name) for one in fields(self))
        )

    def __str__(self) -> str:
        return (
            f"{counted(self.sentences, 'sentence')}, {self.translated:,} translated: "
            f"{self.merged:,} merged, {self.split:,} split, {self.lost:,} lost "
            f"({self.moved:,} moved), {self.added:,} added ({self.repeated:,} repeated)"
        )

    def to_dict(self) -> dict[str, int]:
        """All counts as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RealignedDocument(Document):
    """A free translation with a text for each sentence of the reference.

    Attributes:
        groups: the aligned sentences of the reference and of the translation, in order.
        sentences: the sentences of the translation.
        kept: the texts without added sentences; COMET reads these.
        added: the number of added sentences in each text.
        counts: what was found.
    """

    groups: tuple[Group, ...] = ()
    sentences: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    added: tuple[int, ...] = ()
    counts: RealignmentCounts = RealignmentCounts()
