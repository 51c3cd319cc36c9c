"""Beam search over whole instances: one left-to-right pass writes all sentences of a document,
exactly one for each source sentence (Bao et al. 2021, section 4.3).

Systems that write each sentence on its own are searched for all sentences at once, each with its
beam: what is written in one pass, an instance or a sentence, is called a unit here.

Every hypothesis is at its own position. After an EOS the BOS of the next sentence follows at no
cost; the EOS of a unit's last sentence finishes the hypothesis. A sentence has at least one token
and at most as many as its source sentence allows, where the EOS is forced at no cost.

The device proposes continuations and the host chooses: `Beams.extend` reads the proposals once a
step, which is the only time that search waits for the device.

Shapes: U open units, B hypotheses each, R = U · B hypotheses, V tokens of the vocabulary, C
candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from docmt.decoding.constraints import NEVER, Constraints, force, not_finite_error
from docmt.nn import BeamState
from docmt.nn.batch import Packed
from docmt.nn.transfer import to_device
from docmt.special_tokens import SpecialTokens
from docmt.systems.base import System

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished translation of an instance.

    Attributes:
        sentences: token ids of each sentence, without special tokens.
        log_probabilities: natural log-probability of each sentence, its EOS included.
        truncated: for each sentence whether it was truncated at its maximum length.
        score: what it was chosen by: log-probability over length to the length penalty.
    """

    sentences: tuple[tuple[int, ...], ...]
    log_probabilities: tuple[float, ...]
    truncated: tuple[bool, ...]
    score: float


@torch.inference_mode()
def search(
    system: System,
    source: Packed,
    special_tokens: SpecialTokens,
    *,
    beam_size: int,
    max_lengths: ArrayLike,
    length_penalty: float = 1.0,
    banned: Sequence[int] = (),
) -> list[list[Hypothesis]]:
    """Translate packed instances.

    Args:
        system: in eval mode.
        source: the instances, with special tokens.
        special_tokens: the tokens around target sentences.
        beam_size: B; 1 is greedy search.
        max_lengths: (S,) the most tokens each sentence's translation may have, EOS not counted; on
            the host.
        length_penalty: the power of the length, counted in tokens with special tokens (the first
            BOS apart), that a finished hypothesis' log-probability is divided by.
        banned: token ids that are never text.

    Returns:
        For each instance its B finished hypotheses (fewer where fewer exist), best first.

    Raises:
        InputError: the system's logits are not finite.
    """
    state = BeamState(system.encode(source), beam_size, special_tokens, one_pass=system.one_pass)
    beams = Beams(
        state, special_tokens, max_lengths=max_lengths, length_penalty=length_penalty,
        banned=banned,
    )  # fmt: skip
    while True:
        logits = system.step(beams.last, state)  # (R, V)
        parents, unfinished = beams.extend(logits.float())
        if not len(unfinished):
            break
        if beam_size > 1:
            state.select(parents)
        if len(unfinished) < len(state.units):
            order = filling_gaps(unfinished)
            state.keep(order)
            beams.keep(order)
    if not all(beams.finished):
        raise not_finite_error()
    found = [sorted(unit, key=lambda h: -h.score) for unit in beams.finished]
    if system.one_pass:
        return found
    return [_joined(found[first:last]) for first, last in pairwise(source.first_sentences.tolist())]


def _joined(sentences: Sequence[Sequence[Hypothesis]]) -> list[Hypothesis]:
    """The hypotheses of an instance made of those of its sentences: the k-th is made of the k-th of
    each, or of the last of one that has fewer. Its score is their mean."""
    depth = max(map(len, sentences))
    made = []
    for k in range(depth):
        chosen = [found[min(k, len(found) - 1)] for found in sentences]
        made.append(
            Hypothesis(
                tuple(h.sentences[0] for h in chosen),
                tuple(h.log_probabilities[0] for h in chosen),
                tuple(h.truncated[0] for h in chosen),
                mean(h.score for h in chosen),
            )
        )
    return made


