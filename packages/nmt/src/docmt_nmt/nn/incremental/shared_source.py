"""`SharedSource`: the encodings of a whole instance, cached once for all units of the instance.

Shapes: U open units of B hypotheses each, R = U · B hypotheses, I open instances, L tokens of the
longest, H heads, D head dimension.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.batch import Memory
from docmt_nmt.nn.incremental.cached import attend_cached, for_cached, padding_masks
from docmt_nmt.nn.incremental.source_sharing import SourceSharing
from docmt_nmt.nn.native import operations
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.spans import padded
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import KeysValues, KeyValueProjection, View


class SharedSource(KeysValues):
    """The encodings of one name for the instance of each unit.

    Args:
        memory: the encoded instances.
        sharing: the instance of each unit.
        name: the name of the encodings.
        looked, view: for recording, as of `OverSpans`.
    """

    def __init__(
        self, memory: Memory, sharing: SourceSharing, name: str, *, looked: Looked, view: View
    ) -> None:
        self._spans, self._states = memory.encoded(name).spans, memory.encoded(name).states
        self._memory, self._sharing, self._name = memory, sharing, name
        self._looked, self._recorder = looked, view.view_recorder
        self._padded: dict[KeyValueProjection, tuple[Tensor, Tensor]] = {}
        self._masks: tuple[Tensor, Tensor] | None = None
        self._seen: NDArray[np.bool_] | None = None
        self._index: Tensor | None = None

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:  # noqa: ARG002
        is_native = operations.attends(q, owner.kv_dtype)
        if owner not in self._padded:
            self._padded[owner] = self._pad(owner, by_key=is_native)
        keys, values = self._padded[owner]
        if (recorder := self._recorder.active) is not None and recorder.wants_weights:
            recorder.add_weights(self._looked, owner, self._weights(q, keys))
        if is_native:
            cache_of = None if self._sharing.alone else self._sharing.instance_of
            keys = keys.transpose(2, 3)
            return operations.attend(q, keys, values, self._visible(), cache_of=cache_of)
        bias, has_keys = self._masks_of(keys)
        return attend_cached(q, keys, values, bias, has_keys=has_keys, sharing=self._sharing)

    def has_keys(self, x: Tensor) -> Tensor:
        """(R,) True for each hypothesis of an instance with keys."""
        sharing = self._sharing
        lengths = self._spans.host_lengths[sharing.instances[sharing.instance_of]]
        return to_device((lengths > 0).repeat(len(x) // len(sharing)), x.device)

    def keep(self, instances: NDArray[np.int64]) -> None:
        """Keep these instances, by index, and forget the others."""
        self._padded = {
            owner: (_select(keys, instances), _select(values, instances))
            for owner, (keys, values) in self._padded.items()
        }
        self._masks = self._index = self._seen = None

    def renew(self, places: NDArray[np.int64]) -> None:
        """Read the instances that have taken these places among the open instances."""
        self._masks = self._index = self._seen = None
        lengths = self._lengths()[places]
        longest = int(lengths.max())
        if any(values.shape[2] < longest for _, values in self._padded.values()):
            self._padded = {}  # Pad all anew.
        if not longest:
            return
        starts = self._spans.host_offsets[self._sharing.instances[places]]
        index, _ = padded(starts, lengths)
        read, where = (to_device(array, self._states.device) for array in (index, places))
        for owner, (keys, values) in self._padded.items():
            new_keys, new_values = projected_keys_values(self._memory, owner, self._name)[:, read]
            keys[where, :, :, :longest] = new_keys.permute(0, 2, 3, 1)
            values[where, :, :longest] = new_values.transpose(1, 2)

    def _lengths(self) -> NDArray[np.int64]:
        """(I,) the number of tokens of each open instance."""
        return self._spans.host_lengths[self._sharing.instances]

    def _visible(self) -> NDArray[np.bool_]:
        """(U, 1, L) True for the tokens of each unit's instance."""
        if self._seen is None:
            lengths = self._lengths()
            inside = np.arange(lengths.max(initial=0)) < lengths[:, None]
            self._seen = inside[self._sharing.instance_of, None]
        return self._seen

    def _pad(self, owner: KeyValueProjection, *, by_key: bool) -> tuple[Tensor, Tensor]:
        """Keys, (I, H, D, L), and values, (I, H, L, D), by instance, padded to the longest; with
        `by_key`, the numbers of a key lie together."""
        projected = projected_keys_values(self._memory, owner, self._name)  # (2, N, H, D)
        if not projected.shape[1]:
            projected = torch.nn.functional.pad(projected, (0, 0, 0, 0, 0, 1))
        if self._index is None:
            starts = self._spans.host_offsets[self._sharing.instances]
            index, _ = padded(starts, self._lengths())
            self._index = to_device(index, projected.device)
        by_instance = projected[:, self._index]  # (2, I, L, H, D)
        if not by_key:
            return for_cached(by_instance)
        keys, values = by_instance.transpose(2, 3).contiguous()
        return keys.transpose(2, 3), values

    def _masks_of(self, keys: Tensor) -> tuple[Tensor, Tensor]:
        """The bias, (I, 1, 1, L), and `has_keys`, (I, 1, 1, 1), of `attend_cached`."""
        known = self._masks and (self._masks[0].dtype, self._masks[0].shape[-1])
        if self._masks is None or known != (keys.dtype, keys.shape[3]):
            self._masks = padding_masks(self._lengths(), keys)
        return self._masks

    def _weights(self, q: Tensor, keys: Tensor) -> list[Tensor]:
        """The weights of each hypothesis, (H, keys), for recording."""
        sharing = self._sharing
        beam_size = len(q) // len(sharing)
        lengths = self._lengths()
        scaled = q.float() * q.shape[2] ** -0.5
        return [
            torch.einsum("hd,hdk->hk", scaled[k], keys[i, :, :, : lengths[i]].float()).softmax(-1)
            for k, i in enumerate(sharing.instance_of.repeat(beam_size).tolist())
        ]


def projected_keys_values(memory: Memory, owner: KeyValueProjection, name: str) -> Tensor:
    """The keys and values, (2, N, H, D), of the encodings of this name, made once."""
    if (owner, name) not in memory.projected:
        memory.projected[owner, name] = owner.cached_keys_values(memory.encoded(name).states)
    return memory.projected[owner, name]


def _select(cached: Tensor, instances: NDArray[np.int64]) -> Tensor:
    """The cache, (I, ...), of these instances in this order."""
    moved = (instances != np.arange(len(instances))).nonzero()[0]
    if len(moved):
        to, of = (to_device(index, cached.device) for index in (moved, instances[moved]))
        cached[to] = cached[of]
    return cached[: len(instances)]
