"""`Library`: the compiled functions, called by `ctypes`: they know no version of Python.

Shapes: N rows, K and M numbers of a row; U units of B hypotheses each, I caches, H heads, D head
dimension, S slots; n pairs of spans of N_q queries and N_k keys.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

_INT, _SIZE, _FLOAT, _ADDRESS = ctypes.c_int, ctypes.c_long, ctypes.c_float, ctypes.c_void_p

MULTIPLE: Final = 16
"""Head dimensions, and the sizes of states that are normalized, are multiples of this number."""


class SpanPairs(NamedTuple):
    """Span i of the queries sees span i of the keys.

    Attributes:
        query_offsets, key_offsets: (n + 1,) int64.
        causal: whether a query sees no key beyond its own position.
    """

    query_offsets: NDArray[np.int64]
    key_offsets: NDArray[np.int64]
    causal: bool

    def units(self, heads: int) -> int:
        """The number of pairs of spans in all heads: n · H."""
        return heads * (len(self.query_offsets) - 1)


class Library:
    """The functions compiled for a kind of processor.

    Args:
        name: the kind, such as `avx2`.
        path: the shared library.

    Raises:
        OSError: the library cannot be loaded.
        AttributeError: a function is missing.
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        functions = ctypes.CDLL(str(path))
        self._quantize = functions.docmt_quantize_rows
        self._quantize.argtypes = [_ADDRESS, _SIZE, _SIZE, _SIZE, _ADDRESS, _ADDRESS]
        self._quantize.restype = None
        self._scale = functions.docmt_scale_rows
        self._scale.argtypes = [_ADDRESS, _ADDRESS, _ADDRESS, _SIZE, _SIZE, _INT]
        self._scale.restype = None
        self._attend = functions.docmt_attend
        self._attend.argtypes = [
            *(_ADDRESS, _SIZE, _ADDRESS, _ADDRESS, _SIZE, _SIZE, _ADDRESS, _ADDRESS, _SIZE),
            *(_ADDRESS, _ADDRESS, _SIZE, _SIZE, _SIZE, _SIZE, _SIZE, _SIZE, _SIZE, _SIZE),
            *(_FLOAT, _ADDRESS),
        ]
        self._attend.restype = _INT
        self._add_norm = functions.docmt_add_norm
        self._add_norm.argtypes = [
            *(_ADDRESS, _SIZE, _ADDRESS, _ADDRESS, _ADDRESS, _SIZE, _SIZE, _FLOAT, _ADDRESS)
        ]
        self._add_norm.restype = None
        self._gated_sum = functions.docmt_gated_sum
        self._gated_sum.argtypes = [_ADDRESS, _ADDRESS, _ADDRESS, _SIZE, _ADDRESS]
        self._gated_sum.restype = None
        self._move_slots = functions.docmt_move_slots
        self._move_slots.argtypes = [_ADDRESS, _ADDRESS, *(_SIZE,) * 6]
        self._move_slots.restype = None
        self._attend_spans = functions.docmt_attend_spans
        spans = *(_ADDRESS, _SIZE) * 3, _ADDRESS, _ADDRESS, _SIZE, _SIZE, _SIZE, _FLOAT, _INT
        self._attend_spans.argtypes = [*spans, _SIZE, _SIZE, _ADDRESS, _ADDRESS]
        self._attend_spans_backward = functions.docmt_attend_spans_backward
        self._attend_spans_backward.argtypes = [*spans, _SIZE, _SIZE, *(_ADDRESS,) * 6]

    def quantize_rows(self, x: Tensor, codes: Tensor, largest: Tensor) -> None:
        """Write the codes, (N, K) uint8, and the largest magnitude, (N, 1), of each row of x,
        (N, K), whose rows have no gaps."""
        rows, inputs = x.shape
        self._quantize(
            x.data_ptr(), rows, inputs, x.stride(0), codes.data_ptr(), largest.data_ptr()
        )

    def scale_rows(self, y: Tensor, scales: Tensor, bias: Tensor | None, *, relu: bool) -> None:
        """Multiply y, (N, M), by scales, (N, 1), and add the bias, (M,), in place."""
        rows, outputs = y.shape
        address = None if bias is None else bias.data_ptr()
        self._scale(y.data_ptr(), scales.data_ptr(), address, rows, outputs, relu)

    def add_norm(self, x: Tensor, y: Tensor | None, norm: nn.LayerNorm, out: Tensor) -> None:
        """Write the layer normalization of x + y, or of x, all (N, K)."""
        rows, size = x.shape
        self._add_norm(
            x.data_ptr(),
            x.stride(0),
            None if y is None else y.data_ptr(),
            norm.weight.data_ptr(),
            norm.bias.data_ptr(),
            rows,
            size,
            norm.eps,
            out.data_ptr(),
        )

    def gated_sum(self, scores: Tensor, a: Tensor, b: Tensor, out: Tensor) -> None:
        """Write g · a + (1 − g) · b with g = σ(scores), all (N, K) without gaps."""
        pointers = scores.data_ptr(), a.data_ptr(), b.data_ptr()
        self._gated_sum(*pointers, scores.numel(), out.data_ptr())

    def move_slots(self, cached: Tensor, order: NDArray[np.int64], first: int) -> None:
        """Move entries of a cache, (U, H, S, D) without gaps, from the slots in `order`, (U, n), to
        those from `first` on."""
        units, heads, slots, dimension = cached.shape
        size = dimension * cached.itemsize
        sizes = units, heads, slots, size, first, order.shape[1]
        self._move_slots(cached.data_ptr(), order.ctypes.data, *sizes)

    def attend(
        self,
        q: Tensor,
        keys: Tensor,
        values: Tensor,
        seen: NDArray[np.bool_],
        out: Tensor,
        *,
        new: Sequence[Tensor] | None = None,
        newest: int = 0,
        cache_of: NDArray[np.int64] | None = None,
        units: tuple[int, int] | None = None,
    ) -> None:
        """Attend from q to the visible slots; see `operations.attend`.

        Args:
            q: (U · B, H, D), contiguous but for the distance of rows.
            out: (U · B, H, D), contiguous.
            units: the first unit, and the last unit plus one; default: all units.

        Raises:
            MemoryError: there is no memory for the weights.
        """
        rows, heads, dimension = q.shape
        count, columns, length = seen.shape
        first, last = units or (0, count)
        new_keys, new_values = (None, None) if new is None else (part.data_ptr() for part in new)
        failed = self._attend(
            q.data_ptr(),
            q.stride(0),
            new_keys,
            new_values,
            0 if new is None else new[0].stride(0),
            newest,
            keys.data_ptr(),
            values.data_ptr(),
            keys.shape[2],
            None if cache_of is None else cache_of.ctypes.data,
            seen.ctypes.data,
            seen.strides[0],
            seen.strides[1] if columns > 1 else 0,
            length,
            first,
            last,
            rows // count,
            heads,
            dimension,
            dimension**-0.5,
            out.data_ptr(),
        )
        if failed:
            raise MemoryError("attention over a cache")

    def attend_spans(
        self,
        inputs: Sequence[Tensor],
        spans: SpanPairs,
        results: Sequence[Tensor],
        units: tuple[int, int] | None = None,
    ) -> None:
        """Attend within pairs of spans; see `operations.attend_spans`.

        Args:
            inputs: q, (N_q, H, D), k and v, (N_k, H, D), bf16, contiguous but for the distance of
                rows.
            results: (N_q, H, D) bf16 and the logarithms of the sums of exponents, (H, N_q) fp32, to
                be written, contiguous.
            units: the first pair in a head, counted head by head, and the last plus one.

        Raises:
            MemoryError: there is no memory for the scores.
        """
        arguments = _span_arguments(inputs, spans, units)
        if self._attend_spans(*arguments, *(x.data_ptr() for x in results)):
            raise MemoryError("attention over spans")

    def attend_spans_backward(
        self,
        inputs: Sequence[Tensor],
        spans: SpanPairs,
        results: Sequence[Tensor],
        units: tuple[int, int] | None = None,
    ) -> None:
        """Write the gradients of `attend_spans`.

        Args:
            inputs, spans, units: as there.
            results: as there, then the gradient of the first result, and the gradients of q, k and
                v, to be written; contiguous.

        Raises:
            MemoryError: there is no memory for the sums.
        """
        arguments = _span_arguments(inputs, spans, units)
        if self._attend_spans_backward(*arguments, *(x.data_ptr() for x in results)):
            raise MemoryError("the gradient of attention over spans")


def _span_arguments(
    inputs: Sequence[Tensor], spans: SpanPairs, units: tuple[int, int] | None
) -> list[Any]:
    """The arguments that both passes of attention over spans have."""
    heads, dimension = inputs[0].shape[1:]
    strided = [part for x in inputs for part in (x.data_ptr(), x.stride(0))]
    offsets = spans.query_offsets.ctypes.data, spans.key_offsets.ctypes.data
    sizes = len(spans.query_offsets) - 1, heads, dimension, dimension**-0.5
    return [*strided, *offsets, *sizes, spans.causal, *(units or (0, spans.units(heads)))]
