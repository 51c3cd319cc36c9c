"""`AlignedSentence`: a sentence and its translation, whose words look at each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from docmt.alignment.links import Links, grow_diag_final_and

Words = tuple[Sequence[str], Sequence[str]]
"""The words of a source sentence and of the translation."""


class AlignedSentence(NamedTuple):
    """A sentence, the translation, and the attention weights of their word pairs.

    Attributes:
        source, target: their words.
        weights: (source words, target words) share of each target word's attention given to each
            source word. Attention to special tokens is left out.
    """

    source: Sequence[str]
    target: Sequence[str]
    weights: NDArray[np.float32]

    def links(self, *, symmetrize: bool = False, min_weight: float = 0.0) -> Links:
        """The links between the words, as pairs of the index of a source and of a target word.

        Args:
            symmetrize: link each target word to the source word with the most attention from it,
                and each source word to the target word with the most attention to it, and combine
                the two by grow-diag-final-and. Default: the former alone.
            min_weight: a link needs a weight of more than this.
        """
        forward = self._strongest(self.weights, min_weight)
        if not symmetrize:
            return frozenset((i, j) for j, i in forward)
        backward = self._strongest(self.weights.T, min_weight)
        return grow_diag_final_and(frozenset((i, j) for j, i in forward), frozenset(backward))

    @staticmethod
    def _strongest(weights: NDArray[np.float32], min_weight: float) -> list[tuple[int, int]]:
        """The index of each column and of the highest row in it, where the value is above a
        limit."""
        if not weights.size:
            return []
        rows = weights.argmax(0)
        return [
            (column, int(row))
            for column, row in enumerate(rows)
            if weights[row, column] > min_weight
        ]
