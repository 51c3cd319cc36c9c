"""`OpenHypotheses`: the host's bookkeeping of the open hypotheses of a search: sentences, positions
and units, whatever computes the steps. Nothing here needs torch.

Shapes: U open units with B hypotheses each, R = U · B hypotheses (hypothesis r belongs to open unit
r // B).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt_nmt.base.special_tokens import SpecialTokens

Integers = NDArray[np.int64]
"""Indices and counts, on the host."""


class OpenHypotheses:
    """The source sentence and the position of each open hypothesis: group tags follow the generated
    text (Bao et al. 2021, section 4.3).

    Attributes:
        beam_size: B.
        length: steps so far.
        tokens_read: (R,) the number of tokens that each hypothesis has read.
        sentence: (R,) the index of the hypothesis' source sentence; at first, the index before the
            unit's first sentence.
        position: (R,) the position of the last token in the sentence, from 0.
        sentence_ended: (R,) True if the last token ended a sentence; the next token begins one.
        last_sentence: (U,) the last sentence of each open unit.
        units: (U,) the index of each open unit among all units.
        waiting: the indices of the units that are not yet open, in the order of their turn.
        first_of_units, last_of_units: the first and the last sentence of each of all units.
        instance_of_units: the index of each unit's instance among all instances, of all units.
        open_instances: (U,) the index of each unit's instance among all instances.
        first_sentences: the first sentence of each instance.
    """

    beam_size: int
    length: int
    tokens_read: Integers
    sentence: Integers
    position: Integers
    sentence_ended: NDArray[np.bool_]
    last_sentence: Integers
    units: Integers
    waiting: Integers
    first_of_units: Integers
    last_of_units: Integers
    instance_of_units: Integers
    open_instances: Integers
    first_sentences: Integers

    def open(
        self,
        first: Integers,
        last: Integers,
        instances: Integers,
        beam_size: int,
        special_tokens: SpecialTokens,
        *,
        at_once: int | None = None,
    ) -> None:
        """Open units from the first to the last source sentence in these instances, one of each for
        all units.

        Args:
            at_once: the maximum number of open units; the others wait. Default: all.
        """
        self.beam_size, self.special_tokens = beam_size, special_tokens
        self.first_of_units, self.last_of_units, self.instance_of_units = first, last, instances
        self.length = 0
        every = np.arange(len(first))
        self.units, self.waiting = np.split(every, [len(first) if at_once is None else at_once])
        self.open_instances = instances[self.units]
        self.last_sentence = last[self.units]
        self.sentence = first[self.units].repeat(beam_size) - 1
        self.position = np.full_like(self.sentence, -1)
        self.tokens_read = np.zeros_like(self.sentence)
        self.sentence_ended = np.ones(len(self.sentence), np.bool_)

    def follow(self, tokens: ArrayLike) -> None:
        """Take note of the new tokens, (R,) token ids, one for each hypothesis."""
        begins = self.sentence_ended
        self.sentence = self.sentence + begins
        self.position = np.where(begins, 0, self.position + 1)
        # A token that opens a sentence may be the one that ends it.
        inside = self.position >= len(self.special_tokens.target_opening)
        self.sentence_ended = (np.asarray(tokens) == self.special_tokens.target_end) & inside
        self.length, self.tokens_read = self.length + 1, self.tokens_read + 1

    def pick(self, hypotheses: Integers) -> None:
        """Keep the bookkeeping of these hypotheses, in this order."""
        self.sentence, self.position = self.sentence[hypotheses], self.position[hypotheses]
        self.sentence_ended = self.sentence_ended[hypotheses]
        self.tokens_read = self.tokens_read[hypotheses]

    def keep_open(self, units: Integers) -> None:
        """Keep these open units, by index among the open units."""
        self.pick(self.hypotheses_of(units))
        self.units, self.last_sentence = self.units[units], self.last_sentence[units]
        self.open_instances = self.open_instances[units]

    def open_next(self, places: Integers) -> None:
        """Open the next waiting units, in the places of these finished ones, by index among the
        open units."""
        units, self.waiting = np.split(self.waiting, [len(places)])
        hypotheses = self.hypotheses_of(places)
        self.units[places], self.last_sentence[places] = units, self.last_of_units[units]
        self.open_instances[places] = self.instance_of_units[units]
        self.sentence[hypotheses] = self.first_of_units[units].repeat(self.beam_size) - 1
        self.position[hypotheses], self.sentence_ended[hypotheses] = -1, True
        self.tokens_read[hypotheses] = 0

    @property
    def tokens_read_by_unit(self) -> Integers:
        """(U,) the number of tokens that each hypothesis of a unit has read."""
        return self.tokens_read[:: self.beam_size]

    def hypotheses_of(self, units: Integers) -> Integers:
        """The indices of the hypotheses of these open units."""
        return (units[:, None] * self.beam_size + np.arange(self.beam_size)).reshape(-1)
