"""What step-by-step decoding remembers: `Memory`, the encoded source, and `Cache`, the keys and
values of the hypotheses that are open.

Shapes: I open instances with the same number of hypotheses each, R = I · beam rows (row r belongs
to open instance r // beam), H heads, D head dimension, N source tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from docmt.batches.packing import Packed


@dataclass(eq=False)
class Memory:
    """The encoded source of a batch of instances.

    Attributes:
        source: the packed source.
        states: (N, width) the encoder's output.
        projected: the keys and values, each (N, H, D), that each cross-attention has made of the
            states.
    """

    source: Packed
    states: Tensor
    projected: dict[nn.Module, tuple[Tensor, Tensor]] = field(default_factory=dict)


class Cache:
    """The state of all open hypotheses. It knows which source sentence each is translating and how
    far into it each is: the group tags follow the generated text (Bao et al. 2021, section 4.3).

    Args:
        memory: the encoded instances; hypotheses of all of them are open.
        beam: hypotheses an instance.
        begin: the token that begins a sentence.

    Attributes:
        length: tokens read so far; the same for every row.
        sentence: (R,) the row's sentence in `memory.source.sentences`, before the first the one
            before the instance's own.
        place: (R,) the last token's place in its sentence, from 0.
        rows: tensors with one entry a row, (R, ...).
        instances: tensors with one entry an instance, (I, ...).
    """

    def __init__(self, memory: Memory, beam: int, begin: int) -> None:
        self.memory, self.beam, self.begin = memory, beam, begin
        device = memory.source.tokens.device
        self.open = torch.arange(len(memory.source.instances), device=device)
        self.length = 0
        self.sentence = memory.source.first_sentences[:-1].repeat_interleave(beam) - 1
        self.place = torch.full_like(self.sentence, -1)
        self.rows: dict[tuple[nn.Module, str], Tensor] = {}
        self.instances: dict[tuple[nn.Module, str], Tensor] = {}

    def advance(self, tokens: Tensor) -> None:
        """Take note of the tokens, (R,), that are now read."""
        begins = tokens == self.begin
        self.sentence = self.sentence + begins.long()
        self.place = torch.where(begins, 0, self.place + 1)
        self.length += 1
        source = self.memory.source.sentences
        start, length = source.offsets[self.sentence], source.lengths[self.sentence]
        steps = torch.arange(int(length.max()), device=tokens.device)
        #: (R, L) where the tokens of each row's source sentence lie, and which are real.
        self.source_places = start[:, None] + torch.minimum(steps[None], length[:, None] - 1)
        self.source_real = steps[None] < length[:, None]

    def write(self, owner: nn.Module, name: str, new: Tensor, place: Tensor) -> Tensor:
        """Set the entry of each row at `place`, (R,), to `new`, (R, H, D).

        Returns:
            (R, H, L, D) all entries so far; L is one more than the largest place written, and what
            lies beyond a row's own place is not its own.
        """
        needed = int(place.max()) + 1
        held = self.rows.get((owner, name))
        if held is None or held.shape[2] < needed:
            room = 16 if held is None else 2 * held.shape[2]
            grown = new.new_zeros(new.shape[0], new.shape[1], max(needed, room), new.shape[2])
            if held is not None:
                grown[:, :, : held.shape[2]] = held
            self.rows[owner, name] = held = grown
        held[torch.arange(len(new), device=new.device), :, place] = new
        return held[:, :, :needed]

    def select(self, rows: Tensor) -> None:
        """Go on with these rows, (R,), each a child of the row of its number; each instance's
        rows stay its own."""
        self.sentence, self.place = self.sentence[rows], self.place[rows]
        self.rows = {name: held.index_select(0, rows) for name, held in self.rows.items()}

    def keep(self, instances: Tensor) -> None:
        """Forget all but these open instances, given by their places among the open ones."""
        rows = instances[:, None] * self.beam + torch.arange(self.beam, device=instances.device)
        self.select(rows.flatten())
        self.open = self.open[instances]
        self.instances = {name: held[instances] for name, held in self.instances.items()}
