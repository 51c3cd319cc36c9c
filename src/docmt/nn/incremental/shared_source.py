"""`SourceSharing`: which open units of a search read which instance. Units of the same instance
attend to it together, so that its keys and values are cached once for all of them.

Shapes: U open units of B hypotheses each, I instances that are read, G units that read the instance
that most units read, H heads, D head dimension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt.nn.batch import Memory
from docmt.nn.incremental.cached import attend_cached
from docmt.nn.recording import Looked
from docmt.nn.transfer import to_device
from docmt.nn.views import KeysValues, View

if TYPE_CHECKING:
    from docmt.nn.attention import MultiHeadAttention


class SourceSharing:
    """The open units, grouped by the instances they read.

    Args:
        open_instances: (U,) the instance of each unit, by its index in the memory; on the host.
        device: where states lie.

    Attributes:
        instances: (I,) the instances that are read, by their index in the memory.
        instance_of: (U,) which of them each unit reads.
        alone: whether unit i reads instance i and no other unit does.
    """

    def __init__(self, open_instances: NDArray[np.int64], device: torch.device) -> None:
        self._device = device
        self.instances, self.instance_of = np.unique(open_instances, return_inverse=True)
        self._assign_slots()

    def __len__(self) -> int:
        """U."""
        return len(self.instance_of)

    def _assign_slots(self) -> None:
        """Assign each unit a slot in its instance's group."""
        units = np.arange(len(self.instance_of))
        self.alone = bool(np.array_equal(self.instance_of, units))
        if self.alone:
            return
        sizes = np.bincount(self.instance_of, minlength=len(self.instances))
        order = self.instance_of.argsort(kind="stable")
        first = sizes.cumsum() - sizes
        own = np.empty_like(units)
        own[order] = units - first[self.instance_of[order]]
        self._group_size = int(sizes.max())
        self._slots = to_device(self.instance_of * self._group_size + own, self._device)

    def keep(self, units: NDArray[np.int64]) -> NDArray[np.int64]:
        """Forget all but these units, given by their indices.

        Returns:
            The indices of the instances that go on being read, in their new order.
        """
        if self.alone:
            still, self.instance_of = self.instance_of[units], np.arange(len(units))
        else:
            still, self.instance_of = np.unique(self.instance_of[units], return_inverse=True)
        self.instances = self.instances[still]
        self._assign_slots()
        return still

    def group(self, x: Tensor) -> Tensor:
        """What units bring, (U, B, H, D), by instance: (I, H, G · B, D); an empty slot holds
        zeros."""
        if not self.alone:
            groups = x.new_zeros(len(self.instances) * self._group_size, *x.shape[1:])
            groups[self._slots] = x
            x = groups.view(len(self.instances), -1, *x.shape[2:])
        return x.transpose(1, 2)

    def ungroup(self, y: Tensor, beam_size: int) -> Tensor:
        """What instances, (I, H, G · B, D), give to each unit of B hypotheses: (U, B, H, D)."""
        y = y.transpose(1, 2)
        return y if self.alone else y.reshape(-1, beam_size, *y.shape[2:])[self._slots]


