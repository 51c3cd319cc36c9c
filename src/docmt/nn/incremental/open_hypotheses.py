"""`OpenHypotheses`: the host's bookkeeping of the open hypotheses of a search: sentences, positions
and units, whatever computes the steps. Nothing here needs torch.

Shapes: U open units with B hypotheses each, R = U · B hypotheses (hypothesis r belongs to open unit
r // B).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt.ground.special_tokens import SpecialTokens

Integers = NDArray[np.int64]
"""Indices and counts, on the host."""


class OpenHypotheses:
    """The source sentence and the position of each open hypothesis: group tags follow the generated
    text (Bao et al. 2021, section 4.3).

    Attributes:
        beam_size: B.
        length: tokens read so far; the same for every hypothesis.
        sentence: (R,) the index of the hypothesis' source sentence; at first, the index before the
            unit's first sentence.
        position: (R,) the position of the last token in the sentence, from 0.
        sentence_ended: (R,) True if the last token ended a sentence; the next token begins one.
        last_sentence: (U,) the last sentence of each open unit.
        units: (U,) the index of each open unit among all units.
        open_instances: (U,) the index of each unit's instance among all instances.
        first_sentences: the first sentence of each instance.
    """

    beam_size: int
    length: int
    sentence: Integers
    position: Integers
    sentence_ended: NDArray[np.bool_]
    last_sentence: Integers
    units: Integers
    open_instances: Integers
    first_sentences: Integers

    def open(
        self, first: Integers, last: Integers, beam_size: int, special_tokens: SpecialTokens
    ) -> None:
        """Open units from the first to the last source sentence, (U,) each."""
        self.beam_size, self.special_tokens = beam_size, special_tokens
        self.length = 0
        self.last_sentence = last
        self.units = np.arange(len(first))
        self.sentence = first.repeat(beam_size) - 1
        self.position = np.full_like(self.sentence, -1)
        self.sentence_ended = np.ones(len(self.sentence), np.bool_)

    def follow(self, tokens: ArrayLike) -> None:
        """Take note of the new tokens, (R,) token ids, one for each hypothesis."""
        begins = self.sentence_ended
        self.sentence = self.sentence + begins
        self.position = np.where(begins, 0, self.position + 1)
        # A token that opens a sentence may be the one that ends it.
        inside = self.position >= len(self.special_tokens.target_opening)
        self.sentence_ended = (np.asarray(tokens) == self.special_tokens.target_end) & inside
        self.length += 1

    def pick(self, hypotheses: Integers) -> None:
        """Keep the bookkeeping of these hypotheses, in this order."""
        self.sentence, self.position = self.sentence[hypotheses], self.position[hypotheses]
        self.sentence_ended = self.sentence_ended[hypotheses]

    def keep_open(self, units: Integers) -> None:
        """Keep these open units, by index among the open units."""
        self.pick(self.hypotheses_of(units))
        self.units, self.last_sentence = self.units[units], self.last_sentence[units]

    def hypotheses_of(self, units: Integers) -> Integers:
        """The indices of the hypotheses of these open units."""
        return (units[:, None] * self.beam_size + np.arange(self.beam_size)).reshape(-1)
