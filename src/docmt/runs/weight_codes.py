"""Weights in codes of a byte, with a scale for each row of a table, for each output, or for each
block of inputs.

Shapes: M outputs, K inputs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MAX_INPUT_CODE = 127.0
"""The largest code of an input of a product."""

ZERO_CODE = 128
"""The code of zero among unsigned bytes."""

BLOCK = 64
"""Inputs of a block. With larger blocks, ONNX Runtime 1.32 multiplies one row in another way than
several, and a sentence would depend on its batch."""


def row_codes(
    table: NDArray[np.float32], limit: int = 127
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The codes, (M, K), and the scales, (M,), of a table, (M, K): a value is a code times the
    scale of the row."""
    scales = np.abs(table).max(axis=1) / np.float32(limit)
    scales = np.maximum(scales, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(table / scales[:, None]).astype(np.int8), scales


def codes_by_rows(
    weight: NDArray[np.float32], limit: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The codes, (K, M), and the scales, (M,), of a weight, (M, K), whose inputs are rounded by
    row."""
    codes, scales = row_codes(weight, limit)
    return np.ascontiguousarray(codes.T), scales / np.float32(MAX_INPUT_CODE)


def codes_by_blocks(weight: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """The unsigned codes, (M, blocks, BLOCK), and the scales, (M * blocks,), of a weight, (M, K),
    as `MatMulNBits` takes them."""
    outputs, inputs = weight.shape
    blocks = -(-inputs // BLOCK)
    padded = np.pad(weight, ((0, 0), (0, blocks * BLOCK - inputs)))
    codes, scales = row_codes(padded.reshape(-1, BLOCK))
    unsigned = (codes.astype(np.int16) + ZERO_CODE).astype(np.uint8)
    return unsigned.reshape(outputs, blocks, BLOCK), scales


def multiplies_bytes_exactly() -> bool:
    """Return whether this processor multiplies bytes without saturation of pairs of products: with
    VNNI on x86, and on all others."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return True
    lines = path.read_text().splitlines()
    flags = next((line for line in lines if line.startswith("flags")), "")
    return not flags or "vnni" in flags
