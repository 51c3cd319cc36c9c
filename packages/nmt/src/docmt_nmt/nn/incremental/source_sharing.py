"""`SourceSharing`: the instance of each open unit of a search. Units of the same instance attend to
it together, with one cache of keys and values.

Shapes: U open units of B hypotheses each, I open instances, G units of the instance with most
units, H heads, D head dimension.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.transfer import to_device


class SourceSharing:
    """The open units, grouped by instance.

    Args:
        open_instances: (U,) the index of each unit's instance in the memory; on the host.
        device: the device of states.

    Attributes:
        instances: (I,) the index of each open instance in the memory.
        instance_of: (U,) the index of each unit's instance in `instances`.
        alone: True if unit i reads instance i, alone.
    """

    def __init__(self, open_instances: NDArray[np.int64], device: torch.device) -> None:
        self._device = device
        self.instances, self.instance_of = np.unique(open_instances, return_inverse=True)
        self._assign_slots()

    def __len__(self) -> int:
        """U."""
        return len(self.instance_of)

    def _assign_slots(self) -> None:
        """Assign each unit a slot in the group of the instance."""
        units = np.arange(len(self.instance_of))
        self.alone = bool(np.array_equal(self.instance_of, units))
        if self.alone:
            return
        sizes = np.bincount(self.instance_of, minlength=len(self.instances))
        order = self.instance_of.argsort(kind="stable")
        first = sizes.cumsum() - sizes
        slots = np.empty_like(units)
        slots[order] = units - first[self.instance_of[order]]
        self._group_size = int(sizes.max())
        self._slots = to_device(self.instance_of * self._group_size + slots, self._device)

    def keep(self, units: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keep these units, by index, and forget the others.

        Returns:
            The indices of the instances that stay open, in the new order.
        """
        if self.alone:
            still, self.instance_of = self.instance_of[units], np.arange(len(units))
        else:
            still, self.instance_of = np.unique(self.instance_of[units], return_inverse=True)
        self.instances = self.instances[still]
        self._assign_slots()
        return still

    def renew(self, places: NDArray[np.int64], instances: NDArray[np.int64]) -> None:
        """Give the places of these units, each alone with an instance, to units of other
        instances."""
        assert self.alone, "units with an instance each"
        self.instances[places] = instances

    def group(self, x: Tensor) -> Tensor:
        """Values of units, (U, B, H, D), grouped by instance: (I, H, G · B, D), with zeros in empty
        slots."""
        if not self.alone:
            groups = x.new_zeros(len(self.instances) * self._group_size, *x.shape[1:])
            groups[self._slots] = x
            x = groups.view(len(self.instances), -1, *x.shape[2:])
        return x.transpose(1, 2)

    def ungroup(self, y: Tensor, beam_size: int) -> Tensor:
        """Values of instances, (I, H, G · B, D), for each unit of B hypotheses: (U, B, H, D)."""
        y = y.transpose(1, 2)
        return y if self.alone else y.reshape(-1, beam_size, *y.shape[2:])[self._slots]
