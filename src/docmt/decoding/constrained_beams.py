"""Beam search in which each target sentence contains what it must (Post and Vilar 2018, "Fast
lexically constrained decoding with dynamic beam allocation"; Hu et al. 2019, "Improved lexically
constrained decoding for translation and monolingual rewriting"), for documents.

Beside its most probable continuations, each hypothesis proposes the tokens that begin or continue
an unmet constraint. The beam is divided among *banks*: the hypotheses that have written as many
tokens of the constraints of their sentence. So those that have written an improbable term are not
displaced by those that have not. What this module does beyond the papers:

- **Constraints are met by construction.** EOS is ruled out as long as one is not met, and so is
  every continuation after which the sentence's maximum length would be too short for the rest.
- **Documents.** Banks count within the earliest sentence that a hypothesis of the instance is still
  in. Those that are further have met all of its constraints and share the highest bank, so that a
  document needs no more banks than its worst sentence.
- **A bank that is behind must be ahead in probability.** A hypothesis that is less probable than
  one that has met more competes in the bank of that one. Where the best hypothesis has met the
  most, the search is that without constraints.
- **A unit with constraints is done** when B hypotheses are finished and no open one has a better
  score than the last of them, so that those that hurry to their ends do not end the search.

Shapes: U open units, B hypotheses each, R = U · B, C proposals of a unit, E required tokens of a
hypothesis, S source sentences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt.decoding.beams import Beams, Integers, Proposals
from docmt.decoding.constraints import NEVER
from docmt.decoding.term_constraints import TermConstraints
from docmt.nn import BeamState
from docmt.nn.kernels.top_k import top_k
from docmt.nn.transfer import to_device

_NO_TOKEN = -1


def order_by_bank(banks: Integers, valid: NDArray[np.bool_]) -> Integers:
    """The order in which proposals get the places of a beam: in turn one of each bank, beginning
    with the highest.

    Args:
        banks: (U, C) the bank of each proposal, from 0; the most probable proposals come first.
        valid: (U, C) which can be chosen.

    Returns:
        (U, C) their indices; those that cannot be chosen are last.
    """
    # Who is less probable than one of a higher bank competes there.
    banks_so_far = np.maximum.accumulate(np.where(valid, banks, -1), axis=1)
    before = valid.cumsum(axis=1) - valid
    begins = np.diff(banks_so_far, axis=1, prepend=-2) > 0
    rank = before - np.maximum.accumulate(np.where(begins, before, 0), axis=1)
    order: Integers = np.lexsort((-banks_so_far, rank, ~valid), axis=1)
    return order


class ConstrainedBeams(Beams):
    """The open hypotheses of all units, whose sentences meet their constraints.

    Args:
        terms: the constraints of each source sentence; those of a sentence need no more tokens than
            its maximum length.
        state, arguments, keys: as of `Beams`.
    """

    def __init__(
        self, terms: TermConstraints, state: BeamState, *arguments: Any, **keys: Any
    ) -> None:
        super().__init__(state, *arguments, needs=terms.needs, **keys)
        self._terms = terms
        first = (state.sentence + 1).tolist()
        self._progress = [terms.sentences[sentence].initial for sentence in first]
        ends = self._first_sentence.tolist(), (state.last_sentence + 1).tolist()
        self._is_constrained = [
            bool(terms.needs[first:end].any()) for first, end in zip(*ends, strict=True)
        ]
        edges = terms.edges
        self._within_words = to_device((edges.begins | edges.ends).nonzero()[0], state.device)

    def propose(self, logits: Tensor) -> Tensor:
        """The 2B best continuations of each hypothesis and those with required tokens, best first:
        (4, U, C) int32; see `Beams.propose`."""
        beam_size, units = self._state.beam_size, len(self._state.units)
        scores = self._constrain(logits)
        text, left = self._text_left()
        needs = np.array([progress.need for progress in self._progress])
        if len(unmet := np.flatnonzero(text & (needs > 0))):
            scores[to_device(unmet, scores.device), self._special_tokens.target_end] = NEVER
        required = to_device(self._required(text), scores.device)  # (R, E)
        required_gains = scores.gather(1, required.clamp(min=0))
        self._close_words(scores, text, left)
        gains, tokens = top_k(scores, 2 * beam_size)
        proposed = (tokens[:, :, None] == required[:, None, :]).any(dim=1)
        required_gains = required_gains.masked_fill(proposed | (required < 0), NEVER)
        tokens = torch.cat([tokens, required.clamp(min=0)], dim=1)  # (R, 2B + E)
        gains = torch.cat([gains, required_gains], dim=1)
        totals = to_device(self._totals.reshape(-1, 1), scores.device) + gains
        best, choice = totals.view(units, -1).sort(dim=1, descending=True, stable=True)
        return self._pack_choice(choice, tokens, best, gains)

    def _text_left(self) -> tuple[NDArray[np.bool_], Integers]:
        """(R,) whether the next token is text or EOS, and how many more its sentence may have."""
        state, opening = self._state, len(self._special_tokens.target_opening)
        length = state.position - (opening - 1)
        text = ~state.sentence_ended & (length >= 0)
        return text, self._max_length() - length

    def _required(self, text: NDArray[np.bool_]) -> Integers:
        """(R, E) the tokens that begin or continue unmet constraints, `_NO_TOKEN` where there are
        no more. Where a term could be lost by the next token, EOS is one of them."""
        end = self._special_tokens.target_end
        tokens = [
            progress.next_tokens if progress.need or progress.is_met else (end,)
            for progress in self._progress
        ]
        tokens = [
            tokens_of_row if is_text else ()
            for tokens_of_row, is_text in zip(tokens, text, strict=True)
        ]
        required = np.full((len(tokens), max(map(len, tokens))), _NO_TOKEN)
        for row, tokens_of_row in zip(required, tokens, strict=True):
            row[: len(tokens_of_row)] = tokens_of_row
        return required

    def _close_words(self, scores: Tensor, text: NDArray[np.bool_], left: Integers) -> None:
        """Let hypotheses end a word, where a constraint must begin after it and its continuation
        may take too much of what is left of the sentence, (R,)."""
        closing = np.array([progress.closing for progress in self._progress])
        most_next = np.array([progress.most_next for progress in self._progress])
        rows: Integers = np.flatnonzero(closing & text & (most_next >= left))
        if len(rows):
            index = to_device(rows, scores.device)
            scores[index] = scores[index].index_fill_(1, self._within_words, NEVER)

    def _choose(self, proposals: Proposals) -> tuple[Integers, Integers]:
        """Choose among the proposals by their banks; see `Beams.extend`."""
        beam_size = self._state.beam_size
        units = np.arange(len(self._state.units))[:, None]
        parents = proposals.parents + beam_size * units
        progress, valid, banks = self._follow(parents, proposals)
        finishing = self._finishing(parents, proposals) & valid
        first = order_by_bank(banks, valid)[:, :beam_size]
        if finishing[units, first].any():
            chosen = proposals.at(units, first)
            self._finish(finishing[units, first], parents[units, first], chosen)
        valid &= ~finishing
        order = order_by_bank(banks, valid)[:, :beam_size]
        totals = np.where(valid, proposals.totals, np.float32(NEVER))[units, order]
        tokens, gains = proposals.tokens[units, order], proposals.gains[units, order]
        self._progress = progress[units, order].reshape(-1).tolist()
        return self._go_on(parents[units, order], tokens, totals, gains)

    def _follow(
        self, parents: Integers, proposals: Proposals
    ) -> tuple[NDArray[Any], NDArray[np.bool_], Integers]:
        """(U, C) the state after each proposal, whether it can be met, and its bank."""
        state, end = self._state, self._special_tokens.target_end
        text, left = self._text_left()
        of_text, ends = text[parents], (proposals.tokens == end) & text[parents]
        sentence = (state.sentence + state.sentence_ended)[parents] + ends
        valid = proposals.totals > NEVER
        reached: NDArray[Any] = np.array(self._progress, np.object_)[parents]
        is_met = np.array([progress.is_met for progress in self._progress])[parents]
        for i, k in np.argwhere(valid & of_text & ~is_met & ~ends).tolist():
            reached[i, k] = reached[i, k].after(int(proposals.tokens[i, k]))
        needs = np.array([progress.need for progress in reached.flat]).reshape(reached.shape)
        valid &= ~of_text | ends | (needs < left[parents])
        for i, k in np.argwhere(valid & ends & (sentence <= state.last_sentence[:, None])).tolist():
            reached[i, k] = self._terms.sentences[sentence[i, k]].initial
            needs[i, k] = reached[i, k].need
        far = np.iinfo(np.int64).max
        earliest = np.where(valid, sentence, far).min(axis=1, keepdims=True)
        all_met = np.append(self._terms.needs, 0)[np.minimum(earliest, len(self._terms.needs))]
        banks: Integers = np.where(sentence == earliest, all_met - needs, all_met)
        return reached, valid, banks

    def _finish(
        self, finishing: NDArray[np.bool_], parents: Integers, proposals: Proposals
    ) -> None:
        """Set aside what is finished; where there are constraints, the best are kept."""
        super()._finish(finishing, parents, proposals)
        for i in np.flatnonzero(finishing.any(axis=1)).tolist():
            if self._is_constrained[unit := int(self._state.units[i])]:
                best = sorted(self.finished[unit], key=lambda h: -h.score)
                self.finished[unit] = best[: self._state.beam_size]

    def _takes_more(self, unit: int) -> bool:
        # A hypothesis that hurries to its end with its terms is not to end the search.
        return self._is_constrained[unit] or super()._takes_more(unit)

    def _is_done(self, index: int) -> bool:
        unit = int(self._state.units[index])
        if not self._is_constrained[unit]:
            return super()._is_done(index)
        if len(self.finished[unit]) < self._state.beam_size:
            return False
        length = self._length(unit, len(self._steps) + 1)
        best = float(self._totals[index].max()) / length**self._length_penalty
        return bool(best <= self.finished[unit][-1].score)

    def keep(self, units: Integers) -> None:
        self._progress = [self._progress[r] for r in self._state.hypotheses_of(units).tolist()]
        super().keep(units)