class SharedSource(KeysValues):
    """All that was encoded under a name for the instance a unit reads.

    Args:
        memory: the encoded instances.
        sharing: which unit reads which instance.
        name: what was encoded.
        looked, view: for recording, as of `OverSpans`.
    """

    def __init__(
        self, memory: Memory, sharing: SourceSharing, name: str, *, looked: Looked, view: View
    ) -> None:
        self._spans, self._states = memory.encoded(name).spans, memory.encoded(name).states
        self._memory, self._sharing, self._name = memory, sharing, name
        self._looked, self._view = looked, view
        self._padded: dict[MultiHeadAttention, tuple[Tensor, Tensor]] = {}
        self._masks: tuple[Tensor, Tensor] | None = None
        self._index: Tensor | None = None

    def attend(self, q: Tensor, x: Tensor, owner: MultiHeadAttention) -> Tensor:  # noqa: ARG002
        """(R, H, D) to (R, H, D)"""
        if owner not in self._padded:
            self._padded[owner] = self._pad(owner)
        keys, values = self._padded[owner]
        bias, has_keys = self._masks_of(keys)
        if (recorder := self._view.recorder) is not None and recorder.wants_weights:
            recorder.add_weights(self._looked, owner, self._weights(q, keys))
        return attend_cached(q, keys, values, bias, has_keys=has_keys, sharing=self._sharing)

    def has_keys(self, x: Tensor) -> Tensor:
        """(R,) whether the instance of each hypothesis has any."""
        sharing = self._sharing
        lengths = self._spans.host_lengths[sharing.instances[sharing.instance_of]]
        return to_device((lengths > 0).repeat(len(x) // len(sharing)), x.device)

    def keep(self, instances: NDArray[np.int64]) -> None:
        """Forget all but these instances, given by their indices."""
        self._padded = {
            owner: (_select(keys, instances), _select(values, instances))
            for owner, (keys, values) in self._padded.items()
        }
        self._masks = self._index = None

    def _lengths(self) -> NDArray[np.int64]:
        """(I,) the tokens of each instance that is read."""
        return self._spans.host_lengths[self._sharing.instances]

    def _pad(self, owner: MultiHeadAttention) -> tuple[Tensor, Tensor]:
        """Keys, (I, H, D, L), and values, (I, H, L, D), by instance, padded to the longest."""
        projected = projected_keys_values(self._memory, owner, self._name)  # (2, N, H, D)
        if not projected.shape[1]:
            projected = torch.nn.functional.pad(projected, (0, 0, 0, 0, 0, 1))
        if self._index is None:
            lengths = self._lengths()[:, None]
            starts = self._spans.host_offsets[self._sharing.instances][:, None]
            # Padding repeats an entry, so that what is hidden is finite.
            steps = np.minimum(np.arange(max(int(lengths.max()), 1)), lengths - 1)
            index = (starts + steps).clip(0, projected.shape[1] - 1)
            self._index = to_device(index, projected.device)
        keys, values = projected[:, self._index]  # (I, L, H, D)
        return keys.permute(0, 2, 3, 1).contiguous(), values.transpose(1, 2).contiguous()

    def _masks_of(self, keys: Tensor) -> tuple[Tensor, Tensor]:
        """The bias, (I, 1, 1, L), and `has_keys`, (I, 1, 1, 1), of `attend_cached`."""
        known = self._masks and (self._masks[0].dtype, self._masks[0].shape[-1])
        if self._masks is None or known != (keys.dtype, keys.shape[3]):
            lengths = self._lengths()[:, None]
            hidden = np.arange(keys.shape[3]) >= lengths.clip(1)
            sent = to_device(hidden, keys.device)
            bias = torch.zeros_like(sent, dtype=keys.dtype).masked_fill_(sent, float("-inf"))
            some = to_device(lengths > 0, keys.device).to(keys.dtype)
            self._masks = bias[:, None, None], some[:, None, None]
        return self._masks

    def _weights(self, q: Tensor, keys: Tensor) -> list[Tensor]:
        """The weights of each hypothesis, (H, keys), for recording."""
        sharing = self._sharing
        beam_size = len(q) // len(sharing)
        lengths = self._lengths()
        scaled = q.float() * q.shape[2] ** -0.5
        return [
            torch.einsum(
                "hd,hdk->hk", scaled[k], keys[i, :, :, : lengths[i]].float()
            ).softmax(-1)
            for k, i in enumerate(sharing.instance_of.repeat(beam_size).tolist())
        ]  # fmt: skip


def projected_keys_values(memory: Memory, owner: MultiHeadAttention, name: str) -> Tensor:
    """The keys and values, (2, N, H, D), of what was encoded under this name, made once."""
    if (owner, name) not in memory.projected:
        memory.projected[owner, name] = owner.cached_keys_values(memory.encoded(name).states)
    return memory.projected[owner, name]


def _select(cached: Tensor, instances: NDArray[np.int64]) -> Tensor:
    """Of what is cached, (I, ...), these instances in this order."""
    moved = (instances != np.arange(len(instances))).nonzero()[0]
    if len(moved):
        to, of = (to_device(index, cached.device) for index in (moved, instances[moved]))
        cached[to] = cached[of]
    return cached[: len(instances)]
