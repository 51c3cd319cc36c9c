"""Parallel document decoding: what greedy search finds, without writing one sentence after another.

A sentence depends on the ones before it only through the layers that see beyond the sentence and
through its position, so a good guess of those is enough to write it. All sentences of a document
are written at once, each given the last guess of the ones before it; then the system reads the
whole document in one pass, and every sentence is taken up again at its first token that the system
would now write otherwise, until there is none. Then every token is the best after what stands
before it, which makes the document the one that greedy search writes from left to right. With every
pass at least one more token is final, so there is an end to it.

Shapes: R sentences that are being written, N tokens of the guess, T source tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise

import torch
from torch import Tensor

from docmt.data.collate import pack_sentences
from docmt.decoding.beam_search import Hypothesis, filling_gaps
from docmt.decoding.constraints import Rules
from docmt.nn.attention import Read
from docmt.nn.batch import Encoded, Packed
from docmt.nn.incremental.parallel import ParallelState
from docmt.nn.spans import Spans
from docmt.special_tokens import SpecialTokens
from docmt.systems.transformer import EncoderDecoder

FEWEST_STEPS = 8
"""DecodingState between two readings, unless no more are needed: a reading costs as much as some steps."""

AT_ONCE = 1024
"""Tokens whose logits are held at once."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What parallel decoding has come to.

    Attributes:
        hypothesis: the translation of the instance.
        passes: how often the document was read.
        unsettled: sentences that differ from what the system would write after the last reading;
            0 unless passes were limited.
    """

    hypothesis: Hypothesis
    passes: int
    unsettled: int


@torch.inference_mode()
def search_in_parallel(
    system: EncoderDecoder,
    source: Packed,
    special_tokens: SpecialTokens,
    *,
    longest: Tensor,
    length_penalty: float = 1.0,
    banned: Sequence[int] = (),
    max_passes: int | None = None,
) -> list[Settled]:
    """Translate packed instances greedily, one after the other, the sentences of each at once.

    Args:
        system, source, special_tokens, longest, length_penalty, banned: as of `docmt.decoding.beam_search`.
        max_passes: after so many readings of a document it is left as it is; default: when
            nothing changes any more.
    """
    rules = Rules(special_tokens, banned)
    found = []
    for number, (first, last) in enumerate(pairwise(source.first_sentences.tolist())):
        limits = longest[first:last].tolist()
        writing = Writing(system, part(source, number), rules, limits, length_penalty)
        found.append(writing.settle(max_passes))
    return found


def part(packed: Packed, number: int) -> Packed:
    """One instance alone, with what stands beside it."""
    first, last = packed.first_sentences[number : number + 2].tolist()
    offsets = packed.sentences.offsets[first : last + 1]
    start, end = offsets[0], offsets[-1]
    sentences, whole = Spans(offsets - start), Spans(torch.stack([start, end]) - start)
    auxiliary = {name: part_of(beside, number) for name, beside in packed.auxiliary.items()}
    tokens = packed.tokens[int(start) : int(end)]
    return Packed(tokens, sentences, whole, auxiliary=auxiliary)


def part_of(beside: Encoded | Packed, number: int) -> Encoded | Packed:
    """What stands beside one instance, of what stands beside all."""
    if isinstance(beside, Packed):
        return part(beside, number)
    start, end = beside.spans.offsets[number : number + 2]
    return Encoded(beside.states[start:end], Spans(torch.stack([start, end]) - start))


class Writing:
    """The translation of one instance as it stands.

    Attributes:
        tokens: of each sentence the guess, from its begin mark to its end mark.
    """

    def __init__(
        self,
        system: EncoderDecoder,
        source: Packed,
        rules: Rules,
        limits: Sequence[int],
        length_penalty: float,
    ) -> None:
        self.system, self.rules, self.limits = system, rules, limits
        self.length_penalty = length_penalty
        self.memory = system.encode(source)
        self.device = source.tokens.device
        self.tokens = [[rules.special_tokens.target_begin] for _ in limits]
        self.opening = len(rules.special_tokens.target_opening)

    def settle(self, max_passes: int | None) -> Settled:
        """Write all sentences, and then those again that the system would now write otherwise."""
        # Without a guess a sentence begins where it does in the source.
        offsets = self.memory.source.sentences.offsets.tolist()
        self.write(
            dict.fromkeys(range(len(self.limits)), 0),
            offsets,
            None,
            to_the_end=max_passes == 1,
        )
        for passes in count(1):
            read = Read({}, {})
            target = pack_sentences([self.tokens]).to(self.device)
            best, gains = self.read(target, read)
            changes = self.changes(target, best)
            if not changes or passes == max_passes:
                return Settled(self.hypothesis(target, gains), passes, len(changes))
            offsets = target.sentences.offsets.tolist()
            for sentence, place in changes.items():
                corrected = int(best[offsets[sentence] + place])
                self.tokens[sentence][place + 1 :] = [corrected]
            lengths = {sentence: place + 1 for sentence, place in changes.items()}
            self.write(lengths, offsets, read, to_the_end=passes + 1 == max_passes)
        raise AssertionError("counting has no end")

    def write(
        self,
        lengths: dict[int, int],
        offsets: Sequence[int],
        read: Read | None,
        *,
        to_the_end: bool,
    ) -> None:
        """Go on with these sentences.

        The first of them is now given what greedy search has before it. When it is written, and
        the reading of the guess is paid for, the others are better given that than written on.

        Args:
            lengths: how many tokens of each were read before the last.
            offsets: where in the document that was read each begins, and where it ends.
            read: what attention has made of it; None if nothing was read.
            to_the_end: write all of them to their ends.
        """
        rows = [sentence for sentence in lengths if not self.ended(sentence)]
        if not rows:
            return
        draft = ParallelState(
            self.memory, self.tensor(rows), self.tensor([offsets[i] for i in rows]),
            self.tensor([offsets[i + 1] if read else 0 for i in rows]),
            self.tensor([lengths[i] for i in rows]), read,
        )  # fmt: skip
        for step in count(1):
            last = self.tensor([self.tokens[i][-1] for i in rows])
            logits = self.system.step(last, draft).float()
            self.rules.apply(logits, draft.place, self.tensor([self.limits[i] for i in rows]))
            for sentence, token in zip(rows, logits.argmax(1).tolist(), strict=True):
                self.tokens[sentence].append(token)
            open_rows = [place for place, i in enumerate(rows) if not self.ended(i)]
            first_is_done = self.ended(min(lengths)) and step >= FEWEST_STEPS
            if not open_rows or (first_is_done and not to_the_end):
                return
            if len(open_rows) < len(rows):
                order = filling_gaps(self.tensor(open_rows))
                draft.keep(order)
                rows = [rows[place] for place in order.tolist()]

    def ended(self, sentence: int) -> bool:
        """Whether a sentence has its end mark."""
        tokens = self.tokens[sentence]
        return len(tokens) > self.opening and tokens[-1] == self.rules.special_tokens.target_end

    def read(self, target: Packed, read: Read) -> tuple[Tensor, Tensor]:
        """Read the guess.

        Returns:
            (N,) the best token after each position, and (N,) the log-probability of the one that
            stands there.
        """
        states = self.system.read(self.memory, target, read)
        longest = self.tensor(self.limits)[target.sentences.index]
        place = target.sentences.positions
        following = target.tokens.roll(-1)
        best, gains = [], []
        for rows in torch.split(torch.arange(len(states), device=self.device), AT_ONCE):
            logits = self.system.logits(states[rows]).float()
            normaliser = self.rules.apply(logits, place[rows], longest[rows])
            best.append(logits.argmax(1))
            gains.append(logits.gather(1, following[rows, None]).squeeze(1) - normaliser)
        return torch.cat(best), torch.cat(gains)

    def changes(self, target: Packed, best: Tensor) -> dict[int, int]:
        """The sentences that the system would write otherwise, each with the place of the last
        token before the first that differs."""
        following = target.tokens.roll(-1)
        # After a sentence that is not ended stands no token of its own, though a begin mark may be
        # the end mark that it lacks.
        following[target.sentences.offsets[1:] - 1] = -1
        differs = (best != following) & self.chosen(target)
        first: dict[int, int] = {}
        for place in differs.nonzero().squeeze(1).tolist():
            sentence = int(target.sentences.index[place])
            first.setdefault(sentence, int(target.sentences.positions[place]))
        return first

    def chosen(self, target: Packed) -> Tensor:
        """(N,) where the next token is a choice: everywhere but at end marks."""
        inside = target.sentences.positions >= self.opening
        return (target.tokens != self.rules.special_tokens.target_end) | ~inside

    def hypothesis(self, target: Packed, gains: Tensor) -> Hypothesis:
        """The guess as what search finds."""
        sums = gains.new_zeros(len(self.limits))
        chosen = self.chosen(target)
        sums.index_add_(0, target.sentences.index[chosen], gains[chosen])
        sentences = tuple(tuple(tokens[self.opening : -1]) for tokens in self.tokens)
        ended = tuple(len(s) >= limit for s, limit in zip(sentences, self.limits, strict=True))
        # The begin mark of the first sentence is not written.
        score = float(sums.sum()) / (len(gains) - 1) ** self.length_penalty
        return Hypothesis(sentences, tuple(sums.tolist()), ended, score)

    def tensor(self, numbers: Sequence[int]) -> Tensor:
        """Numbers on the device of the system."""
        return torch.tensor(numbers, device=self.device)
