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
        compared: pairs of sentences whose order can be told, as each has a sentence of the
            reference that is most like it, wherever it stands.
        inverted: of these pairs, those in the other order than in the reference.
    """

    sentences: int = 0
    translated: int = 0
    merged: int = 0
    split: int = 0
    lost: int = 0
    added: int = 0
    moved: int = 0
    repeated: int = 0
    compared: int = 0
    inverted: int = 0

    @property
    def order(self) -> float | None:
        """Kendall's rank correlation of the order of sentences with that of the reference: 1 in the
        same order, around 0 shuffled, -1 backwards; None where no order can be told."""
        return 1 - 2 * self.inverted / self.compared if self.compared else None

    def __add__(self, other: RealignmentCounts) -> RealignmentCounts:
        return RealignmentCounts(
            *(getattr(self, one.name) + getattr(other, one.name) for one in fields(self))
        )

    def __str__(self) -> str:
        return (
            f"{counted(self.sentences, 'sentence')}, {self.translated:,} translated: "
            f"{self.merged:,} merged, {self.split:,} split, {self.lost:,} lost "
            f"({self.moved:,} moved), {self.added:,} added ({self.repeated:,} repeated)"
            + ("" if self.order is None else f", order {self.order:.2f}")
        )

    def to_dict(self) -> dict[str, int | float | None]:
        """All counts and the order as plain values."""
        return {**asdict(self), "order": self.order}


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
