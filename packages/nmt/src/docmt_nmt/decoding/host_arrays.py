"""The few array functions of search, for NumPy. Where scores are on the host, search needs no torch
and is faster without: its arrays are small, and NumPy takes less time for each call.

`docmt_nmt.decoding.device_arrays` has the same functions for tensors on a GPU.

Shapes: R rows, V values of each, C of which are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_BLOCK = 64
"""Values in a block; the maximum of each block is taken first."""

_FEW = 2
"""So few values are looked for one by one."""


class ArrayFunctions(Protocol):
    """The functions of this module, and of `docmt_nmt.decoding.device_arrays`."""

    def send(self, array: NDArray[Any], like: Any, /) -> Any:
        """An array of the host, where `like` is."""

    def top_k(self, values: Any, count: int, /) -> tuple[Any, Any]:
        """The largest values of each row, (R, C), in descending order, and the index of each."""

    def ordered(self, values: Any, /) -> tuple[Any, Any]:
        """All values of each row in descending order, and the index of each; equal values keep
        their order."""

    def gather(self, values: Any, index: Any, /) -> Any:
        """The values of each row at these indices, (R, C)."""

    def masked(self, values: Any, mask: Any, value: float, /) -> Any:
        """A copy with one value wherever the mask is True."""

    def joined(self, parts: Sequence[Any], /) -> Any:
        """Columns of several arrays side by side."""

    def minimum_at(self, values: Any, index: Any, others: Any, /) -> None:
        """Lower the values of each row at these indices, (R, C), to others, (R, C), in place."""

    def packed(self, parents: Any, tokens: Any, totals: Any, gains: Any, /) -> Any:
        """Four arrays of the same shape as one, for `read`."""

    def read(self, packed: Any, /) -> tuple[NDArray[Any], ...]:
        """The four arrays of `packed`, on the host: two of int64, two of fp32."""


def send(array: NDArray[Any], like: NDArray[Any]) -> NDArray[Any]:  # noqa: ARG001
    """See `ArrayFunctions`."""
    return array


def top_k(values: NDArray[Any], count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """See `ArrayFunctions`. NaN is among the largest values.

    Of many values, `count` blocks with the largest maxima are looked for first: the largest values
    lie in them.

    >>> [found.tolist() for found in top_k(np.array([[1.0, 3.0, 2.0]]), 2)]
    [[[3.0, 2.0]], [[1, 2]]]
    """
    rows, size = values.shape
    if count >= size:
        return ordered(values)
    if count <= _FEW:
        return _one_by_one(values, count)
    blocks = size // _BLOCK
    if blocks <= 2 * count:
        return _largest(values, count)
    # A block has every `blocks`-th value: maxima of columns are faster than those of rows.
    maxima = values[:, : blocks * _BLOCK].reshape(rows, _BLOCK, blocks).max(1)
    chosen = maxima.argpartition(blocks - count, axis=1)[:, blocks - count :]  # (R, C)
    inside = (chosen[:, None, :] + blocks * np.arange(_BLOCK)[:, None]).reshape(rows, -1)
    rest = np.broadcast_to(np.arange(blocks * _BLOCK, size), (rows, size - blocks * _BLOCK))
    places = np.concatenate([inside, rest], axis=1)
    largest, index = _largest(gather(values, places), count)
    return largest, gather(places, index)


def _one_by_one(values: NDArray[Any], count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """`top_k` of very few values: the largest, then the largest of the others."""
    rows = np.arange(len(values))
    index = np.empty((len(values), count), np.int64)
    found = np.empty((len(values), count), values.dtype)
    for k in range(count):
        if k:
            values[rows, index[:, k - 1]] = -np.inf
        index[:, k] = values.argmax(1)
        found[:, k] = values[rows, index[:, k]]
    for k in reversed(range(count - 1)):
        values[rows, index[:, k]] = found[:, k]
    return found, index


def _largest(values: NDArray[Any], count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """`top_k` without blocks."""
    size = values.shape[1]
    index = values.argpartition(size - count, axis=1)[:, size - count :]
    order = (-gather(values, index)).argsort(axis=1, kind="stable")
    index = gather(index, order)
    return gather(values, index), index


def ordered(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """See `ArrayFunctions`."""
    index = (-values).argsort(axis=1, kind="stable")
    return gather(values, index), index


def gather(values: NDArray[Any], index: NDArray[np.int64]) -> NDArray[Any]:
    """See `ArrayFunctions`."""
    return values[np.arange(len(values))[:, None], index]


def masked(values: NDArray[Any], mask: NDArray[np.bool_], value: float) -> NDArray[Any]:
    """See `ArrayFunctions`."""
    return np.where(mask, values.dtype.type(value), values)


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """See `ArrayFunctions`."""
    return np.concatenate(parts, axis=1)


def minimum_at(values: NDArray[Any], index: NDArray[np.int64], others: NDArray[Any]) -> None:
    """See `ArrayFunctions`."""
    np.minimum.at(values, (np.arange(len(values))[:, None], index), others)


def packed(*parts: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """See `ArrayFunctions`."""
    return parts


def read(packed: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    """See `ArrayFunctions`."""
    return packed
