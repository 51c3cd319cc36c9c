"""`Beams`: the open and the finished hypotheses of beam search. One pass writes all sentences of a
document, one for each source sentence (Bao et al. 2021, section 4.3).

A unit is written in one pass: an instance or, in systems that write each sentence on its own, a
sentence.

Every hypothesis has a position of its own. After an EOS the BOS of the next sentence follows at no
cost; the EOS of a unit's last sentence finishes the hypothesis. A sentence has at least one token.
At the maximum length of the sentence, or at the last learned position, EOS is forced at no cost.

The device proposes continuations and the host chooses: `Beams.extend` reads the proposals once a
step, the only time at which search waits for the device. Where the scores are on the host, both are
done by NumPy (`docmt_nmt.decoding.host_arrays`).

Shapes: U open units, B hypotheses each, R = U · B hypotheses, V tokens of the vocabulary, C
candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.decoding import host_arrays
from docmt_nmt.decoding.constraints import NEVER, Constraints, force, not_finite_error
from docmt_nmt.decoding.host_arrays import ArrayFunctions
from docmt_nmt.decoding.limits import TargetPositions, TargetRoom
from docmt_nmt.nn.incremental.open_hypotheses import OpenHypotheses

if TYPE_CHECKING:
    from torch import Tensor

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished translation of an instance.

    Attributes:
        sentences: token ids of each sentence, without special tokens.
        log_probabilities: natural log-probability of each sentence, EOS included.
        truncated: for each sentence whether it was truncated at the maximum length.
        score: the criterion of beam search: log-probability over length to the power of the length
            penalty.
    """

    sentences: tuple[tuple[int, ...], ...]
    log_probabilities: tuple[float, ...]
    truncated: tuple[bool, ...]
    score: float

    @classmethod
    def empty(cls, sentences: int) -> Hypothesis:
        """Return a hypothesis of so many empty sentences."""
        return cls(((),) * sentences, (0.0,) * sentences, (False,) * sentences, 0.0)

    @property
    def values(self) -> list[Any]:
        """The hypothesis as JSON values."""
        return [self.sentences, self.log_probabilities, self.truncated, self.score]

    @classmethod
    def of_values(cls, values: Sequence[Any]) -> Hypothesis:
        """Return the hypothesis with these `values`.

        Raises:
            TypeError, ValueError: the values are not a hypothesis.
        """
        sentences, log_probabilities, truncated, score = values
        return cls(
            tuple(tuple(map(int, sentence)) for sentence in sentences),
            tuple(map(float, log_probabilities)),
            tuple(map(bool, truncated)),
            float(score),
        )

    def without_first(self, count: int) -> Hypothesis:
        """A view without the first sentences."""
        if not count:
            return self
        log_probabilities, truncated = self.log_probabilities[count:], self.truncated[count:]
        return Hypothesis(self.sentences[count:], log_probabilities, truncated, self.score)

    def after_empty(self, count: int) -> Hypothesis:
        """Return the hypothesis after so many empty sentences."""
        before = Hypothesis.empty(count)
        return Hypothesis(
            before.sentences + self.sentences,
            before.log_probabilities + self.log_probabilities,
            before.truncated + self.truncated,
            self.score,
        )


def filling_gaps(kept: Integers) -> Integers:
    """Reorder ascending indices of kept units so that most keep their slots: the last units move
    into the gaps."""
    order = np.arange(len(kept))
    stays = np.isin(order, kept)
    order[~stays] = kept[kept >= len(kept)]
    return order


def _as_written(
    given: Sequence[Sequence[Sequence[int]]], special_tokens: SpecialTokens, units: int
) -> Integers:
    """(units, steps) the given tokens of each unit, up to the BOS of the first sentence to decode;
    then -1."""
    opening, end = special_tokens.target_opening, special_tokens.target_end
    rows = [
        [t for s in sentences for t in (*opening, *s, end)][1:] + [opening[0]] * bool(sentences)
        for sentences in given or [()] * units
    ]
    tokens = np.full((units, max(map(len, rows), default=0)), -1)
    for row, tokens_of_row in zip(tokens, rows, strict=True):
        row[: len(tokens_of_row)] = tokens_of_row
    return tokens


def _log_probabilities(scores: Tensor | Floats) -> tuple[ArrayFunctions, Any]:
    """Log-probabilities, (R, V), and the functions of arrays where they are; see `Beams.extend`."""
    if isinstance(scores, np.ndarray):
        return host_arrays, scores
    log_probabilities = scores.float().log_softmax(dim=1)
    if log_probabilities.device.type == "cpu":
        return host_arrays, log_probabilities.numpy()
    from docmt_nmt.decoding import device_arrays

    return device_arrays, log_probabilities


