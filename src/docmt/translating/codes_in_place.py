"""`CodesInPlace`: the alignment of the words of sentences and translations, from the offsets a
translator has given to inline codes.

`docmt.formats.core.placing` decides where codes are written: every code once, and pairs nested. So
offsets become links between words: words within the same pairs and after the same other codes are
linked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from docmt.formats.core.inline import AlignSentences, WordWeights
from docmt.formats.core.placing import word_spans
from docmt.ground.documents import Document, InlineCode


@dataclass(frozen=True, slots=True)
class CodesInPlace:
    """An `AlignSentences` for a translated document.

    Attributes:
        codes: the inline codes of the sentences, by sentence index.
        places: the offsets of the codes in the translations of some sentences.
        others: aligns the sentences without such offsets.
    """

    codes: Mapping[int, Sequence[InlineCode]]
    places: Mapping[int, Sequence[int]]
    others: AlignSentences | None

    def __call__(self, document: Document, indices: Sequence[int]) -> dict[int, WordWeights]:
        """The alignment weights of some sentences of a document."""
        target = document.target or ()
        found: dict[int, WordWeights] = {}
        for index in indices:
            codes, places = self.codes.get(index, ()), self.places.get(index, ())
            if codes and len(codes) == len(places):
                pair = document.source[index], target[index]
                found[index] = weights_of_places(*pair, codes, places)
        rest = [index for index in indices if index not in found]
        if rest and self.others is not None:
            found.update(self.others(document, rest))
        return found


def weights_of_places(
    source: str, target: str, codes: Sequence[InlineCode], places: Sequence[int]
) -> WordWeights:
    """(S, T) 1 for words in the same position relative to all codes, else 0.

    Args:
        source, target: a sentence and its translation, without codes.
        codes: the codes of the sentence.
        places: the offset of each code in the translation.
    """
    pairs = [(i, c.partner) for i, c in enumerate(codes) if c.partner is not None and c.partner > i]
    single = [i for i, code in enumerate(codes) if code.partner is None]

    def relations(text: str, offsets: Sequence[int]) -> np.ndarray:
        starts = np.array([start for start, _ in word_spans(text)])[:, None]
        at = np.array(offsets)
        first, last = at[[i for i, _ in pairs]], at[[j for _, j in pairs]]
        within = (first <= starts) & (starts < last)
        return np.concatenate([within, at[single] <= starts], axis=1)

    here = relations(source, [code.offset for code in codes])
    there = relations(target, places)
    return np.asarray((here[:, None] == there[None]).all(2), np.float32)
