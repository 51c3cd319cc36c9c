"""`TokenTree`: the KV cache of the written tokens of each unit, every token once.

`TokenSlots` says which hypothesis sees which token. All hypotheses of a unit attend in one product.

Shapes: U open units with B hypotheses each, R = U · B hypotheses, H heads, D head dimension, S
slots of a tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_nmt.nn.incremental.cached import (
    attend_cached,
    mask_to_bias,
    seen_weights,
    select_in_place,
)
from docmt_nmt.nn.incremental.token_slots import TokenSlots
from docmt_nmt.nn.native import operations
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.views import KeysValues, KeyValueProjection, SelfProjection, View


class TokenTree(TokenSlots, KeysValues):
    """The keys and values of the written tokens of each unit.

    Args:
        units: U.
        beam_size: B.
        device: the device of keys and values.
        looked, view: for recording, as of `OverSpans`.

    Attributes:
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
        super().__init__(units, beam_size)
        self.device = device
        self.cached: dict[nn.Module, Tensor] = {}
        self._bias: dict[torch.dtype, Tensor] = {}
        self._looked = looked
        self._recorder = None if view is None else view.view_recorder

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        return self._attend(q, owner.cached_keys_values(x).unbind(), owner)

    def attend_from(self, x: Tensor, owner: SelfProjection) -> Tensor:
        q, *new = owner.queries_keys_values(x)
        return self._attend(q, new, owner)

    def _attend(self, q: Tensor, new: Sequence[Tensor], owner: KeyValueProjection) -> Tensor:
        """Attend to all slots, with new keys and values, (R, H, D) each, in the newest slots."""
        if operations.attends(q, owner.kv_dtype):
            keys, values = cached = self._with_room(owner, new[0], times=2)
            newest = self.slots - self._seen.shape[1]
            attended = operations.attend(q, keys, values, self.seen, new=new, newest=newest)
            self._record(q, cached, owner)
            return attended
        keys, values = cached = self.extend(owner, new)
        self._record(q, cached, owner)
        return attend_cached(q, keys.transpose(2, 3), values, self.bias(keys.dtype))

    def _record(self, q: Tensor, cached: Tensor, owner: KeyValueProjection) -> None:
        """Record the weights of attention, if a recorder wants them."""
        if self._recorder is not None and (recorder := self._recorder.active) is not None:
            assert self._looked is not None
            if recorder.wants_weights:
                recorder.add_weights(
                    self._looked, owner, seen_weights(q, cached[0].transpose(2, 3), self.seen)
                )

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
        cached = self._with_room(owner, new[0])
        before = self.slots - beam_size
        for whole, rows in zip(cached, new, strict=True):
            by_unit = rows.view(units, beam_size, heads, dimension)
            whole[:, :, before : self.slots] = by_unit.transpose(1, 2)
        return cached

    def _with_room(self, owner: KeyValueProjection, new: Tensor, *, times: int = 1) -> Tensor:
        """The cache, (2, U, H, capacity, D), with room for the newest tokens, whose keys are (R, H,
        D).

        Args:
            times: a larger cache has so many times the capacity: where empty slots cost nothing, it
                need not be copied often.
        """
        units, beam_size, _ = self._seen.shape
        heads, dimension = new.shape[1:]
        cached = self.cached.get(owner)
        before = self.slots - beam_size
        if cached is None or cached.shape[3] < self.capacity:
            size = 2, units, heads, times * self.capacity, dimension
            larger = new.new_zeros(size, dtype=owner.kv_dtype or new.dtype)
            if cached is not None:
                larger[:, :, :, :before] = cached[:, :, :, :before]
            self.cached[owner] = cached = larger
        return cached

    def changed(self) -> None:
        self._bias = {}

    def keep(self, units: NDArray[np.int64]) -> None:
        super().keep(units)
        self.cached = {
            owner: select_in_place(cached, units) for owner, cached in self.cached.items()
        }

    def move(self, first: int, order: NDArray[np.int64]) -> None:
        for keys_and_values in self.cached.values():
            for cached in keys_and_values:
                operations.move_slots(cached, order, first)

    def shrink(self) -> None:
        self.cached = {
            owner: cached[:, :, :, : self.capacity].contiguous()
            for owner, cached in self.cached.items()
        }
