"""`TokenSlots`: the slots of written tokens in a cache, and which hypothesis sees which slot.

The hypotheses of a unit share most tokens. So a token is cached once for all hypotheses, and every
hypothesis has a mask of tokens: to reorder a beam is to reorder masks. The masks live on the host,
and nothing here needs torch; `TokenTree` and the states of compiled systems hold the keys and
values.

Shapes: U open units with B hypotheses each, S slots.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

BLOCK = 32
"""Capacity is a multiple of this: 16-bit scores over another length take several times as long."""

GROWTH = 8
"""Capacity grows by 1/GROWTH: with slower growth the cache is copied often, with faster growth much
of the cache is empty."""

COMPACT_AFTER = 8
"""Steps between two searches for tokens of no hypothesis."""


def capacity_for(slots: int) -> int:
    """The capacity for so many slots and room to grow, a multiple of BLOCK."""
    return -(-(slots + slots // GROWTH) // BLOCK) * BLOCK


class TokenSlots(ABC):
    """The slots of the written tokens of each unit.

    A token takes a slot when it is read, and keeps the slot until no hypothesis has the token.

    Args:
        units: U.
        beam_size: B.

    Attributes:
        slots: S.
        capacity: allocated slots.
    """

    def __init__(self, units: int, beam_size: int) -> None:
        self.slots = self.capacity = self._compacted = 0
        self._seen = np.zeros((units, beam_size, 0), np.bool_)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """(U, B, S) True for the slots with tokens of each hypothesis; on the host."""
        return self._seen[:, :, : self.slots]

    @abstractmethod
    def changed(self) -> None:
        """Called after the masks have changed."""

    @abstractmethod
    def move(self, first: int, order: NDArray[np.int64]) -> None:
        """Move cached tokens to the slots from `first` on.

        Args:
            first: the first new slot.
            order: (U, n) the old slot of each.
        """

    @abstractmethod
    def shrink(self) -> None:
        """Reduce the cache to the capacity."""

    def closes_gaps(self, used: NDArray[np.int64]) -> bool:
        """Return whether gaps are closed, given the number of slots that each unit uses, (U,)."""
        return int(used.max()) < self.slots

    def advance(
        self,
        begins: NDArray[np.bool_],  # noqa: ARG002
        written: NDArray[np.int64],  # noqa: ARG002
    ) -> None:
        """Make room for the next token of every hypothesis; arguments as of `OfHypotheses`."""
        self.compact()
        self.grow()

    def grow(self) -> None:
        """Add a slot for each hypothesis, visible to this hypothesis alone."""
        units, beam_size, _ = self._seen.shape
        before, self.slots = self.slots, self.slots + beam_size
        if self.slots > self.capacity:
            self.capacity = capacity_for(self.slots)
        if self.slots > self._seen.shape[2]:
            larger = np.zeros((units, beam_size, self.capacity), np.bool_)
            larger[:, :, :before] = self._seen[:, :, :before]
            self._seen = larger
        self._seen[:, :, before : self.slots] = np.eye(beam_size, dtype=bool)
        self.changed()

    def forget(
        self, hypotheses: NDArray[np.bool_], *, but_last: NDArray[np.int64] | None = None
    ) -> None:
        """Hide all written tokens from these hypotheses, (U, B) bool, or all but the last
        `but_last`, (U, B)."""
        if not hypotheses.any():
            return
        if but_last is None:
            self._seen[hypotheses] = False
            return
        # Slots are in the order in which tokens were read.
        seen = self.seen[hypotheses]
        after = seen[:, ::-1].cumsum(axis=1)[:, ::-1]
        self._seen[hypotheses, : self.slots] = seen & (after <= but_last[hypotheses, None])

    def select(self, parents: NDArray[np.int64]) -> None:
        """Reorder the hypotheses: (U, B) indices within the unit."""
        units = np.arange(len(parents))[:, None]
        self._seen[:, :, : self.slots] = self._seen[units, parents, : self.slots]
        self.changed()

    def keep(self, units: NDArray[np.int64]) -> None:
        """Keep these units, by index, and forget the others."""
        self._seen = self._seen[units]
        self.changed()

    def renew(self, units: NDArray[np.int64]) -> None:
        """Forget the tokens of these units, which begin anew."""
        self._seen[units] = False
        self.changed()

    def compact(self) -> None:
        """Every COMPACT_AFTER steps, close the gaps left by tokens of no hypothesis. Slots before
        the first gap of all units stay in place."""
        _, beam_size, _ = self._seen.shape
        if self.slots < self._compacted + COMPACT_AFTER * beam_size:
            return
        needed = np.asarray(self.seen.any(axis=1))  # (U, S)
        everywhere = needed.all(axis=0)
        first = int(everywhere.argmin()) if not everywhere.all() else self.slots
        used = needed.sum(axis=1)
        slots = int(used.max())
        order = (~needed[:, first:]).argsort(axis=1, kind="stable")[:, : slots - first] + first
        if self.closes_gaps(used):
            self.move(first, order)
            moved = np.take_along_axis(self.seen, order[:, None], axis=2)
            self._seen[:, :, first:slots] = moved
            self._seen[:, :, slots:] = False
            self.changed()
        self.slots = self._compacted = slots
        if self.capacity > 2 * capacity_for(slots):
            # Empty slots are attended to like any other.
            self.capacity = capacity_for(slots)
            self._seen = np.ascontiguousarray(self._seen[:, :, : self.capacity])
            self.shrink()
