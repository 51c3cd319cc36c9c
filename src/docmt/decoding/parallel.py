"""Parallel document decoding: what greedy search finds, without writing one sentence after another.

A sentence depends on the ones before it only through the layers that see beyond the sentence and
through its position, so a good guess of those is enough to write it. All sentences of a document
are written at once, each given the last draft of the ones before it; then the system reads the
whole draft in one pass, and every sentence is continued from its first token that the system would
now write differently, until there is none. Then every token is the best after what stands before
it, which makes the document the one that greedy search writes from left to right. With every pass
at least one more token is final, so the procedure terminates.

Shapes: R sentences that are being written, N tokens of the draft.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Unpack

import numpy as np
import torch
from numpy.typing import NDArray

from docmt.data.collate import pack_sentences
from docmt.decoding.beams import Hypothesis, filling_gaps
from docmt.decoding.constraints import Constraints, not_finite_error
from docmt.decoding.limits import SearchLimits, TargetRoom
from docmt.ground.special_tokens import SpecialTokens
from docmt.nn import ParallelState
from docmt.nn.batch import Encoded, Packed
from docmt.nn.full_pass import FullPass
from docmt.nn.recording import Recorder
from docmt.nn.spans import Spans
from docmt.nn.transfer import to_device
from docmt.systems.transformer import EncoderDecoder

MIN_STEPS = 8
"""Steps between two passes, unless no more are needed: a pass costs as much as some steps."""

LOGITS_AT_ONCE = 1024
"""Tokens whose logits are in memory at once."""


@dataclass(frozen=True, slots=True)
class ParallelResult:
    """The state of parallel decoding.

    Attributes:
        passes: how many passes over the whole draft there were.
        unsettled: sentences that differ from what the system would write after the last pass; 0
            unless passes were limited.
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
    max_passes: int | None = None,
    given: Sequence[Sequence[Sequence[int]]] = (),
    **limits: Unpack[SearchLimits],
) -> list[ParallelResult]:
    """Translate packed instances greedily, one after the other, the sentences of each at once.

    Args:
        system, source, special_tokens, given, limits: as of `docmt.decoding.search`.
        max_passes: stop after so many passes over a document; default: when nothing changes.

    Raises:
        InputError: the system's logits are not finite.
    """
    constraints = Constraints(special_tokens, limits.get("banned", ()), source.tokens.device)
    max_lengths = np.asarray(limits["max_lengths"])
    hypotheses = []
    for index, (first, last) in enumerate(pairwise(source.first_sentences.tolist())):
        room = TargetRoom(
            max_lengths[first:last],
            special_tokens,
            system.target_positions,
            np.full(last - first, last - first - 1),
        )
        decoding = _DocumentDecoding(
            system,
            _instance(source, index),
            constraints,
            room,
            limits.get("length_penalty", 1.0),
            given[index] if given else (),
        )
        hypotheses.append(decoding.run(max_passes))
    return hypotheses


def _instance(packed: Packed, index: int) -> Packed:
    """One instance alone, with its context and context encodings."""
    first, last = packed.first_sentences[index : index + 2].tolist()
    offsets = packed.sentences.host_offsets[first : last + 1]
    start, end = int(offsets[0]), int(offsets[-1])
    device = packed.sentences.device
    return Packed(
        packed.tokens[start:end],
        Spans(offsets - start, device),
        Spans([0, end - start], device),
        None if packed.context is None else _instance(packed.context, index),
        {name: _encoded(part, index) for name, part in packed.auxiliary.items()},
        following=packed.following[index : index + 1],
    )


def _encoded(part: Encoded | Packed, index: int) -> Encoded | Packed:
    """The context encodings of one instance."""
    if isinstance(part, Packed):
        return _instance(part, index)
    start, end = part.spans.host_offsets[index : index + 2].tolist()
    return Encoded(part.states[start:end], Spans([0, end - start], part.spans.device))


