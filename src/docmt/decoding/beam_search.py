"""Beam search over whole instances: one left-to-right pass writes all sentences of a document,
exactly one for each source sentence (Bao et al. 2021, section 4.3).

Systems that write each sentence on its own are searched for all sentences at once, each with its
beam: what is written at once, an instance or a sentence, is called a unit here.

Every hypothesis is at its own place. After an end mark the begin mark of the next sentence follows
at no cost; the end mark of a unit's last sentence finishes the hypothesis. A sentence has at least
one token and at most as many as its source sentence allows, where the end mark is forced at no
cost.

Shapes: I open units, K hypotheses each, R = I · K rows, V vocabulary, T tokens so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt.decoding.constraints import NEVER, Rules, force
from docmt.nn.batch import Packed
from docmt.nn.incremental.state import BeamState
from docmt.special_tokens import SpecialTokens
from docmt.systems.base import System

Table = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished translation of an instance.

    Attributes:
        sentences: token numbers of each sentence, without marks.
        log_probabilities: natural log-probability of each sentence, its end mark included.
        truncated: for each sentence whether it had to be ended at its greatest length.
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
    longest: Tensor,
    length_penalty: float = 1.0,
    banned: Sequence[int] = (),
) -> list[list[Hypothesis]]:
    """Translate packed instances.

    Args:
        system: in eval mode.
        source: the instances, with marks.
        marks: the tokens around target sentences.
        beam: K; 1 is greedy search.
        longest: (S,) the most tokens each sentence's translation may have, end mark not counted.
        length_penalty: the power of the length, counted in tokens with marks (the first begin
            mark apart), that a finished hypothesis' log-probability is divided by.
        banned: tokens that are never words.

    Returns:
        For each instance its K finished hypotheses (fewer where fewer exist), best first.
    """
    cache = BeamState(system.encode(source), beam_size, special_tokens, one_pass=system.one_pass)
    beams = Beams(
        cache, special_tokens, longest=longest, length_penalty=length_penalty, banned=banned
    )
    while True:
        logits = system.step(beams.last, cache)  # (R, V)
        rows, unfinished = beams.extend(logits.float())
        if not len(unfinished):
            break
        if beam_size > 1:
            cache.select(rows)
        if len(unfinished) < len(cache.units):
            going_on = filling_gaps(unfinished)
            cache.keep(going_on)
            beams.keep(going_on)
    found = [sorted(unit, key=lambda h: -h.score) for unit in beams.finished]
    if system.one_pass:
        return found
    return [joined(found[first:last]) for first, last in pairwise(source.first_sentences.tolist())]


def joined(sentences: Sequence[Sequence[Hypothesis]]) -> list[Hypothesis]:
    """The hypotheses of an instance made of those of its sentences: the k-th is made of the k-th of
    each, or of the last of one that has fewer. It scores their mean."""
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


def filling_gaps(places: Tensor) -> Tensor:
    """Ascending places in an order in which most stay: the last come to where some are missing."""
    count = len(places)
    stay = torch.isin(torch.arange(count, device=places.device), places)
    order = torch.arange(count, device=places.device)
    order[~stay] = places[places >= count]
    return order


class Beams:
    """The open hypotheses of all units, and the finished ones.

    What was written is kept as one table a step, (row continued, token, log-probability), and
    followed back from the end when a hypothesis is finished.
    """

    def __init__(
        self,
        cache: BeamState,
        special_tokens: SpecialTokens,
        *,
        longest: Tensor,
        length_penalty: float,
        banned: Sequence[int],
    ) -> None:
        self.cache, self.special_tokens, self.longest = cache, special_tokens, longest
        self.length_penalty = length_penalty
        device = longest.device
        self.rules = Rules(special_tokens, banned)
        units = len(cache.units)
        self.first_sentence = cache.sentence.view(units, -1)[:, 0] + 1  # (I,) of all units
        # Only one hypothesis is alive at first: all are equal.
        self.total = torch.full((units, cache.beam_size), NEVER, device=device)
        self.total[:, 0] = 0.0
        self.last = torch.full(
            (units * cache.beam_size,), special_tokens.target_begin, device=device
        )
        self.steps: list[tuple[Table, Table, Table]] = []
        self.finished: list[list[Hypothesis]] = [[] for _ in range(units)]

    def extend(self, logits: Tensor) -> tuple[Tensor, Tensor]:
        """Continue the best hypotheses by one token and put aside those that are finished.

        Args:
            logits: (R, V) of the next token; they are changed in place.

        Returns:
            (R,) the row each new row continues, and the places of the units that go on.
        """
        beam_size, units = self.cache.beam_size, len(self.cache.units)
        gains, tokens = self.best(logits, min(2 * beam_size, logits.shape[1]))  # (R, C) each
        paths = (self.total.flatten()[:, None] + gains).view(units, -1)  # (I, K · C)
        totals, choice = paths.topk(min(2 * beam_size, paths.shape[1]), dim=1)  # (I, 2K)
        gains = gains.view(units, -1).gather(1, choice)
        parents = choice // tokens.shape[1]
        parents = parents + beam_size * torch.arange(units, device=choice.device)[:, None]
        tokens = tokens.view(units, -1).gather(1, choice)
        at_last = self.cache.sentence[parents] == self.cache.last_sentence[:, None]
        finishing = (tokens == self.special_tokens.target_end) & at_last & (totals > NEVER)
        if finishing[:, :beam_size].any():
            self.finish(finishing[:, :beam_size], parents, totals, gains)
        # The best K that go on, in their order.
        order = finishing.long().argsort(dim=1, stable=True)[:, :beam_size]
        self.total = totals.masked_fill(finishing, NEVER).gather(1, order)
        rows = parents.gather(1, order).flatten()
        # A row that leads nowhere is fed a token that ends nothing.
        filler = tokens.new_tensor(0 if self.special_tokens.target_end else 1)
        dead = (self.total == NEVER).flatten()
        self.last = torch.where(dead, filler, tokens.gather(1, order).flatten())
        gains = gains.gather(1, order).flatten()
        self.steps.append((rows.cpu().numpy(), self.last.cpu().numpy(), gains.cpu().numpy()))
        done = [len(self.finished[i]) >= beam_size for i in self.cache.units.tolist()]
        over = torch.tensor(done, device=rows.device) | (self.total == NEVER).all(dim=1)
        return rows, (~over).nonzero().squeeze(1)

    def best(self, logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """The best continuations of each row among those that may follow: log-probabilities and
        tokens, (R, count) each. What must follow has the log-probability 0."""
        longest = self.longest[self.cache.sentence]
        normaliser = self.rules.apply(logits, self.cache.place, longest)
        force(logits, self.cache.over, self.special_tokens.target_begin, normaliser)
        top, tokens = logits.topk(count, dim=1)
        return top - normaliser[:, None], tokens

    def finish(self, finishing: Tensor, parents: Tensor, totals: Tensor, gains: Tensor) -> None:
        """Put aside the hypotheses, (I, K), that the last end mark finishes."""
        for i, k in finishing.nonzero().tolist():
            unit = int(self.cache.units[i])
            if len(self.finished[unit]) == self.cache.beam_size:
                continue
            written = self.trace(int(parents[i, k]))
            written.append((self.special_tokens.target_end, float(gains[i, k])))
            score = float(totals[i, k]) / len(written) ** self.length_penalty
            first = int(self.first_sentence[unit])
            self.finished[unit].append(self.hypothesis(written, score, first))

    def trace(self, row: int) -> list[tuple[int, float]]:
        """The tokens a row has written, with their log-probabilities."""
        written = []
        for parents, tokens, gains in reversed(self.steps):
            written.append((int(tokens[row]), float(gains[row])))
            row = int(parents[row])
        return written[::-1]

    def hypothesis(
        self, written: Sequence[tuple[int, float]], score: float, first: int
    ) -> Hypothesis:
        """Cut what was written into sentences; `first` is the unit's first sentence."""
        sentences: list[list[int]] = [[]]
        sums = [0.0]
        opening = len(self.special_tokens.target_prefix)  # marks that still come before a word
        for token, gain in written[:-1]:
            sums[-1] += gain
            if opening:
                opening -= 1
            elif token == self.special_tokens.target_end:
                sentences.append([])
                sums.append(0.0)
                opening = len(self.special_tokens.target_opening)
            else:
                sentences[-1].append(token)
        sums[-1] += written[-1][1]
        limits = self.longest[first : first + len(sentences)].tolist()
        ended = tuple(len(s) >= limit for s, limit in zip(sentences, limits, strict=True))
        return Hypothesis(tuple(map(tuple, sentences)), tuple(sums), ended, score)

    def keep(self, units: Tensor) -> None:
        """Go on with these open units, given by their places among the open ones."""
        rows = self.cache.rows(units)
        self.total, self.last = self.total[units], self.last[rows]
        kept = rows.cpu().numpy()
        parents, tokens, gains = self.steps[-1]
        self.steps[-1] = parents[kept], tokens[kept], gains[kept]