def filling_gaps(kept: Integers) -> Integers:
    """Ascending indices of what is kept in an order in which most stay where they are: the last
    move to where some are missing."""
    order = np.arange(len(kept))
    stays = np.isin(order, kept)
    order[~stays] = kept[kept >= len(kept)]
    return order


class Proposals(NamedTuple):
    """The best continuations of each unit, best first, on the host.

    Attributes:
        parents: (U, C) the hypothesis continued, by its index in its unit.
        tokens: (U, C) the token it is continued by.
        totals: (U, C) log-probability of all tokens.
        gains: (U, C) log-probability of the last.
    """

    parents: Integers
    tokens: Integers
    totals: Floats
    gains: Floats


class Beams:
    """The open hypotheses of all units, and the finished ones.

    What was written is kept as one table per step, (parents, tokens, log-probabilities), and
    followed back from the end when a hypothesis is finished.

    Args:
        state: the decoding state.
        special_tokens, max_lengths, length_penalty, banned: as of `search`.

    Attributes:
        last: (R,) the last token of every hypothesis, on the host.
        finished: the finished hypotheses of all units.
    """

    def __init__(
        self,
        state: BeamState,
        special_tokens: SpecialTokens,
        *,
        max_lengths: ArrayLike,
        length_penalty: float,
        banned: Sequence[int],
    ) -> None:
        self._state, self._special_tokens = state, special_tokens
        self._max_lengths = np.asarray(max_lengths)
        self._length_penalty = length_penalty
        self._constraints = Constraints(special_tokens, banned, state.device)
        units = len(state.units)
        self._first_sentence = state.sentence.reshape(units, -1)[:, 0] + 1  # (U,) of all units
        # Only one hypothesis is alive at first: all are equal.
        self._totals = np.full((units, state.beam_size), NEVER, np.float32)
        self._totals[:, 0] = 0.0
        self.last = np.full(units * state.beam_size, special_tokens.target_begin)
        self._steps: list[tuple[Integers, Integers, Floats]] = []
        self.finished: list[list[Hypothesis]] = [[] for _ in range(units)]

    def extend(self, logits: Tensor) -> tuple[Integers, Integers]:
        """Continue the best hypotheses by one token and set aside those that are finished.

        Args:
            logits: (R, V) of the next token; they are changed in place.

        Returns:
            (R,) the hypothesis each new one continues, and the indices of the units that go on; on
            the host.
        """
        return self._choose(self._read(self.propose(logits)))

    def propose(self, logits: Tensor) -> Tensor:
        """The 2B best continuations of each unit, (4, U, 2B) int32, on the device: the fields of
        `Proposals`, of which the log-probabilities are given bit by bit."""
        state, beam_size, units = self._state, self._state.beam_size, len(self._state.units)
        max_length = self._max_lengths[state.sentence]
        normalizer = self._constraints.apply(logits, state.position, max_length)
        # What must follow has the log-probability 0.
        force(logits, state.sentence_ended, self._special_tokens.target_begin, normalizer)
        gains, tokens = logits.topk(min(2 * beam_size, logits.shape[1]), dim=1)  # (R, C)
        gains = gains - normalizer[:, None]
        totals = to_device(self._totals.reshape(-1, 1), logits.device) + gains
        paths = totals.view(units, -1)  # (U, B · C)
        best, choice = paths.topk(min(2 * beam_size, paths.shape[1]), dim=1)  # (U, 2B)
        own_tokens = tokens.view(units, -1).gather(1, choice)
        own_gains = gains.view(units, -1).gather(1, choice)
        parents = choice // tokens.shape[1]
        floats = (best.view(torch.int32), own_gains.contiguous().view(torch.int32))
        return torch.stack([parents.int(), own_tokens.int(), *floats])

    @staticmethod
    def _read(proposed: Tensor) -> Proposals:
        """Read the proposals back from the device.

        Raises:
            InputError: the logits were not finite. No search could end by them.
        """
        parents, tokens, totals, gains = proposed.cpu().numpy()
        floats = totals.view(np.float32), gains.view(np.float32)
        # A logit that is NaN or infinite, or -inf for every token, makes all of its row NaN, which
        # `topk` puts first.
        if np.isnan(floats[0]).any():
            raise not_finite_error()
        return Proposals(parents.astype(np.int64), tokens.astype(np.int64), *floats)

    def _choose(self, proposals: Proposals) -> tuple[Integers, Integers]:
        """Choose among the proposals; see `extend`."""
        state, beam_size = self._state, self._state.beam_size
        units = np.arange(len(state.units))[:, None]
        parents = proposals.parents + beam_size * units
        at_last = state.sentence[parents] == state.last_sentence[:, None]
        ends = proposals.tokens == self._special_tokens.target_end
        finishing = ends & at_last & (proposals.totals > NEVER)
        if finishing[:, :beam_size].any():
            self._finish(finishing[:, :beam_size], parents, proposals)
        # The best B that go on, in their order.
        order = finishing.argsort(axis=1, kind="stable")[:, :beam_size]
        self._totals = np.where(finishing, np.float32(NEVER), proposals.totals)[units, order]
        chosen = parents[units, order].reshape(-1)
        # A hypothesis that leads nowhere is fed a token that ends nothing.
        filler = 0 if self._special_tokens.target_end else 1
        dead = self._totals == NEVER
        self.last = np.where(dead, filler, proposals.tokens[units, order]).reshape(-1)
        self._steps.append((chosen, self.last, proposals.gains[units, order].reshape(-1)))
        done = [len(self.finished[unit]) >= beam_size for unit in state.units.tolist()]
        return chosen, (~(np.array(done) | dead.all(axis=1))).nonzero()[0]

    def _finish(
        self, finishing: NDArray[np.bool_], parents: Integers, proposals: Proposals
    ) -> None:
        """Set aside the hypotheses, (U, B), that the last EOS finishes."""
        for i, k in zip(*(index.tolist() for index in finishing.nonzero()), strict=True):
            unit = int(self._state.units[i])
            if len(self.finished[unit]) == self._state.beam_size:
                continue
            written = self._trace(int(parents[i, k]))
            written.append((self._special_tokens.target_end, float(proposals.gains[i, k])))
            score = float(proposals.totals[i, k]) / len(written) ** self._length_penalty
            first = int(self._first_sentence[unit])
            self.finished[unit].append(self._hypothesis(written, score, first))

    def _trace(self, hypothesis: int) -> list[tuple[int, float]]:
        """The tokens a hypothesis has written, with their log-probabilities."""
        written = []
        for parents, tokens, gains in reversed(self._steps):
            written.append((int(tokens[hypothesis]), float(gains[hypothesis])))
            hypothesis = int(parents[hypothesis])
        return written[::-1]

    def _hypothesis(
        self, written: Sequence[tuple[int, float]], score: float, first: int
    ) -> Hypothesis:
        """Cut what was written into sentences; `first` is the unit's first sentence."""
        sentences: list[list[int]] = [[]]
        sums = [0.0]
        opening = len(self._special_tokens.target_prefix)  # tokens that still come before the text
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
        limits = self._max_lengths[first : first + len(sentences)].tolist()
        truncated = tuple(len(s) >= limit for s, limit in zip(sentences, limits, strict=True))
        return Hypothesis(tuple(map(tuple, sentences)), tuple(sums), truncated, score)

    def keep(self, units: Integers) -> None:
        """Go on with these open units, given by their indices among the open ones."""
        hypotheses = self._state.hypotheses_of(units)
        self._totals, self.last = self._totals[units], self.last[hypotheses]
        parents, tokens, gains = self._steps[-1]
        self._steps[-1] = parents[hypotheses], tokens[hypotheses], gains[hypotheses]