class _DocumentDecoding:
    """The translation of one instance as it stands.

    Attributes:
        draft: the tokens of each sentence, from its BOS to its EOS.
    """

    def __init__(
        self,
        system: EncoderDecoder,
        source: Packed,
        constraints: Constraints,
        room: TargetRoom,
        length_penalty: float,
        given: Sequence[Sequence[int]],
    ) -> None:
        self.system, self.constraints, self.room = system, constraints, room
        self.count = len(room.longest)
        self.special_tokens, self.length_penalty = constraints.special_tokens, length_penalty
        self.memory = system.encode(source)
        self.device = source.tokens.device
        special_tokens = self.special_tokens
        self.draft = [[special_tokens.target_begin] for _ in range(self.count)]
        self.opening = len(special_tokens.target_opening)
        self.given = len(given)
        for sentence, tokens in enumerate(given):
            self.draft[sentence] = [
                *special_tokens.target_opening,
                *tokens,
                special_tokens.target_end,
            ]

    def run(self, max_passes: int | None) -> ParallelResult:
        """Write all sentences, and then those again that the system would now write differently."""
        # Without a draft a sentence begins where it does in the source.
        offsets = self.room.latest_offsets(self.memory.source.sentences.host_offsets)
        lengths = dict.fromkeys(range(self.given, self.count), 0)
        self.write(lengths, offsets, None, to_the_end=max_passes == 1)
        for passes in count(1):
            self.fit()
            target = pack_sentences([self.draft])
            recorder, best, gains = self.read(target)
            changes = self.changes(target, best)
            if not changes or passes == max_passes:
                return ParallelResult(self.hypothesis(target, gains), passes, len(changes))
            offsets = target.sentences.host_offsets
            for sentence, position in changes.items():
                corrected = int(best[offsets[sentence] + position])
                self.draft[sentence][position + 1 :] = [corrected]
            lengths = {sentence: position + 1 for sentence, position in changes.items()}
            self.write(lengths, offsets, recorder, to_the_end=passes + 1 == max_passes)
        raise AssertionError("counting has no end")

    def fit(self) -> None:
        """Shorten the draft to the learned positions. Sentences that were written at the same time
        did not know how much room those before them leave; what greedy search writes fits."""
        before = 0
        for sentence, tokens in enumerate(self.draft):
            most = int(self.room.max_lengths(np.array([sentence]), before)[0])
            if sentence >= self.given and len(tokens) > self.opening + most + 1:
                tokens[self.opening + most :] = [self.special_tokens.target_end]
            before += len(tokens)

    def write(
        self,
        lengths: dict[int, int],
        offsets: NDArray[np.int64],
        recorder: Recorder | None,
        *,
        to_the_end: bool,
    ) -> None:
        """Continue these sentences.

        The first of them is now given what greedy search has before it. When it is written, and
        the pass over the draft is paid for, the others are better given that than written on.

        Args:
            lengths: how many tokens of each were read before the last.
            offsets: where in the draft that was read each begins, and where it ends.
            recorder: the recorded keys and values of the draft; None if nothing was read.
            to_the_end: write all of them to their ends.
        """
        open_sentences = np.array([i for i in lengths if not self.has_ended(i)], np.int64)
        if not len(open_sentences):
            return
        read = np.array([lengths[i] for i in open_sentences.tolist()])
        # At its limit a sentence is ended, if there are finite logits to end it by.
        most = int(self.room.longest.max()) + self.opening + 1
        state = ParallelState(self.memory, open_sentences, offsets, read, recorder)
        for step in count(1):
            last = [self.draft[i][-1] for i in open_sentences.tolist()]
            logits = self.system.step(last, state).float()
            limits = self.room.max_lengths(open_sentences, offsets[open_sentences])
            scores = self.constraints.apply(logits, state.position, limits)
            # The one time in a step that decoding waits for the device.
            chosen = scores.argmax(1).tolist()
            for sentence, token in zip(open_sentences.tolist(), chosen, strict=True):
                self.draft[sentence].append(token)
            ended = np.array([self.has_ended(i) for i in open_sentences.tolist()])
            first_is_done = self.has_ended(min(lengths)) and step >= MIN_STEPS
            if ended.all() or (first_is_done and not to_the_end):
                return
            if step > most:
                raise not_finite_error()
            if ended.any():
                order = filling_gaps((~ended).nonzero()[0])
                state.keep(order)
                open_sentences = open_sentences[order]

    def has_ended(self, sentence: int) -> bool:
        """Return whether a sentence has its EOS."""
        tokens = self.draft[sentence]
        return len(tokens) > self.opening and tokens[-1] == self.special_tokens.target_end

    def read(self, target: Packed) -> tuple[Recorder, NDArray[np.int64], NDArray[np.float32]]:
        """Read the draft in one pass.

        Returns:
            The recorded keys and values, and of the host the best token after each position, (N,),
            and the log-probability of the one that follows it, (N,).
        """
        on_device = target.to(self.device)
        view = FullPass(on_device, self.memory)
        with view.recording(keys_values=True) as recorder:
            states = self.system.decode(on_device.tokens, view)
        offsets = target.sentences.host_offsets[:-1]
        most = self.room.max_lengths(np.arange(self.count), offsets)
        index = np.arange(self.count).repeat(target.sentences.host_lengths)
        position = np.arange(len(index)) - offsets[index]
        following = to_device(np.roll(target.tokens.numpy(), -1), self.device)
        best, gains = [], []
        for part in np.array_split(np.arange(len(index)), -(-len(index) // LOGITS_AT_ONCE)):
            rows = slice(int(part[0]), int(part[-1]) + 1)
            logits = self.system.scores(self.system.readout(states[rows])).float()
            scores = self.constraints.apply(logits, position[rows], most[index[rows]])
            best.append(scores.argmax(1))
            gains.append(scores.gather(1, following[rows, None]).squeeze(1))
        on_host = torch.cat(gains).cpu().numpy()
        if np.isnan(on_host).any():
            raise not_finite_error()
        return recorder, torch.cat(best).cpu().numpy(), on_host

    def changes(self, target: Packed, best: NDArray[np.int64]) -> dict[int, int]:
        """The sentences to write differently, with the position before the first change."""
        spans, tokens = target.sentences, target.tokens.numpy()
        following = np.roll(tokens, -1)
        # After a sentence that has not ended there is no token of its own, though a BOS may be the
        # EOS that it lacks.
        following[spans.host_offsets[1:] - 1] = -1
        differs = (best != following) & self.predicted(target)
        first: dict[int, int] = {}
        for position in differs.nonzero()[0].tolist():
            sentence = int(np.searchsorted(spans.host_offsets, position, side="right")) - 1
            first.setdefault(sentence, position - int(spans.host_offsets[sentence]))
        return first

    def predicted(self, target: Packed) -> NDArray[np.bool_]:
        """(N,) where the next token is predicted: not at an EOS, nor in what is given."""
        spans, tokens = target.sentences, target.tokens.numpy()
        position = np.arange(len(tokens)) - spans.host_offsets[:-1].repeat(spans.host_lengths)
        ends: NDArray[np.bool_] = tokens == self.special_tokens.target_end
        predicted: NDArray[np.bool_] = ~ends | (position < self.opening)
        predicted[: spans.host_offsets[self.given]] = False
        return predicted

    def hypothesis(self, target: Packed, gains: NDArray[np.float32]) -> Hypothesis:
        """The draft as a search result."""
        counted = np.where(self.predicted(target), gains, np.float32(0))
        starts = target.sentences.host_offsets[:-1]
        sums = np.add.reduceat(counted, starts)
        sentences = tuple(tuple(tokens[self.opening : -1]) for tokens in self.draft)
        truncated = self.room.truncated(0, [len(s) for s in sentences])
        # The BOS of the first sentence is given.
        length = len(gains) - int(target.sentences.host_offsets[self.given]) - 1
        score = float(sums.sum()) / length**self.length_penalty
        return Hypothesis(sentences, tuple(sums.tolist()), truncated, score)
