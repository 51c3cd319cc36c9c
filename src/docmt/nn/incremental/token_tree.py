"""`TokenTree`: what the hypotheses of each instance have written, every token once.

Shapes: I open units with the same number of hypotheses each, R = I · beam_size rows, H heads, D head
dimension, N tokens of a packed row, S slots of a tree.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

ROOM = 32
"""Room is a multiple of it: rows of 16-bit scores of another length take several times as long."""

GROWTH = 8
"""Room grows by this part of itself: less and it is copied often, more and much of it is empty."""

TIDY_AFTER = 8
"""DecodingState after which a tree looks for tokens that no hypothesis is made of any more."""


def bias(seen: Tensor, room: int, dtype: torch.dtype) -> Tensor:
    """What is added to scores so that only what is seen, (I, beam_size, S), counts: (I, 1, beam_size, room),
    where nothing is seen from S on."""
    seen = nn.functional.pad(seen, (0, room - seen.shape[2]))
    return torch.zeros_like(seen, dtype=dtype).masked_fill_(~seen, float("-inf"))[:, None]


def roomy(slots: int) -> int:
    """Room for so many slots and some more, a multiple of ROOM."""
    return -(-(slots + slots // GROWTH) // ROOM) * ROOM


def keep_in_place(held: Tensor, instances: Tensor) -> Tensor:
    """Of held, (2, I, ...), these instances in this order; only those whose place changes are
    copied."""
    places = torch.arange(len(instances), device=instances.device)
    moved = (instances != places).nonzero().squeeze(1)
    if len(moved):
        held[:, moved] = held[:, instances[moved]]
    return held[:, : len(instances)]


class TokenTree:
    """The keys and values of the tokens that the hypotheses of each instance have written.

    A token takes a slot when it is read and keeps it until no hypothesis is made of it.

    Args:
        seen: (I, beam_size, S) what the hypotheses are made of at first.
        places: (I, S) where those tokens lie in a packed row.
        read: the keys and values, (2, N, H, D), that each attention has made of that row.

    Attributes:
        seen: (I, beam_size, S) the slots that each hypothesis is made of.
        room: slots there is room for.
        held: for each attention (2, I, H, room, D), of which the first S are in use.
        bias: (I, 1, beam_size, room) for each number format, what lets a hypothesis see its slots alone.
    """

    def __init__(
        self, seen: Tensor, places: Tensor, read: Mapping[nn.Module, Tensor] | None = None
    ) -> None:
        self.seen, self.places, self.read = seen, places, read or {}
        self.held: dict[nn.Module, Tensor] = {}
        self.tidied = self.room = seen.shape[2]
        self.bias: dict[torch.dtype, Tensor] = {}

    @classmethod
    def empty(cls, instances: int, beam_size: int, device: torch.device) -> TokenTree:
        """The tree of hypotheses that have written nothing."""
        seen = torch.zeros(instances, beam_size, 0, dtype=torch.bool, device=device)
        return cls(seen, torch.zeros(instances, 0, dtype=torch.int64, device=device))

    def grow(self, new: Tensor | None = None) -> None:
        """A new slot for each hypothesis, which it alone sees, or those that `new`, (beam_size, beam_size),
        says."""
        instances, beam_size, _ = self.seen.shape
        if new is None:
            new = torch.eye(beam_size, dtype=torch.bool, device=self.seen.device)
        self.seen = torch.cat([self.seen, new.expand(instances, beam_size, beam_size)], dim=2)
        if self.seen.shape[2] > self.room:
            self.room = roomy(self.seen.shape[2])
        self.bias = {}

    def forget(self, rows: Tensor) -> None:
        """Let these hypotheses, (I, beam_size), see nothing of what they have written."""
        self.seen = self.seen & ~rows[:, :, None]

    def extend(self, owner: nn.Module, new: Tensor) -> tuple[Tensor, Tensor]:
        """Put keys and values, (2, R, H, D), of the tokens now read into the newest slots.

        Returns:
            All keys and values, (2, I, H, room, D), and the bias, (I, 1, beam_size, room), of scores.
        """
        instances, beam_size, slots = self.seen.shape
        heads, dimension = new.shape[2:]
        held = self.held.get(owner)
        if held is None and owner in self.read:
            held = self.read[owner][:, self.places].transpose(2, 3).contiguous()
        elif held is None:
            held = new.new_zeros(2, instances, heads, 0, dimension)
        if held.shape[3] < self.room:
            held = nn.functional.pad(held, (0, 0, 0, self.room - held.shape[3]))
        self.held[owner] = held
        held[:, :, :, slots - beam_size : slots] = new.view(
            2, instances, beam_size, heads, dimension
        ).transpose(2, 3)
        if held.dtype not in self.bias:
            self.bias[held.dtype] = bias(self.seen, self.room, held.dtype)
        return held, self.bias[held.dtype]

    def select(self, parents: Tensor) -> None:
        """Go on with children of these hypotheses, (I, beam_size), given by their place in the beam."""
        self.seen = self.seen.gather(1, parents[:, :, None].expand_as(self.seen))

    def keep(self, instances: Tensor) -> None:
        """Go on with these instances."""
        self.seen = self.seen[instances]
        self.held = {owner: keep_in_place(held, instances) for owner, held in self.held.items()}

    def tidy(self) -> None:
        """Now and then, close the gaps that tokens without a hypothesis have left. What lies before
        the first gap of all instances stays where it is."""
        if self.seen.shape[2] < self.tidied + TIDY_AFTER * self.seen.shape[1]:
            return
        needed = self.seen.any(dim=1)  # (I, S)
        first = int(needed.all(dim=0).long().cumprod(0).sum())
        slots = int(needed.sum(dim=1).max())
        order = (~needed[:, first:]).long().argsort(dim=1, stable=True)[:, : slots - first] + first
        for held in self.held.values():
            rows = torch.arange(len(order), device=order.device)[:, None]
            held[:, :, :, first:slots] = held[:, rows, :, order].permute(2, 0, 3, 1, 4)
        moved = self.seen[:, :, first:].gather(
            2, (order - first)[:, None].expand(-1, self.seen.shape[1], -1)
        )
        self.seen = torch.cat([self.seen[:, :, :first], moved], dim=2)
        self.tidied = slots
        if self.room > 2 * roomy(slots):
            # Empty room is attended to like any other.
            self.room = roomy(slots)
            self.held = {
                owner: held[:, :, :, : self.room].contiguous() for owner, held in self.held.items()
            }
