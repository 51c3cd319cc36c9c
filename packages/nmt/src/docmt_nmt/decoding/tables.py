"""Embedding tables of a compiled system, in files that are mapped into memory.

Shapes: V tokens of the vocabulary, d numbers of an embedding.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from docmt_nmt.runs.compiled_files import Manifest

Floats = NDArray[np.float32]


class Table:
    """An embedding table.

    Args:
        table: (V, d) fp32 numbers, or codes of a byte.
        scales: (V,) the scale of each row of codes.
    """

    def __init__(self, table: NDArray[Any], scales: Floats | None = None) -> None:
        self._table, self._scales = table, scales

    def __len__(self) -> int:
        return len(self._table)

    @classmethod
    def read(cls, folder: Path, side: str, manifest: Manifest) -> Self:
        """The table of a side, mapped into memory."""
        table = np.load(folder / f"{side}.npy", mmap_mode="r", allow_pickle=False)
        name = f"{side}.scales.npy"
        scales = np.load(folder / name, allow_pickle=False) if name in manifest.files else None
        # Indexing a plain array takes less time than indexing a mapped one.
        return cls(np.asarray(table), scales)

    def rows(self, tokens: NDArray[np.int64]) -> Floats:
        """The embeddings, (..., d), of tokens, (...)."""
        found = self._table[tokens].astype(np.float32)
        if self._scales is not None:
            found *= self._scales[tokens][..., None]
        return found