class Proposals(NamedTuple):
    """The best continuations of each unit, best first, on the host.

    Attributes:
        parents: (U, C) the index of the continued hypothesis in the unit.
        tokens: (U, C) the next token.
        totals: (U, C) log-probability of all tokens.
        gains: (U, C) log-probability of the next token.
    """

    parents: Integers
    tokens: Integers
    totals: Floats
    gains: Floats

    def at(self, units: Integers, indices: Integers) -> Proposals:
        """The proposals of units at these indices."""
        parents, tokens = self.parents[units, indices], self.tokens[units, indices]
        return Proposals(parents, tokens, self.totals[units, indices], self.gains[units, indices])


class Beams:
    """The open hypotheses of all units, and the finished ones.

    Each step is kept as one table, (parents, tokens, log-probabilities); a finished hypothesis is
    read back from the last step to the first.

    Args:
        special_tokens, given: as of `search`.
        max_lengths, length_penalty, early_stopping, banned: see `SearchLimits`.
        positions: the learned target positions; see `TargetRoom`.
        needs: the number of tokens for the constraints of each source sentence; default: 0.

    Attributes:
        last: (R,) the last token of every hypothesis, on the host.
    """

    def __init__(
        self,
        state: OpenHypotheses,
        special_tokens: SpecialTokens,
        *,
        max_lengths: ArrayLike,
        length_penalty: float = 1.0,
        early_stopping: bool = True,
        banned: Sequence[int] = (),
        given: Sequence[Sequence[Sequence[int]]] = (),
        positions: TargetPositions | None = None,
        needs: Integers | None = None,
    ) -> None:
        self._state, self._special_tokens = state, special_tokens
        self._arrays: ArrayFunctions = host_arrays
        self._length_penalty = length_penalty
        self._early_stopping = early_stopping or state.beam_size == 1
        self._constraints = Constraints(special_tokens, banned)
        units = len(state.first_of_units)
        self._first_sentence = state.first_of_units
        last = np.arange(len(np.asarray(max_lengths)))  # (S,)
        for first, end in zip(self._first_sentence, state.last_of_units, strict=True):
            last[first : end + 1] = end
        self._room = TargetRoom(max_lengths, special_tokens, positions, last, needs)
        self._given = _as_written(given, special_tokens, units)  # (all units, steps)
        self._given_lengths = (self._given >= 0).sum(axis=1)
        # At first all hypotheses of a unit are equal, so only one is alive.
        self._totals = np.full((len(state.units), state.beam_size), NEVER, np.float32)
        self._totals[:, 0] = 0.0
        self.last = np.full(self._totals.size, special_tokens.target_begin)
        self._steps: list[tuple[Integers, Integers, Floats]] = []
        self.finished: list[list[Hypothesis]] = [[] for _ in range(units)]

    def extend(self, scores: Tensor | Floats) -> tuple[Integers, Integers]:
        """Continue the best hypotheses by one token, and set finished hypotheses aside.

        Args:
            scores: (R, V) of the next token: logits in a tensor, or log-probabilities in an array
                of the host, which is changed.

        Returns:
            (R,) the parent of each new hypothesis, and the indices of the unfinished units; on the
            host.

        Raises:
            InputError: the scores are not finite.
        """
        return self._choose(self._read(self.propose(scores)))

    def propose(self, scores: Tensor | Floats) -> Any:
        """The 2B best continuations of each unit, (U, 2B) each, or the best of a single hypothesis:
        the fields of `Proposals`, packed by the functions of arrays where the scores are."""
        arrays, log_probabilities = self._constrain(scores)
        beam_size, units = self._state.beam_size, len(self._state.units)
        before = arrays.send(self._totals.reshape(-1, 1), log_probabilities)  # (R, 1)
        if beam_size == 1:
            # A unit ends with its only hypothesis, so no second continuation is needed.
            gains, tokens = arrays.top_k(log_probabilities, 1)
            parents = arrays.send(np.zeros((units, 1), np.int64), tokens)
            return arrays.packed(parents, tokens, before + gains, gains)
        gains, tokens = arrays.top_k(log_probabilities, 2 * beam_size)  # (R, C)
        totals = before + gains
        # (U, B · C), of which (U, 2B) are chosen
        best, choice = arrays.top_k(totals.reshape(units, -1), 2 * beam_size)
        return self._pack_choice(choice, tokens, best, gains)

    def _pack_choice(self, choice: Any, tokens: Any, totals: Any, gains: Any) -> Any:
        """Pack chosen continuations, (U, n) with their totals, of tokens and gains, (R, C)."""
        arrays, units = self._arrays, len(choice)
        chosen_tokens = arrays.gather(tokens.reshape(units, -1), choice)
        chosen_gains = arrays.gather(gains.reshape(units, -1), choice)
        return arrays.packed(choice // tokens.shape[1], chosen_tokens, totals, chosen_gains)

    def _constrain(self, scores: Tensor | Floats) -> tuple[ArrayFunctions, Any]:
        """The functions of arrays where the scores are, and the log-probabilities, (R, V), under
        the constraints; 0 for a forced token."""
        state = self._state
        self._arrays, log_probabilities = _log_probabilities(scores)
        arrays = self._arrays
        self._constraints.apply(arrays, log_probabilities, state.position, self._max_length())
        begin = self._special_tokens.target_begin
        force(arrays, log_probabilities, state.sentence_ended, begin)
        steps, given = state.tokens_read_by_unit - 1, self._given.shape[1]
        if (steps < given).any():
            known = self._given[state.units, np.minimum(steps, given - 1)]
            tokens = np.where(steps < given, known, -1).repeat(state.beam_size)
            rows, tokens = arrays.send(
                np.stack([(tokens >= 0).nonzero()[0], tokens[tokens >= 0]]), log_probabilities
            )
            log_probabilities[rows] = NEVER
            log_probabilities[rows, tokens] = 0.0
        return arrays, log_probabilities

    def _max_length(self) -> Integers:
        """(R,) the maximum length of the current sentence of each hypothesis."""
        state = self._state
        return self._room.max_lengths(state.sentence, state.tokens_read - 1 - state.position)

    def _length(self, unit: int, written: int) -> int:
        """The length in a score: given tokens do not count."""
        return written - int(self._given_lengths[unit])

    def _read(self, proposed: Any) -> Proposals:
        """Read the proposals back from the device.

        Raises:
            InputError: logits are not finite; no search could end.
        """
        proposals = Proposals(*self._arrays.read(proposed))
        # A logit of NaN or infinity, or -inf for every token, makes the whole row NaN, which is
        # among the largest values.
        if np.isnan(proposals.totals).any():
            raise not_finite_error()
        return proposals

    def _choose(self, proposals: Proposals) -> tuple[Integers, Integers]:
        """Choose among the proposals; see `extend`."""
        beam_size = self._state.beam_size
        units = np.arange(len(self._state.units))[:, None]
        # From an index in the unit to an index among all hypotheses.
        parents = proposals.parents + beam_size * units
        # Set finished hypotheses aside, if they are among the best B proposals: less probable ones
        # are outside of the beam.
        finishing = self._finishing(parents, proposals)
        if not np.count_nonzero(finishing):
            tokens, totals = proposals.tokens[:, :beam_size], proposals.totals[:, :beam_size]
            gains = proposals.gains[:, :beam_size]
            return self._go_on(parents[:, :beam_size], tokens, totals, gains)
        self._finish(finishing[:, :beam_size], parents, proposals)
        # Go on with the best B of the others, best first. Of 2B continuations at most B finish,
        # for each hypothesis has one EOS.
        order = finishing.argsort(axis=1, kind="stable")[:, :beam_size]
        totals = np.where(finishing, np.float32(NEVER), proposals.totals)
        tokens, gains = proposals.tokens[units, order], proposals.gains[units, order]
        return self._go_on(parents[units, order], tokens, totals[units, order], gains)

    def _finishing(self, parents: Integers, proposals: Proposals) -> NDArray[np.bool_]:
        """(U, C) True for each proposal of EOS in the last sentence of the unit."""
        state = self._state
        ends: NDArray[np.bool_] = proposals.tokens == self._special_tokens.target_end
        if not np.count_nonzero(ends):
            return ends
        at_last = state.sentence[parents] == state.last_sentence[:, None]
        finishing: NDArray[np.bool_] = ends & at_last & (proposals.totals > NEVER)
        return finishing

    def _go_on(
        self, parents: Integers, tokens: Integers, totals: Floats, gains: Floats
    ) -> tuple[Integers, Integers]:
        """Continue with these hypotheses, (U, B); see `extend`."""
        self._totals = totals
        # A continuation of probability 0 is dead. The unit's first live hypothesis is fed twice in
        # its place, so that no position beyond the learned ones is read.
        dead = totals == NEVER
        if has_dead := np.count_nonzero(dead):
            columns = np.where(dead, (~dead).argmax(axis=1)[:, None], np.arange(dead.shape[1]))
            rows = np.arange(len(dead))[:, None]
            parents, tokens = parents[rows, columns], tokens[rows, columns]
            gains = gains[rows, columns]
        chosen, self.last = parents.reshape(-1), tokens.reshape(-1)
        # Keep the step, for `_trace`.
        self._steps.append((chosen, self.last, gains.reshape(-1)))
        # A unit ends with enough good finished hypotheses, or with no live one.
        done = [index for index in range(len(dead)) if self._is_done(index)]
        if not (done or has_dead):
            return chosen, np.arange(len(dead))
        over = dead.all(axis=1)
        over[done] = True
        return chosen, (~over).nonzero()[0]

    def _stops_early(self, unit: int) -> bool:
        """Return whether a unit, by index among all units, is done with B finished hypotheses,
        whatever the scores of the open ones are."""
        del unit
        return self._early_stopping

    def _is_done(self, index: int) -> bool:
        """Return whether the search of a unit, by index among the open units, is over."""
        unit = int(self._state.units[index])
        finished = self.finished[unit]
        if len(finished) < self._state.beam_size:
            return False
        if self._stops_early(unit):
            return True
        length = self._length(unit, int(self._state.tokens_read_by_unit[index]))
        best = float(self._totals[index].max()) / length**self._length_penalty
        return bool(best <= min(hypothesis.score for hypothesis in finished))

    def results(self) -> list[list[Hypothesis]]:
        """The finished hypotheses of all units, best first.

        Raises:
            InputError: a unit has none: logits were not finite.
        """
        if not all(self.finished):
            raise not_finite_error()
        return [sorted(unit, key=lambda h: -h.score) for unit in self.finished]

    def _finish(
        self, finishing: NDArray[np.bool_], parents: Integers, proposals: Proposals
    ) -> None:
        """Set finished hypotheses, (U, B), aside: the first B, or the best B."""
        for i, k in zip(*(index.tolist() for index in finishing.nonzero()), strict=True):
            unit = int(self._state.units[i])
            finished = self.finished[unit]
            if self._stops_early(unit) and len(finished) == self._state.beam_size:
                continue
            steps = int(self._state.tokens_read_by_unit[i]) - 1
            written = self._trace(int(parents[i, k]), steps)
            written.append((self._special_tokens.target_end, float(proposals.gains[i, k])))
            length = self._length(unit, len(written))
            score = float(proposals.totals[i, k]) / length**self._length_penalty
            first = int(self._first_sentence[unit])
            finished.append(self._hypothesis(written, score, first))
            if len(finished) > self._state.beam_size:
                finished.remove(min(finished, key=lambda hypothesis: hypothesis.score))

    def _trace(self, hypothesis: int, steps: int) -> list[tuple[int, float]]:
        """The tokens of a hypothesis in the last steps, with log-probabilities."""
        written = []
        for parents, tokens, gains in reversed(self._steps[len(self._steps) - steps :]):
            written.append((int(tokens[hypothesis]), float(gains[hypothesis])))
            hypothesis = int(parents[hypothesis])
        return written[::-1]

    def _hypothesis(
        self, written: Sequence[tuple[int, float]], score: float, first: int
    ) -> Hypothesis:
        """Cut the tokens of a unit into sentences; `first` is the unit's first sentence."""
        sentences: list[list[int]] = [[]]
        sums = [0.0]
        opening = len(self._special_tokens.target_prefix)  # opening tokens before the text
        for token, gain in written[:-1]:
            sums[-1] += gain
            if opening:
                opening -= 1
            elif token == self._special_tokens.target_end:
                sentences.append([])
                sums.append(0.0)
                opening = len(self._special_tokens.target_opening)
            else:
                sentences[-1].append(token)
        sums[-1] += written[-1][1]
        truncated = self._room.truncated(first, [len(s) for s in sentences])
        return Hypothesis(tuple(map(tuple, sentences)), tuple(sums), truncated, score)

    def renew(self, places: Integers) -> None:
        """Begin the units that have taken these places among the open units."""
        self._totals, self.last = self._totals.copy(), self.last.copy()
        self._totals[places] = NEVER
        self._totals[places, 0] = 0.0
        self.last[self._state.hypotheses_of(places)] = self._special_tokens.target_begin

    def keep(self, units: Integers) -> None:
        """Keep these units, by index among the open units, and forget the others."""
        hypotheses = self._state.hypotheses_of(units)
        self._totals, self.last = self._totals[units], self.last[hypotheses]
        parents, tokens, gains = self._steps[-1]
        self._steps[-1] = parents[hypotheses], tokens[hypotheses], gains[hypotheses]
