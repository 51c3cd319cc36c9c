"""`CodesInPlace`: the places that a translator has given to the inline codes of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docmt_files import Alignment, AlignSentences
from docmt_files.base.documents import Document, Sentence
from docmt_nmt.base.translations import TranslatedSentence


@dataclass(frozen=True, slots=True)
class CodesInPlace:
    """An `AlignSentences` for a translated document.

    Attributes:
        sentences: the sentences, some with inline codes.
        translated: the same sentences translated, some with the offsets of the codes.
        others: aligns the sentences without such offsets.
    """

    sentences: Sequence[Sentence]
    translated: Sequence[TranslatedSentence]
    others: AlignSentences | None

    def __call__(self, document: Document, indices: Sequence[int]) -> dict[int, Alignment]:
        """The alignment of some sentences of a document."""
        found: dict[int, Alignment] = {}
        for index in indices:
            codes, places = self.sentences[index].codes, self.translated[index].codes
            if codes and len(codes) == len(places):
                found[index] = places
        rest = [index for index in indices if index not in found]
        if rest and self.others is not None:
            found.update(self.others(document, rest))
        return found
