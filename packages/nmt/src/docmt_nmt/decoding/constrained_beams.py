"""Beam search with constraints on each target sentence, for documents (Post and Vilar 2018, "Fast
lexically constrained decoding with dynamic beam allocation"; Hu et al. 2019, "Improved lexically
constrained decoding for translation and monolingual rewriting").

Beside the most probable continuations, each hypothesis proposes the tokens to begin or continue an
unmet constraint. The beam is divided among *banks*: hypotheses with the same number of constraint
tokens in the current sentence. So a hypothesis with an improbable term is not displaced by
hypotheses without the term. Beyond the papers:

- **Constraints are met by construction.** EOS is ruled out before all constraints are met, and so
  is every continuation that would leave too little of the sentence's maximum length.
- **Documents.** Banks count within the earliest current sentence of the instance's hypotheses. A
  hypothesis in a later sentence has met all constraints of the earliest one and is in the highest
  bank, so a document needs no more banks than the worst sentence.
- **A lower bank must be ahead in probability.** A hypothesis less probable than one of a higher
  bank competes in the higher bank. Where the best hypothesis has met the most constraints, the
  search equals unconstrained search.
- **Constraints begin where words end.** Where the system would hardly end the current word, such as
  in the middle of another translation of the term, a constraint that begins a word is ruled out,
  unless the maximum length leaves no choice.
- **A unit with constraints is done** when B hypotheses are finished and no open one has a better
  score than the last of the B. So hypotheses in a hurry to the end do not end the search.

Shapes: U open units, B hypotheses each, R = U · B, C proposals of a unit, E required tokens of a
hypothesis, S source sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from docmt_nmt.decoding.beams import Beams, Floats, Integers, Proposals
from docmt_nmt.decoding.constraints import NEVER
from docmt_nmt.decoding.term_constraints import TermConstraints
from docmt_nmt.nn.incremental.open_hypotheses import OpenHypotheses

if TYPE_CHECKING:
    from torch import Tensor

_NO_TOKEN = -1

_MIN_WORD_END = 0.3
"""The least probability of the end of the current word for a constraint to begin there."""


def order_by_bank(banks: Integers, valid: NDArray[np.bool_]) -> Integers:
    """The order of proposals in the beam: in turn one of each bank, beginning with the highest.

    Args:
        banks: (U, C) the bank of each proposal, from 0; the most probable proposals come first.
        valid: (U, C) True for proposals to choose from.

    Returns:
        (U, C) the indices of the proposals; invalid proposals are last.
    """
    # A proposal less probable than one of a higher bank competes in the higher bank.
    banks_so_far = np.maximum.accumulate(np.where(valid, banks, -1), axis=1)
    before = valid.cumsum(axis=1) - valid
    begins = np.diff(banks_so_far, axis=1, prepend=-2) > 0
    rank = before - np.maximum.accumulate(np.where(begins, before, 0), axis=1)
    order: Integers = np.lexsort((-banks_so_far, rank, ~valid), axis=1)
    return order


class ConstrainedBeams(Beams):
    """The hypotheses of all units, with constraints on sentences.

    Args:
        terms: the constraints of each source sentence, with no more tokens than the maximum length
            of the sentence.
        state, arguments, keys: as of `Beams`.
    """

    def __init__(
        self, terms: TermConstraints, state: OpenHypotheses, *arguments: Any, **keys: Any
    ) -> None:
        super().__init__(state, *arguments, needs=terms.needs, **keys)
        self._terms = terms
        first = (state.sentence + 1).tolist()
        self._progress = [terms.sentences[sentence].initial for sentence in first]
        ends = self._first_sentence.tolist(), (state.last_of_units + 1).tolist()
        self._is_constrained = [
            bool(terms.needs[first:end].any()) for first, end in zip(*ends, strict=True)
        ]
        edges = terms.edges
        self._within_words = (edges.begins | edges.ends).nonzero()[0]
        self._continuing = edges.begins
        self._sent: tuple[Any, Any] | None = None

    def propose(self, scores: Tensor | Floats) -> Any:
        """The 2B best continuations of each hypothesis, and the continuations with required tokens,
        best first: (U, C) each; see `Beams.propose`."""
        beam_size, units = self._state.beam_size, len(self._state.units)
        arrays, log_probabilities = self._constrain(scores)
        if self._sent is None:
            words = self._within_words, self._continuing
            within, continuing = (arrays.send(each, log_probabilities) for each in words)
            self._sent = within, continuing
        text, left = self._text_left()
        required = arrays.send(self._required(text), log_probabilities)  # (R, E)
        self._keep_words_whole(log_probabilities, required, left)
        needs = np.array([progress.need for progress in self._progress])
        if len(unmet := np.flatnonzero(text & (needs > 0))):
            end = self._special_tokens.target_end
            log_probabilities[arrays.send(unmet, log_probabilities), end] = NEVER
        required_gains = arrays.gather(log_probabilities, required.clip(0))
        self._close_words(log_probabilities, text, left)
        gains, tokens = arrays.top_k(log_probabilities, 2 * beam_size)
        proposed = (tokens[:, :, None] == required[:, None, :]).any(1)
        required_gains = arrays.masked(required_gains, proposed | (required < 0), NEVER)
        tokens = arrays.joined([tokens, required.clip(0)])  # (R, 2B + E)
        gains = arrays.joined([gains, required_gains])
        totals = arrays.send(self._totals.reshape(-1, 1), gains) + gains
        best, choice = arrays.ordered(totals.reshape(units, -1))
        return self._pack_choice(choice, tokens, best, gains)

    def _text_left(self) -> tuple[NDArray[np.bool_], Integers]:
        """(R,) whether the next token is text or EOS, and the tokens left of the sentence."""
        state, opening = self._state, len(self._special_tokens.target_opening)
        length = state.position - (opening - 1)
        text = ~state.sentence_ended & (length >= 0)
        return text, self._max_length() - length

    def _required(self, text: NDArray[np.bool_]) -> Integers:
        """(R, E) the tokens to begin or continue an unmet constraint, then `_NO_TOKEN`. Where the
        next token could lose a term, EOS is one of the required tokens."""
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

    def _keep_words_whole(self, log_probabilities: Any, required: Any, left: Integers) -> None:
        """Rule out the required tokens, (R, E), that would break off the current word, unless the
        tokens left of the sentence, (R,), may leave no other choice."""
        in_word = np.array([progress.in_word for progress in self._progress])
        most_next = np.array([progress.most_next for progress in self._progress])
        if not (free := in_word & (most_next < left)).any():
            return
        assert self._sent is not None
        arrays, (_, continuing) = self._arrays, self._sent
        continued = (np.e ** log_probabilities[:, continuing]).sum(1)
        broken = arrays.send(free, required) & (continued > 1 - _MIN_WORD_END)
        tokens = required.clip(0)
        ruled_out = broken[:, None] & (required >= 0) & ~continuing[tokens]
        gains = arrays.masked(arrays.gather(log_probabilities, tokens), ruled_out, NEVER)
        arrays.minimum_at(log_probabilities, tokens, gains)

    def _close_words(self, log_probabilities: Any, text: NDArray[np.bool_], left: Integers) -> None:
        """Force hypotheses to end the current word, where a constraint must begin after the word
        and a longer word could use up the tokens left of the sentence, (R,)."""
        closing = np.array([progress.closing for progress in self._progress])
        most_next = np.array([progress.most_next for progress in self._progress])
        rows: Integers = np.flatnonzero(closing & text & (most_next >= left))
        if len(rows):
            assert self._sent is not None
            index = self._arrays.send(rows, log_probabilities)
            log_probabilities[index[:, None], self._sent[0]] = NEVER

    def _choose(self, proposals: Proposals) -> tuple[Integers, Integers]:
        """Choose among the proposals by bank; see `Beams.extend`."""
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
        """(U, C) for each proposal: the progress after it, whether it can be chosen, the bank."""
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

    def _stops_early(self, unit: int) -> bool:
        # A hypothesis in a hurry to the end must not end the search.
        return not self._is_constrained[unit] and super()._stops_early(unit)

    def renew(self, places: Integers) -> None:
        for hypothesis in self._state.hypotheses_of(places).tolist():
            sentence = int(self._state.sentence[hypothesis]) + 1
            self._progress[hypothesis] = self._terms.sentences[sentence].initial
        super().renew(places)

    def keep(self, units: Integers) -> None:
        self._progress = [self._progress[r] for r in self._state.hypotheses_of(units).tolist()]
        super().keep(units)
