"""`TokenTree`: the KV cache of the written tokens of each unit, every token once.

The hypotheses of a unit share most tokens. So a token is cached once for all hypotheses, and every
hypothesis has a mask of tokens: to reorder a beam is to reorder masks, and all hypotheses of a unit
attend in one product. The masks live on the host.

Shapes: U open units with B hypotheses each, R = U · B hypotheses, H heads, D head dimension, S
slots of a tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt.nn.incremental.cached import attend_cached, mask_to_bias, seen_weights, select_in_place
from docmt.nn.recording import Looked
from docmt.nn.transfer import to_device
from docmt.nn.views import KeysValues, KeyValueProjection, SelfProjection, View

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


class TokenTree(KeysValues):
    """The keys and values of the written tokens of each unit.

    A token takes a slot when it is read, and keeps the slot until no hypothesis has the token.

    Args:
        units: U.
        beam_size: B.
        device: the device of keys and values.
        looked, view: for recording, as of `OverSpans`.

    Attributes:
        slots: S.
        capacity: allocated slots.
        cached: for each attention (2, U, H, capacity, D), with the first S slots in use.
    """

    def __init__(
        self,
        units: int,
        beam_size: int,
        device: torch.device,
        *,
        looked: Looked | None = None,
        view: View | None = None,
    ) -> None:
        self.device = device
        self.slots = self.capacity = self._compacted = 0
        self._seen = np.zeros((units, beam_size, 0), np.bool_)
        self.cached: dict[nn.Module, Tensor] = {}
        self._bias: dict[torch.dtype, Tensor] = {}
        self._looked = looked
        self._recorder = None if view is None else view.view_recorder

    @property
    def seen(self) -> NDArray[np.bool_]:
        """(U, B, S) True for the slots with tokens of each hypothesis; on the host."""
        return self._seen[:, :, : self.slots]

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
        self._bias = {}

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

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        return self._attend(q, owner.cached_keys_values(x).unbind(), owner)

    def attend_from(self, x: Tensor, owner: SelfProjection) -> Tensor:
        q, *new = owner.queries_keys_values(x)
        return self._attend(q, new, owner)

    def _attend(self, q: Tensor, new: Sequence[Tensor], owner: KeyValueProjection) -> Tensor:
        """Attend to all slots, with new keys and values, (R, H, D) each, in the newest slots."""
        keys, values = self.extend(owner, new)
        bias = self.bias(keys.dtype)
        if self._recorder is not None and (recorder := self._recorder.active) is not None:
            assert self._looked is not None
            if recorder.wants_weights:
                recorder.add_weights(
                    self._looked, owner, seen_weights(q, keys.transpose(2, 3), self.seen)
                )
        return attend_cached(q, keys.transpose(2, 3), values, bias)

    def bias(self, dtype: torch.dtype) -> Tensor:
        """(U, 1, B, capacity) of scores: 0 for the visible slots of each hypothesis, else -inf."""
        if dtype not in self._bias:
            self._bias[dtype] = mask_to_bias(self.seen, self.capacity, dtype, self.device)
        return self._bias[dtype]

    def extend(self, owner: KeyValueProjection, new: Sequence[Tensor]) -> Tensor:
        """Put the keys and the values, (R, H, D) each, of the new tokens into the newest slots.

        Returns:
            All keys and values, (2, U, H, capacity, D).
        """
        units, beam_size, _ = self._seen.shape
        heads, dimension = new[0].shape[1:]
        cached = self.cached.get(owner)
        before = self.slots - beam_size
        if cached is None or cached.shape[3] < self.capacity:
            size = 2, units, heads, self.capacity, dimension
            larger = new[0].new_zeros(size, dtype=owner.kv_dtype or new[0].dtype)
            if cached is not None:
                larger[:, :, :, :before] = cached[:, :, :, :before]
            self.cached[owner] = cached = larger
        for whole, rows in zip(cached, new, strict=True):
            by_unit = rows.view(units, beam_size, heads, dimension)
            whole[:, :, before : self.slots] = by_unit.transpose(1, 2)
        return cached

    def select(self, parents: NDArray[np.int64]) -> None:
        """Reorder the hypotheses: (U, B) indices within the unit."""
        units = np.arange(len(parents))[:, None]
        self._seen[:, :, : self.slots] = self._seen[units, parents, : self.slots]
        self._bias = {}

    def keep(self, units: NDArray[np.int64]) -> None:
        """Keep these units, by index, and forget the others."""
        self._seen = self._seen[units]
        self._bias = {}
        self.cached = {
            owner: select_in_place(cached, units) for owner, cached in self.cached.items()
        }

    def compact(self) -> None:
        """Every COMPACT_AFTER steps, close the gaps left by tokens of no hypothesis. Slots before
        the first gap of all units stay in place."""
        units, beam_size, _ = self._seen.shape
        if self.slots < self._compacted + COMPACT_AFTER * beam_size:
            return
        needed = np.asarray(self.seen.any(axis=1))  # (U, S)
        everywhere = needed.all(axis=0)
        first = int(everywhere.argmin()) if not everywhere.all() else self.slots
        slots = int(needed.sum(axis=1).max())
        order = (~needed[:, first:]).argsort(axis=1, kind="stable")[:, : slots - first] + first
        if slots < self.slots:
            index = to_device(order, self.device)
            rows = torch.arange(units, device=self.device)[:, None]
            for cached in self.cached.values():
                cached[:, :, :, first:slots] = cached[:, rows, :, index].permute(2, 0, 3, 1, 4)
            moved = np.take_along_axis(self.seen, order[:, None], axis=2)
            self._seen[:, :, first:slots] = moved
            self._seen[:, :, slots:] = False
            self._bias = {}
        self.slots = self._compacted = slots
        if self.capacity > 2 * capacity_for(slots):
            # Empty slots are attended to like any other.
            self.capacity = capacity_for(slots)
            self._seen = np.ascontiguousarray(self._seen[:, :, : self.capacity])
            self.cached = {
                owner: cached[:, :, :, : self.capacity].contiguous()
                for owner, cached in self.cached.items()
            }
