"""What step-by-step decoding remembers: `Memory`, the encoded source, and `Cache`, the keys and
values of the hypotheses that are open.

Little is ever copied. Hypotheses of one instance differ in their last tokens only, so what all of
them share is held once an instance (`Store` of the past) and only the rest once a hypothesis
(`Store` of the present); attention within a sentence needs no more than the sentence; and the keys
of a source sentence are gathered once, when a hypothesis comes to it.

Shapes: I open instances with the same number of hypotheses each, R = I · beam rows (row r belongs
to open instance r // beam), H heads, D head dimension, N source tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from docmt.batches.packing import Packed

ROOM = 16
"""Tokens by which a store grows."""


@dataclass(eq=False)
class Memory:
    """The encoded source of a batch of instances.

    Attributes:
        source: the packed source.
        states: (N, width) the encoder's output.
        projected: the keys and values, (2, N, H, D), that each cross-attention has made of them.
    """

    source: Packed
    states: Tensor
    projected: dict[nn.Module, Tensor] = field(default_factory=dict)


class Store:
    """Keys and values of n sequences along an axis that grows.

    Attributes:
        held: (2, n, H, room, D)
    """

    def __init__(self, like: Tensor) -> None:
        """Room for sequences of the shape of `like`, (2, n, H, D)."""
        self.held = like.new_zeros(*like.shape[:3], ROOM, like.shape[3])

    def reserve(self, length: int) -> None:
        """Make room for so many tokens."""
        room = self.held.shape[3]
        if room < length:
            more = -(-max(length - room, room // 2) // ROOM) * ROOM
            self.held = nn.functional.pad(self.held, (0, 0, 0, more))

    def put(self, new: Tensor, place: Tensor) -> None:
        """Set each sequence's entry at `place`, (n,), to `new`, (2, n, H, D)."""
        self.reserve(int(place.max()) + 1)
        self.held[:, torch.arange(len(place), device=place.device), :, place] = new.transpose(0, 1)

    def put_from(self, new: Tensor, start: int) -> None:
        """Set the entries of all sequences from `start` on to `new`, (2, n, H, c, D)."""
        end = start + new.shape[3]
        self.reserve(end)
        self.held[:, :, :, start:end] = new

    def select(self, rows: Tensor, length: int) -> None:
        """Go on with these sequences, of which the first `length` tokens matter."""
        room = min(-(-(length + 1) // ROOM) * ROOM, self.held.shape[3])
        self.held = self.held[:, :, :, :room].index_select(1, rows)


class Cache:
    """The state of all open hypotheses. It knows which source sentence each is translating and how
    far into it each is: the group tags follow the generated text (Bao et al. 2021, section 4.3).

    Args:
        memory: the encoded instances; hypotheses of all of them are open.
        beam: hypotheses an instance.
        begin: the token that begins a sentence.

    Attributes:
        length: tokens read so far; the same for every row.
        sentence: (R,) the row's sentence in `memory.source.sentences`; before the first, the one
            before the instance's own.
        place: (R,) the last token's place in its sentence, from 0.
        open: (I,) the open instances, by their number in the memory.
    """

    def __init__(self, memory: Memory, beam: int, begin: int) -> None:
        self.memory, self.beam, self.begin = memory, beam, begin
        source = memory.source
        device = source.tokens.device
        self.open = torch.arange(len(source.instances), device=device)
        self.length = 0
        self.sentence = source.first_sentences[:-1].repeat_interleave(beam) - 1
        self.place = torch.full_like(self.sentence, -1)
        self.window = Window(source)
        self.sentences: dict[nn.Module, Store] = {}
        self.past: dict[nn.Module, Store] = {}
        self.present: dict[nn.Module, Store] = {}
        self.settled = 0
        #: (R, tokens of the present) which row wrote each token of a row's present.
        self.writer = self.sentence.new_zeros(len(self.sentence), 0)
        self.padded: dict[nn.Module, tuple[Tensor, Tensor]] = {}

    def advance(self, tokens: Tensor) -> None:
        """Take note of the tokens, (R,), that are now read."""
        begins = tokens == self.begin
        self.sentence = self.sentence + begins.long()
        self.place = torch.where(begins, 0, self.place + 1)
        self.settle()
        self.length += 1
        rows = torch.arange(len(tokens), device=tokens.device)
        self.writer = torch.cat([self.writer, rows[:, None]], dim=1)
        self.window.move(self.sentence.view(len(self.open), self.beam))

    def settle(self) -> None:
        """Move what all hypotheses of every instance share from the present to the past."""
        if self.writer.shape[1] < 2 * ROOM or self.writer.shape[1] % ROOM:
            return
        writers = self.writer.view(len(self.open), self.beam, -1)
        shared = (writers == writers[:, :1]).all(dim=1).all(dim=0).long().cumprod(0)
        count = int(shared.sum())
        if not count:
            return
        for owner, present in self.present.items():
            common = present.held[:, :: self.beam, :, :count]
            if owner not in self.past:
                self.past[owner] = Store(common[:, :, :, 0])
            self.past[owner].put_from(common, self.settled)
            present.held = present.held[:, :, :, count:].contiguous()
        self.writer = self.writer[:, count:]
        self.settled += count

    def extend_sentence(self, owner: nn.Module, new: Tensor) -> tuple[Tensor, Tensor]:
        """Add keys and values, (2, R, H, D), of the tokens now read to their sentences.

        Returns:
            (2, R, H, L, D) those of the longest sentence's length, and (R, L) which are the row's
            own.
        """
        if owner not in self.sentences:
            self.sentences[owner] = Store(new)
        store = self.sentences[owner]
        store.put(new, self.place)
        longest = int(self.place.max()) + 1
        own = torch.arange(longest, device=new.device) <= self.place[:, None]
        return store.held[:, :, :, :longest], own

    def extend_instance(self, owner: nn.Module, new: Tensor) -> tuple[Tensor | None, Tensor]:
        """Add keys and values, (2, R, H, D), of the tokens now read to their instances.

        Returns:
            (2, I, H, T_past, D) what the hypotheses of an instance share, or None, and
            (2, R, H, T_present, D) what follows it.
        """
        if owner not in self.present:
            self.present[owner] = Store(new)
        present = self.present[owner]
        place = self.length - 1 - self.settled
        present.put_from(new[:, :, :, None], place)
        past = self.past[owner].held[:, :, :, : self.settled] if self.settled else None
        return past, present.held[:, :, :, : place + 1]

    def select(self, rows: Tensor) -> None:
        """Go on with these rows, (R,), each a child of the row of its number; each instance's
        rows stay its own."""
        self.sentence, self.place = self.sentence[rows], self.place[rows]
        self.writer = self.writer[rows]
        for store in self.sentences.values():
            store.select(rows, int(self.place.max()) + 1)
        for store in self.present.values():
            store.select(rows, self.writer.shape[1])

    def keep(self, instances: Tensor) -> None:
        """Forget all but these open instances, given by their places among the open ones."""
        steps = torch.arange(self.beam, device=instances.device)
        self.select((instances[:, None] * self.beam + steps).flatten())
        self.open = self.open[instances]
        for store in self.past.values():
            store.select(instances, self.settled)
        self.padded = {
            owner: (held[:, instances], real[instances])
            for owner, (held, real) in self.padded.items()
        }
        self.window.keep(instances)


class Window:
    """For each open instance the stretch of source sentences that its hypotheses are in; most often
    it is one sentence.

    Attributes:
        places: (I, L) where its tokens lie in the packed source; padding repeats the last.
        seen: (I, beam, L) which of them each hypothesis sees: those of its own sentence.
    """

    def __init__(self, source: Packed) -> None:
        self.spans = source.sentences
        device = source.tokens.device
        none = torch.full((len(source.instances),), -1, device=device)
        self.first, self.last = none, none
        self.places = torch.zeros(len(none), 0, dtype=torch.int64, device=device)
        self.seen = torch.zeros(len(none), 1, 0, dtype=torch.bool, device=device)
        self.moved: Tensor | None = None
        self.gathered: dict[nn.Module, Tensor] = {}

    def move(self, sentence: Tensor) -> None:
        """Follow the hypotheses to their sentences, (I, beam)."""
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

    def gather(self, owner: nn.Module, projected: Tensor) -> Tensor:
        """The window's keys and values, (2, I, H, L, D), from all of the source's, (2, N, H, D)."""
        instances, longest = self.places.shape
        held = self.gathered.get(owner)
        if held is None or held.shape[3] < longest:
            # The room is filled with real entries: what is not seen must still be finite.
            everything = torch.arange(instances, device=self.places.device)
            held = self.fetch(projected, everything, -(-longest // ROOM) * ROOM)
            self.gathered[owner] = held
        elif self.moved is not None and len(self.moved):
            held[:, self.moved, :, :longest] = self.fetch(projected, self.moved, longest)
        return held[:, :, :, :longest]

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
        self.gathered = {owner: held[:, instances] for owner, held in self.gathered.items()}
