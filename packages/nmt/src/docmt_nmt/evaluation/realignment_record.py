"""`Realignment`: what was lost and added in a free translation, for people and programs to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_nmt.evaluation.realigned_documents import RealignedDocument, RealignmentCounts
from docmt_nmt.evaluation.realignment import Realigner
from docmt_nmt.evaluation.segments import target_sentences


@dataclass(frozen=True, slots=True)
class Realignment:
    """The alignment of a free translation.

    Attributes:
        name: the translation, such as a file name.
        documents: the aligned documents.
        references: the documents of the first reference.
    """

    name: str
    documents: Sequence[RealignedDocument]
    references: Sequence[Document]

    @property
    def counts(self) -> RealignmentCounts:
        """What was found in all documents together."""
        return sum((document.counts for document in self.documents), RealignmentCounts())

    @property
    def notes(self) -> list[str]:
        """What makes an alignment doubtful, in words."""
        counts = self.counts
        theirs = sum(len(text) for one in self.references for text in target_sentences(one))
        ratio = sum(len(text) for one in self.documents for text in one.sentences) / max(1, theirs)
        found = []
        if 3 * counts.lost > counts.sentences and 0.75 < ratio < 1.33:
            found.append(
                f"{self.name}: {counts.lost:,} of {counted(counts.sentences, 'sentence')} are "
                "lost, but the translation is as long as the reference: it could not be aligned, "
                "or is in another order, and scores by sentence say little about it"
            )
        if counts.order is not None and counts.order < 0.5 and counts.compared >= 10:
            found.append(
                f"{self.name}: the sentences seem to be in another order than the reference's "
                f"(rank correlation {counts.order:.2f}), which d-BLEU does not see"
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """The name, the counts, and each lost and added sentence, as plain values. `sentence` is
        the number in the reference, from 1, and `after` that of the sentence before an addition."""
        lost, added = [], []
        for document, reference in zip(self.documents, self.references, strict=True):
            translated = {i for g in document.groups if g.shape[1] for i in range(g.first, g.end)}
            lost += [
                {"document": document.id, "sentence": i + 1, "reference": text}
                for i, text in enumerate(target_sentences(reference))
                if i not in translated
            ]
            added += [
                {"document": document.id, "after": group.first, "text": document.sentences[j]}
                for group in document.groups
                if group.shape[0] == 0
                for j in range(group.other_first, group.other_end)
            ]
        counts, notes = self.counts.to_dict(), self.notes
        return {"name": self.name, "counts": counts, "notes": notes, "lost": lost, "added": added}


def realign_all(
    realigner: Realigner | None, translations: Mapping[str, Sequence[Document]]
) -> tuple[Realignment, ...]:
    """Realign each translation; without a realigner none.

    Args:
        realigner: aligns with the references.
        translations: by their names.

    Raises:
        InputError: as `Realigner.realign`.
    """
    if realigner is None:
        return ()
    return tuple(
        Realignment(name, realigner.realign(documents, name), realigner.documents)
        for name, documents in translations.items()
    )
