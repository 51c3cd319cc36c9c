"""Tables in codes of a byte, with a scale for each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def row_codes(
    table: NDArray[np.float32], limit: int = 127
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The codes, (M, K), and the scales, (M,), of a table, (M, K): a value is a code times the
    scale of the row."""
    scales = np.abs(table).max(axis=1) / np.float32(limit)
    scales = np.maximum(scales, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(table / scales[:, None]).astype(np.int8), scales
