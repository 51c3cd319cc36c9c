"""Tables of instances, whatever they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from docmt.data.instances import Instance


class Dataset(Protocol):
    """Instances by their number.

    Attributes:
        source_tokens, target_tokens: (I,) the tokens of each.
    """

    source_tokens: NDArray[np.int32]
    target_tokens: NDArray[np.int32]

    def __len__(self) -> int:
        """How many there are."""

    def __getitem__(self, number: int) -> Instance:
        """One of them."""


class ConcatDataset(Dataset):
    """Tables one after the other.

    Args:
        tables: at least one.

    Attributes:
        parts: how many instances are of each.
    """

    def __init__(self, tables: Sequence[Dataset]) -> None:
        self.tables = tables
        self.parts = [len(table) for table in tables]
        self.ends = np.array(list(accumulate(self.parts)))
        self.source_tokens = np.concatenate([table.source_tokens for table in tables])
        self.target_tokens = np.concatenate([table.target_tokens for table in tables])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def __getitem__(self, number: int) -> Instance:
        table = int(np.searchsorted(self.ends, number, side="right"))
        return self.tables[table][number - int(self.ends[table]) + self.parts[table]]
