"""Weights in codes of a byte, with a scale for each row of a table, for each output, or for each
block of inputs. Values that were rounded before, such as the weights of Firefox's models, are on
one grid of bytes; the grid is kept, so that nothing is rounded a second time.

Shapes: M outputs, K inputs.
"""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ZERO_CODE = 128
"""The code of zero among unsigned bytes."""

BLOCK = 64
"""Inputs of a block. With larger blocks, ONNX Runtime 1.32 multiplies one row in another way than
several, and a sentence would depend on its batch."""


def row_codes(
    table: NDArray[np.float32], limit: int = 127
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The codes, (M, K), and the scales, (M,), of a table, (M, K): a value is a code times the
    scale of the row. A table that was rounded before keeps its codes."""
    largest = np.abs(table).max(axis=1)  # (M,)
    grid = np.maximum(largest.max(), np.finfo(np.float32).tiny) / np.float32(limit)
    codes = np.rint(table / grid)
    if np.allclose(codes * grid, table, rtol=1e-5, atol=0):
        return codes.astype(np.int8), np.full(len(table), grid, np.float32)
    scales = largest / np.float32(limit)
    scales = np.maximum(scales, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(table / scales[:, None]).astype(np.int8), scales


def codes_by_rows(
    weight: NDArray[np.float32], limit: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The codes, (K, M), and the scales, (M,), of a weight, (M, K), whose inputs are rounded by
    row."""
    codes, scales = row_codes(weight, limit)
    return np.ascontiguousarray(codes.T), scales


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
    VNNI on x86, as far as the system tells, and on all others."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return platform.machine().lower() not in ("x86_64", "amd64")
    lines = path.read_text().splitlines()
    flags = next((line for line in lines if line.startswith("flags")), "")
    return not flags or "vnni" in flags
