"""`SourceSharing`: which open units of a search read which instance. Units of the same instance attend to
it together, so that its keys and values are held once for all of them.

Shapes: U open units of B hypotheses each, I instances that are read, H heads, D head dimension.
"""

from __future__ import annotations

import torch
from torch import Tensor


class SourceSharing:
    """The open units, seated with the instances they read.

    Args:
        open: (U,) the instance of each unit, by its number in the memory.

    Attributes:
        instances: (I,) the instances that are read, by their number in the memory.
        place: (U,) where among them each unit's stands.
        seats: units that read the instance that most units read.
        seat: (U,) each unit's own among all I · `seats`.
        alone: whether unit i reads instance i and no other unit does.
    """

    def __init__(self, open: Tensor) -> None:
        self.instances, self.place = torch.unique(open, return_inverse=True)
        self.sit()

    def sit(self) -> None:
        """Give every unit a seat."""
        numbers = torch.arange(len(self.place), device=self.place.device)
        self.alone = torch.equal(self.place, numbers)
        sizes = torch.bincount(self.place, minlength=len(self.instances))
        order = self.place.argsort(stable=True)
        first = sizes.cumsum(0) - sizes
        own = torch.empty_like(numbers)
        own[order] = numbers - first[self.place[order]]
        self.seats = int(sizes.max())
        self.seat = self.place * self.seats + own

    def keep(self, units: Tensor) -> Tensor:
        """Forget all but these units, given by their places.

        Returns:
            The places of the instances that go on being read, in their new order.
        """
        if self.alone:
            still, self.place = self.place[units], torch.arange(len(units), device=units.device)
        else:
            still, self.place = torch.unique(self.place[units], return_inverse=True)
        self.instances = self.instances[still]
        self.sit()
        return still

    def seated(self, x: Tensor) -> Tensor:
        """What units bring, (U, B, H, D), by instance: (I, H, seats · B, D); an empty seat holds
        zeros."""
        if not self.alone:
            table = x.new_zeros(len(self.instances) * self.seats, *x.shape[1:])
            table[self.seat] = x
            x = table.view(len(self.instances), -1, *x.shape[2:])
        return x.transpose(1, 2)

    def unseated(self, y: Tensor, beam_size: int) -> Tensor:
        """What instances, (I, H, seats · B, D), give to each unit of B = `beam` hypotheses:
        (U, B, H, D)."""
        y = y.transpose(1, 2)
        return y if self.alone else y.reshape(-1, beam_size, *y.shape[2:])[self.seat]
