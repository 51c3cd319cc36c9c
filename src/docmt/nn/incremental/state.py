"""What step-by-step decoding remembers: `Memory`, the encoded source, and `BeamState`, the keys and
values of the hypotheses that are open.

What was written stays where it is. The hypotheses of an instance share most of their tokens, so a
token is held once, whoever it belongs to, and every hypothesis keeps a mask of the tokens it is
made of (`TokenTree`): to reorder a beam is to reorder masks, and all hypotheses of an instance attend in
one product. Attention within a sentence holds no more than the open sentences, and the keys of a
source sentence are gathered once, when a hypothesis comes to it (`SourceWindow`).

What is written at once is an instance or, by systems that write each sentence on its own, a
sentence of one; both are called a unit here.

Shapes: I open units with the same number of hypotheses each, R = I · beam_size rows (row r belongs to
open unit r // beam_size), H heads, D head dimension, N source tokens, S slots of a tree.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from docmt.nn.batch import Encoded, Packed
from docmt.nn.incremental.source_sharing import SourceSharing
from docmt.nn.incremental.token_tree import ROOM, TokenTree, bias, keep_in_place
from docmt.nn.spans import Spans
from docmt.special_tokens import SpecialTokens

SOURCE = "source"
"""The name of the source among all that is encoded."""


@dataclass(eq=False)
class Memory:
    """The encoded source of a batch of instances.

    Attributes:
        source: the packed source.
        states: (N, d_model) the encoder's output.
        auxiliary: what else was encoded for these instances, by name.
        projected: the keys and values, (2, N, H, D), that each attention has made of each.
    """

    source: Packed
    states: Tensor
    auxiliary: Mapping[str, Encoded] = field(default_factory=dict)
    projected: dict[Hashable, Tensor] = field(default_factory=dict)

    def encoded(self, name: str = SOURCE) -> Encoded:
        """What was encoded under this name."""
        if name == SOURCE:
            return Encoded(self.states, self.source.instances)
        return self.auxiliary[name]


class DecodingState(Protocol):
    """What a step of the decoder needs of a cache.

    Attributes:
        memory: the encoded instances.
        open: (I,) the instance of each open unit, by its number in the memory.
        readers: the open units by the instances they read.
        sentences: what was written of the open sentences.
        instances: what was written of the units.
        window: the source sentences that are being translated.
        padded: for each attention over whole instances their keys, (I, H, D, L), and values,
            (I, H, L, D), the bias of scores that leaves out padding, (I, 1, 1, L), and 1 for
            instances that have any, else 0, (I, 1, 1, 1).
        carried: (R, ...) what a recurrent layer carries from token to token.
    """

    memory: Memory
    open: Tensor
    readers: SourceSharing
    sentences: TokenTree
    instances: TokenTree
    window: SourceWindow
    padded: dict[Hashable, tuple[Tensor, Tensor, Tensor, Tensor]]
    carried: dict[Hashable, Tensor]

    @property
    def positions(self) -> Tensor:
        """(R,) or, where all are equal, (1,): the place in its unit, from 0, of the token a row now
        reads."""

    @property
    def positions_in_sentence(self) -> Tensor:
        """(R,) the place in its sentence, from 0, of the token a row now reads."""

    def advance(self, tokens: Tensor) -> None:
        """Take note of the tokens, (R,), that are now read."""


class BeamState(DecodingState):
    """The state of all open hypotheses. It knows which source sentence each is translating and how
    far into it each is: the group tags follow the generated text (Bao et al. 2021, section 4.3).

    Args:
        memory: the encoded instances; hypotheses of all of them are open.
        beam: hypotheses a unit.
        marks: the tokens around target sentences.
        one_pass: whether a unit is an instance; else it is a sentence.

    Attributes:
        length: tokens read so far; the same for every row.
        sentence: (R,) the row's sentence in `memory.source.sentences`; before the first, the one
            before the unit's own.
        place: (R,) the last token's place in its sentence, from 0.
        over: (R,) whether the last token ended its sentence, so that the next begins one.
        last_sentence: (I,) the last sentence of each open unit.
        units: (I,) the open units, by their number.
        open: (I,) the instance of each, by its number in the memory.
        readers: they by the instances they read.
        sentences: what was written of the open sentences.
        instances: what was written of the units.
    """

    def __init__(
        self,
        memory: Memory,
        beam_size: int,
        special_tokens: SpecialTokens,
        *,
        one_pass: bool = True,
    ) -> None:
        self.memory, self.beam_size, self.special_tokens = memory, beam_size, special_tokens
        source = memory.source
        device = source.tokens.device
        everything = torch.arange(len(source.sentences) + 1, device=device)
        first = source.first_sentences if one_pass else everything
        self.units = torch.arange(len(first) - 1, device=device)
        self.open = torch.searchsorted(source.first_sentences, first[:-1], right=True) - 1
        self.readers = SourceSharing(self.open)
        self.length = 0
        self.last_sentence = first[1:] - 1
        self.sentence = first[:-1].repeat_interleave(beam_size) - 1
        self.place = torch.full_like(self.sentence, -1)
        self.over = torch.ones_like(self.sentence, dtype=torch.bool)
        self.window = SourceWindow(source.sentences, len(self.open))
        self.sentences = TokenTree.empty(len(self.open), beam_size, device)
        self.instances = TokenTree.empty(len(self.open), beam_size, device)
        self.padded: dict[Hashable, tuple[Tensor, Tensor, Tensor, Tensor]] = {}
        self.carried: dict[Hashable, Tensor] = {}

    def advance(self, tokens: Tensor) -> None:
        """Take note of the tokens, (R,), that are now read."""
        begins = self.over
        self.sentence = self.sentence + begins.long()
        self.place = torch.where(begins, 0, self.place + 1)
        # A mark that opens a sentence may be the one that ends it.
        inside = self.place >= len(self.special_tokens.target_opening)
        self.over = (tokens == self.special_tokens.target_end) & inside
        self.length += 1
        self.sentences.forget(begins.view(-1, self.beam_size))
        for tree in (self.sentences, self.instances):
            tree.tidy()
            tree.grow()
        self.window.move(self.sentence.view(-1, self.beam_size))

    @property
    def positions(self) -> Tensor:
        """(1,) the place in its unit, from 0, of the token every row now reads."""
        return torch.tensor([self.length - 1], device=self.open.device)

    @property
    def positions_in_sentence(self) -> Tensor:
        """(R,) the place in its sentence, from 0, of the token a row now reads."""
        return self.place

    def select(self, rows: Tensor) -> None:
        """Go on with these rows, (R,), each a child of the row of its number; each unit's rows
        stay its own."""
        self.pick(rows)
        parents = rows.view(-1, self.beam_size) % self.beam_size
        self.sentences.select(parents)
        self.instances.select(parents)

    def keep(self, units: Tensor) -> None:
        """Forget all but these open units, given by their places among the open ones; one whose
        place stays the same costs nothing."""
        rows = self.rows(units)
        self.pick(rows)
        self.units, self.open = self.units[units], self.open[units]
        self.last_sentence = self.last_sentence[units]
        self.sentences.keep(units)
        self.instances.keep(units)
        read = self.readers.keep(units)
        self.padded = {
            owner: (
                keep_in_place(keys[None], read)[0],
                keep_in_place(values[None], read)[0],
                hidden[read],
                some[read],
            )
            for owner, (keys, values, hidden, some) in self.padded.items()
        }
        self.window.keep(units)

    def pick(self, rows: Tensor) -> None:
        """Of what is known of each row, keep that of these."""
        self.sentence, self.place = self.sentence[rows], self.place[rows]
        self.over = self.over[rows]
        self.carried = {owner: held[rows] for owner, held in self.carried.items()}

    def rows(self, units: Tensor) -> Tensor:
        """The rows of open units, given by their places."""
        steps = torch.arange(self.beam_size, device=units.device)
        return (units[:, None] * self.beam_size + steps).flatten()


class SourceWindow:
    """For each open instance the stretch of source sentences that its hypotheses are in; most often
    it is one sentence.

    Attributes:
        places: (I, L) where its tokens lie in the packed source; padding repeats the last.
        seen: (I, beam_size, L) which of them each hypothesis sees: those of its own sentence.
    """

    def __init__(self, spans: Spans, instances: int) -> None:
        self.spans = spans
        device = spans.offsets.device
        none = torch.full((instances,), -1, device=device)
        self.first, self.last = none, none
        self.places = torch.zeros(len(none), 0, dtype=torch.int64, device=device)
        self.seen = torch.zeros(len(none), 1, 0, dtype=torch.bool, device=device)
        self.moved: Tensor | None = None
        self.gathered: dict[Hashable, Tensor] = {}
        self.bias: dict[torch.dtype, Tensor] = {}

    def move(self, sentence: Tensor) -> None:
        """Follow the hypotheses to their sentences, (I, beam_size)."""
        first, last = sentence.amin(1), sentence.amax(1)
        moved = ((first != self.first) | (last != self.last)).nonzero().squeeze(1)
        offsets = self.spans.offsets
        if len(moved):
            self.first, self.last = first, last
            start, end = offsets[first], offsets[last + 1]
            steps = torch.arange(int((end - start).max()), device=start.device)
            self.places = torch.minimum(start[:, None] + steps, end[:, None] - 1)
            self.inside = start[:, None] + steps < end[:, None]
        self.moved = moved
        begins, ends = offsets[sentence][:, :, None], offsets[sentence + 1][:, :, None]
        places = self.places[:, None]
        self.seen = (begins <= places) & (places < ends) & self.inside[:, None]
        self.bias = {}

    def gather(self, owner: Hashable, projected: Tensor) -> tuple[Tensor, Tensor]:
        """The window's keys and values from all of the source's, (2, N, H, D).

        Returns:
            (2, I, H, room, D), and the bias, (I, 1, beam_size, room), of scores.
        """
        instances, longest = self.places.shape
        held = self.gathered.get(owner)
        if held is None or held.shape[3] < longest:
            # The room is filled with real entries: what is not seen must still be finite.
            everything = torch.arange(instances, device=self.places.device)
            held = self.fetch(projected, everything, -(-longest // ROOM) * ROOM)
            self.gathered[owner] = held
        elif self.moved is not None and len(self.moved):
            held[:, self.moved, :, :longest] = self.fetch(projected, self.moved, longest)
        if held.dtype not in self.bias:
            self.bias[held.dtype] = bias(self.seen, held.shape[3], held.dtype)
        return held, self.bias[held.dtype]

    def fetch(self, projected: Tensor, instances: Tensor, length: int) -> Tensor:
        """(2, n, H, length, D) the windows of these instances, padded with their last entry."""
        places = self.places[instances]
        if length > places.shape[1]:
            rest = places[:, -1:].expand(-1, length - places.shape[1])
            places = torch.cat([places, rest], dim=1)
        heads, dimension = projected.shape[2:]
        picked = projected.index_select(1, places.flatten())
        return picked.view(2, len(instances), length, heads, dimension).transpose(2, 3).contiguous()

    def keep(self, instances: Tensor) -> None:
        """Forget all but these."""
        self.first, self.last = self.first[instances], self.last[instances]
        self.places, self.inside = self.places[instances], self.inside[instances]
        self.gathered = {
            owner: keep_in_place(held, instances) for owner, held in self.gathered.items()
        }
