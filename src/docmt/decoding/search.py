"""Beam search over whole instances: one left-to-right pass writes all sentences of a document,
exactly one for each source sentence (Bao et al. 2021, section 4.3).

Every hypothesis is at its own place. After an end mark the begin mark of the next sentence follows
at no cost; the end mark of the last sentence finishes the hypothesis. A sentence has at least one
token and at most as many as its source sentence allows, where the end mark is forced at no cost.

Shapes: I open instances, K hypotheses each, R = I · K rows, V vocabulary, T tokens so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from docmt.batches.packing import Packed
from docmt.nn.cache import Cache
from docmt.systems.base import System
from docmt.text.vocabulary import Marks

NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished translation of an instance.

    Attributes:
        sentences: token numbers of each sentence, without marks.
        log_probabilities: natural log-probability of each sentence, its end mark included.
        ended: for each sentence whether it had to be ended at its greatest length.
        score: what it was chosen by: log-probability over length to the length penalty.
    """

    sentences: tuple[tuple[int, ...], ...]
    log_probabilities: tuple[float, ...]
    ended: tuple[bool, ...]
    score: float


@torch.inference_mode()
def search(
    system: System,
    source: Packed,
    marks: Marks,
    *,
    beam: int,
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
    cache = Cache(system.encode(source), beam, marks.target_begin)
    beams = Beams(source, marks, beam=beam, longest=longest, length_penalty=length_penalty)
    while beams.open.numel():
        logits = system.step(beams.last, cache)  # (R, V)
        allowed = beams.constrain(torch.log_softmax(logits.float(), dim=-1), cache, banned)
        rows, unfinished = beams.extend(allowed, cache)
        if beam > 1:
            cache.select(rows)
        if len(unfinished) < len(beams.open):
            cache.keep(unfinished)
            beams.keep(unfinished)
    return [sorted(found, key=lambda h: -h.score) for found in beams.finished]


class Beams:
    """The open hypotheses of all instances, and the finished ones."""

    def __init__(
        self, source: Packed, marks: Marks, *, beam: int, longest: Tensor, length_penalty: float
    ) -> None:
        device = source.tokens.device
        instances = len(source.instances)
        self.marks, self.beam, self.longest = marks, beam, longest
        self.length_penalty = length_penalty
        self.open = torch.arange(instances, device=device)
        self.last_sentence = source.first_sentences[1:] - 1  # (I,)
        # Only one hypothesis is alive at first: all are equal.
        self.total = torch.full((instances, beam), NEVER, device=device)
        self.total[:, 0] = 0.0
        self.last = torch.full((instances * beam,), marks.target_begin, device=device)
        self.tokens = torch.empty(instances * beam, 0, dtype=torch.int64, device=device)  # (R, T)
        self.gains = torch.empty(instances * beam, 0, device=device)  # (R, T)
        self.finished: list[list[Hypothesis]] = [[] for _ in range(instances)]

    def constrain(self, log_probabilities: Tensor, cache: Cache, banned: Sequence[int]) -> Tensor:
        """The log-probabilities, (R, V), with what may not follow at -inf and what must at 0."""
        scores = log_probabilities
        begin, end = self.marks.target_begin, self.marks.target_end
        scores[:, [begin, *banned]] = NEVER
        scores[self.last == begin, end] = NEVER
        full = cache.place >= self.longest[cache.sentence]
        for forced, token in ((full, end), (self.last == end, begin)):
            scores[forced] = NEVER
            scores[forced, token] = 0.0
        return scores

    def extend(self, scores: Tensor, cache: Cache) -> tuple[Tensor, Tensor]:
        """Continue the best hypotheses by one token and put aside those that are finished.

        Returns:
            (R,) the row each new row continues, and the places of the instances that go on.
        """
        instances, vocabulary = len(self.open), scores.shape[1]
        paths = (self.total.flatten()[:, None] + scores).view(instances, -1)  # (I, K·V)
        totals, best = paths.topk(min(2 * self.beam, paths.shape[1]), dim=1)  # (I, 2K)
        parents = best // vocabulary + self.beam * torch.arange(instances)[:, None].to(best)
        tokens = best % vocabulary
        alive = totals > NEVER
        at_last = cache.sentence[parents] == self.last_sentence[:, None]
        finishing = (tokens == self.marks.target_end) & at_last & alive
        if finishing[:, : self.beam].any():
            self.finish(finishing[:, : self.beam], parents, totals, scores, cache)
        # The best K that go on, in their order.
        order = finishing.long().argsort(dim=1, stable=True)[:, : self.beam]
        rows = parents.gather(1, order).flatten()
        self.total = totals.masked_fill(finishing, NEVER).gather(1, order)
        chosen = tokens.gather(1, order).flatten()
        self.gains = torch.cat([self.gains[rows], scores[rows, chosen][:, None]], dim=1)
        # A row that leads nowhere is fed a token that begins and ends nothing.
        dead = (self.total == NEVER).flatten()
        self.last = torch.where(dead, self.tokens.new_tensor(self.filler(vocabulary)), chosen)
        self.tokens = torch.cat([self.tokens[rows], self.last[:, None]], dim=1)
        done = [len(self.finished[i]) >= self.beam for i in self.open.tolist()]
        over = torch.tensor(done, device=rows.device) | (self.total == NEVER).all(dim=1)
        return rows, (~over).nonzero().squeeze(1)

    def filler(self, vocabulary: int) -> int:
        """A token that is no mark."""
        marks = (self.marks.target_begin, self.marks.target_end)
        return next(token for token in range(vocabulary) if token not in marks)

    def finish(
        self, finishing: Tensor, parents: Tensor, totals: Tensor, scores: Tensor, cache: Cache
    ) -> None:
        """Put aside the hypotheses, (I, K), that the last end mark finishes."""
        end = self.marks.target_end
        for i, k in finishing.nonzero().tolist():
            found = self.finished[int(self.open[i])]
            if len(found) == self.beam:
                continue
            row = int(parents[i, k])
            tokens = [*self.tokens[row].tolist(), end]
            gains = [*self.gains[row].tolist(), float(scores[row, end])]
            score = float(totals[i, k]) / len(tokens) ** self.length_penalty
            first = int(cache.memory.source.first_sentences[self.open[i]])
            found.append(self.hypothesis(tokens, gains, score, first))

    def hypothesis(
        self, tokens: Sequence[int], gains: Sequence[float], score: float, first: int
    ) -> Hypothesis:
        """Cut a finished row into sentences; `first` is the instance's first sentence."""
        sentences: list[list[int]] = [[]]
        sums = [0.0]
        for token, gain in zip(tokens, gains, strict=True):
            sums[-1] += gain
            if token == self.marks.target_begin:
                sentences.append([])
                sums.append(0.0)
            elif token != self.marks.target_end:
                sentences[-1].append(token)
        limits = self.longest[first : first + len(sentences)].tolist()
        ended = tuple(len(s) >= limit for s, limit in zip(sentences, limits, strict=True))
        return Hypothesis(tuple(map(tuple, sentences)), tuple(sums), ended, score)

    def keep(self, instances: Tensor) -> None:
        """Go on with these open instances, given by their places among the open ones."""
        step = torch.arange(self.beam, device=instances.device)
        rows = (instances[:, None] * self.beam + step).flatten()
        self.open, self.last_sentence = self.open[instances], self.last_sentence[instances]
        self.total = self.total[instances]
        self.last, self.tokens, self.gains = self.last[rows], self.tokens[rows], self.gains[rows]
