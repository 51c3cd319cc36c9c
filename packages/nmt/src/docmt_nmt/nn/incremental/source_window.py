"""`SourceWindow`: for each open unit the stretch of source sentences in translation by the
hypotheses, most often one sentence. The keys are gathered once, when a hypothesis arrives.

Shapes: U open units with B hypotheses each, R = U · B hypotheses, L tokens of the longest window, H
heads, D head dimension, N source tokens.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.batch import Memory
from docmt_nmt.nn.incremental.cached import (
    attend_cached,
    mask_to_bias,
    seen_weights,
    select_in_place,
)
from docmt_nmt.nn.incremental.shared_source import projected_keys_values
from docmt_nmt.nn.incremental.token_slots import BLOCK
from docmt_nmt.nn.native import operations
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.spans import Spans, padded
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import KeysValues, KeyValueProjection, SourceKeys, View


class SourceWindow:
    """The windows of all open units.

    Args:
        spans: the source sentences.
        units: U.

    Attributes:
        first, last: (U,) the source sentences of each window, on the host.
        seen: (U, B, L) True for each token of the window within the hypothesis' own sentence; on
            the host.
    """

    def __init__(self, spans: Spans, units: int) -> None:
        self.spans = spans
        self.first = self.last = np.full(units, -1)
        self.seen = np.zeros((units, 1, 0), np.bool_)
        self._positions = np.zeros((units, 0), np.int64)
        self._moved = np.zeros(0, np.int64)
        self._gathered: dict[Hashable, Tensor] = {}
        self._bias: dict[torch.dtype, Tensor] = {}

    def move(self, sentence: NDArray[np.int64]) -> None:
        """Follow the hypotheses to the sentences, (U, B)."""
        first, last = sentence.min(axis=1), sentence.max(axis=1)
        offsets = self.spans.host_offsets
        self._moved = ((first != self.first) | (last != self.last)).nonzero()[0]
        if len(self._moved):
            self.first, self.last = first, last
            start = offsets[first]
            self._positions, self._inside = padded(start, offsets[last + 1] - start)
        begins, ends = offsets[sentence][:, :, None], offsets[sentence + 1][:, :, None]
        positions = self._positions[:, None]
        seen = (begins <= positions) & (positions < ends) & self._inside[:, None]
        if seen.shape != self.seen.shape or not np.array_equal(seen, self.seen):
            self.seen, self._bias = seen, {}

    def gather(self, owner: Hashable, projected: Tensor) -> SourceKeys:
        """The keys and values of the windows, from the whole source, (2, N, H, D), with the bias of
        their scores."""
        gathered = self.gather_keys_values(owner, projected)
        if (
            gathered.dtype not in self._bias
            or self._bias[gathered.dtype].shape[3] < (gathered.shape[3])
        ):
            self._bias[gathered.dtype] = mask_to_bias(
                self.seen, gathered.shape[3], gathered.dtype, projected.device
            )
        return SourceKeys(gathered, self._bias[gathered.dtype][..., : gathered.shape[3]])

    def gather_keys_values(self, owner: Hashable, projected: Tensor) -> Tensor:
        """The keys and values of the windows, (2, U, H, capacity, D), from the whole source, (2, N,
        H, D)."""
        units, longest = self._positions.shape
        gathered = self._gathered.get(owner)
        if gathered is None or gathered.shape[3] < longest:
            everything = np.arange(units)
            capacity = -(-longest // BLOCK) * BLOCK
            gathered = self._gathered[owner] = self._fetch(projected, everything, capacity)
        elif len(self._moved) == units:
            gathered[:, :, :, :longest] = self._fetch(projected, self._moved, longest)
        elif len(self._moved):
            moved = to_device(self._moved, projected.device)
            gathered[:, moved, :, :longest] = self._fetch(projected, self._moved, longest)
        return gathered

    def _fetch(self, projected: Tensor, units: NDArray[np.int64], length: int) -> Tensor:
        """(2, n, H, length, D) the windows of these units, each padded with the last entry."""
        positions = self._positions[units]
        beyond = length - positions.shape[1]
        if beyond > 0:
            positions = np.pad(positions, ((0, 0), (0, beyond)), mode="edge")
        heads, dimension = projected.shape[2:]
        index = to_device(positions.reshape(-1), projected.device)
        picked = projected.index_select(1, index)
        return picked.view(2, len(units), length, heads, dimension).transpose(2, 3).contiguous()

    def keep(self, units: NDArray[np.int64]) -> None:
        """Keep these units, by index, and forget the others."""
        self.first, self.last = self.first[units], self.last[units]
        self._positions, self._inside = self._positions[units], self._inside[units]
        self.seen, self._bias = self.seen[units], {}
        self._gathered = {
            owner: select_in_place(gathered, units) for owner, gathered in self._gathered.items()
        }


class SourceSentence(KeysValues):
    """The source sentence of each hypothesis, in the encodings of one name.

    Args:
        memory: the encoded instances.
        window: the source sentences in translation.
        name: the name of the encodings.
        looked, view: for recording, as of `OverSpans`.
    """

    def __init__(
        self, memory: Memory, window: SourceWindow, name: str, *, looked: Looked, view: View
    ) -> None:
        self._memory, self._window, self._name = memory, window, name
        self._looked, self._recorder = looked, view.view_recorder

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:  # noqa: ARG002
        projected = projected_keys_values(self._memory, owner, self._name)
        is_native = operations.attends(q, projected.dtype)
        if is_native:
            keys, values = self._window.gather_keys_values((owner, self._name), projected)
        else:
            (keys, values), bias = self._window.gather((owner, self._name), projected)
        if (recorder := self._recorder.active) is not None and recorder.wants_weights:
            weights = seen_weights(q, keys.transpose(2, 3), self._by_unit(len(q)))
            recorder.add_weights(self._looked, owner, weights)
        if is_native:
            return operations.attend(q, keys, values, self._window.seen)
        return attend_cached(q, keys.transpose(2, 3), values, bias)

    def _by_unit(self, hypotheses: int) -> NDArray[np.bool_]:
        """The mask of visible tokens of each hypothesis: (U, B, L)."""
        seen = self._window.seen
        return np.broadcast_to(seen, (len(seen), hypotheses // len(seen), seen.shape[2]))
