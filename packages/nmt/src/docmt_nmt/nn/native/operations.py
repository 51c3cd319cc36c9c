"""The operations of a step of search in eight bits, and of training in bf16, by a compiled library
or by PyTorch.

The callers are the modules of `docmt_nmt.nn`. Large work is divided among as many threads as
PyTorch has; what is computed does not depend on their number.

Shapes: N rows, K inputs, M outputs; U units of B hypotheses each, R = U · B, I caches, H heads, D
head dimension, S slots of a cache, L of which are looked at; N_q queries, N_k keys.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from docmt_nmt.nn.native import reference
from docmt_nmt.nn.native.choice import library
from docmt_nmt.nn.native.library import MULTIPLE, SpanPairs
from docmt_nmt.nn.private_ops import Products

_ENOUGH = 1 << 20
"""With fewer numbers, handing work to another thread takes longer than doing it."""


def linear(x: Tensor, products: Products, bias: Tensor | None, *, relu: bool = False) -> Tensor:
    """A linear layer in eight bits, (N, K) to (N, M), with ReLU of the outputs if asked for."""
    native = library()
    if native is None or not _is_plain(x) or x.numel() >= _ENOUGH:
        codes, largest = quantize_rows(x)
        return scale_rows(products(codes), largest, bias, relu=relu)
    # A step calls this for every layer: each function call less counts.
    if x.stride(1) != 1:
        x = x.contiguous()
    codes, largest = torch.empty(x.shape, dtype=torch.uint8), torch.empty(len(x), 1)
    native.quantize_rows(x, codes, largest)
    y = products(codes)
    if y.numel() >= _ENOUGH:
        return scale_rows(y, largest, bias, relu=relu)
    native.scale_rows(y, largest, bias, relu=relu)
    return y


def quantize_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """See `reference.quantize_rows`."""
    native = library()
    if native is None or not _is_plain(x):
        return reference.quantize_rows(x)
    if x.stride(1) != 1:
        x = x.contiguous()
    codes, largest = torch.empty(x.shape, dtype=torch.uint8), torch.empty(len(x), 1)

    def part(first: int, last: int) -> None:
        native.quantize_rows(x[first:last], codes[first:last], largest[first:last])

    if x.numel() < _ENOUGH:
        native.quantize_rows(x, codes, largest)
    else:
        _in_parts(len(x), part)
    return codes, largest


def scale_rows(y: Tensor, scales: Tensor, bias: Tensor | None, *, relu: bool = False) -> Tensor:
    """See `reference.scale_rows`."""
    native = library()
    if native is None or not (_is_plain(y) and y.is_contiguous()):
        return reference.scale_rows(y, scales, bias, relu=relu)

    def part(first: int, last: int) -> None:
        native.scale_rows(y[first:last], scales[first:last], bias, relu=relu)

    if y.numel() < _ENOUGH:
        native.scale_rows(y, scales, bias, relu=relu)
    else:
        _in_parts(len(y), part)
    return y


def _is_plain(x: Tensor) -> bool:
    """Return whether a tensor is an array of floats in memory, with no gradient to compute."""
    return type(x) is Tensor and x.dtype is torch.float32 and x.is_cpu and not x.requires_grad


def add_norm(x: Tensor, y: Tensor | None, norm: nn.LayerNorm) -> Tensor:
    """See `reference.add_norm`."""
    native = library()
    if native is None or not (_is_plain(x) and x.shape[1] % MULTIPLE == 0):
        return reference.add_norm(x, y, norm)
    x = x if x.stride(1) == 1 else x.contiguous()
    out = torch.empty(x.shape)
    y = None if y is None else y.contiguous()
    if x.numel() < _ENOUGH:
        native.add_norm(x, y, norm, out)
        return out

    def part(first: int, last: int) -> None:
        own = None if y is None else y[first:last]
        native.add_norm(x[first:last], own, norm, out[first:last])

    _in_parts(len(x), part)
    return out


def gated_sum(scores: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """See `reference.gated_sum`."""
    native = library()
    if native is None or not (_is_plain(scores) and scores.shape[1] % MULTIPLE == 0):
        return reference.gated_sum(scores, a, b)
    out = torch.empty(scores.shape)
    native.gated_sum(scores.contiguous(), a.contiguous(), b.contiguous(), out)
    return out


def move_slots(cached: Tensor, order: NDArray[np.int64], first: int) -> None:
    """See `reference.move_slots`; the slots of `order` ascend, apart from those of entries that
    nobody reads."""
    native = library()
    if native is None or not (type(cached) is Tensor and cached.is_cpu and cached.is_contiguous()):
        reference.move_slots(cached, order, first)
    else:
        native.move_slots(cached, np.ascontiguousarray(order), first)


def attends(q: Tensor, kv_dtype: torch.dtype | None) -> bool:
    """Return whether `attend` computes attention from these queries, (R, H, D), over keys and
    values of this format."""
    return (
        kv_dtype is torch.bfloat16
        and q.shape[2] % MULTIPLE == 0
        and _is_plain(q)
        and library() is not None
    )


def attend(
    q: Tensor,
    keys: Tensor,
    values: Tensor,
    seen: NDArray[np.bool_],
    *,
    new: Sequence[Tensor] | None = None,
    newest: int = 0,
    cache_of: NDArray[np.int64] | None = None,
) -> Tensor:
    """Attend from q, (R, H, D), to the visible slots of each hypothesis: (R, H, D), zeros for a
    hypothesis that sees nothing. Only where `attends`.

    What a unit gets depends on its own visible keys and their order alone, so neither on the slots
    nor on other units.

    Args:
        keys, values: (U or I, H, S, D) bf16, contiguous.
        seen: (U, 1 or B, L) on the host.
        new: keys and values, (R, H, D) each, to put into the slots of the unit's hypotheses.
        newest: the first of these slots.
        cache_of: (U,) the index of each unit's cache; default: the unit's own.
    """
    native = library()
    assert native is not None, "a library is in use"
    units, _, length = seen.shape
    rows, heads, dimension = q.shape
    q = _in_rows(q)
    new = None if new is None else [_in_rows(part) for part in new]
    if new is not None and new[0].stride(0) != new[1].stride(0):
        new = [part.contiguous() for part in new]
    seen = seen if seen.strides[2] == 1 else np.ascontiguousarray(seen)
    out = torch.empty(rows, heads, dimension)
    run = partial(
        native.attend, q, keys, values, seen, out, new=new, newest=newest, cache_of=cache_of
    )
    if units * heads * dimension * length < _ENOUGH:
        run()
    else:
        _in_parts(units, lambda first, last: run(units=(first, last)))
    return out


def attends_spans(q: Tensor, k: Tensor, v: Tensor) -> bool:
    """Return whether `attend_spans` computes attention from these queries, (N_q, H, D), over these
    keys and values, (N_k, H, D): in training in bf16."""
    return (
        q.requires_grad
        and q.shape[2] % MULTIPLE == 0
        and all(type(x) is Tensor and x.dtype is torch.bfloat16 and x.is_cpu for x in (q, k, v))
        and library() is not None
    )


def attend_spans(q: Tensor, k: Tensor, v: Tensor, spans: SpanPairs) -> Tensor:
    """Attend from q, (N_q, H, D), over k and v, (N_k, H, D), within pairs of spans: (N_q, H, D),
    zeros for a query without keys. Only where `attends_spans`. What a pair gets depends on it
    alone."""
    found: Tensor = _SpanAttention.apply(q, k, v, spans)  # type: ignore[no-untyped-call]
    return found


class _SpanAttention(torch.autograd.Function):
    """Both passes by the library; each unit is computed whole by one thread."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, spans: SpanPairs) -> Tensor:
        """See `attend_spans`."""
        native = library()
        assert native is not None, "a library is in use"
        inputs = [_in_rows(x) for x in (q, k, v)]
        count, heads, _ = q.shape
        results = torch.empty(q.shape, dtype=q.dtype), torch.empty(heads, count)
        run = partial(native.attend_spans, inputs, spans, results)
        _in_parts(spans.units(heads), lambda first, last: run((first, last)))
        ctx.save_for_backward(*inputs, *results)
        ctx.native, ctx.spans = native, spans
        return results[0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of q, k and v."""
        *inputs, out, logarithms = ctx.saved_tensors
        found = [torch.empty(x.shape, dtype=x.dtype) for x in inputs]
        results = out, logarithms, gradient.contiguous(), *found
        run = partial(ctx.native.attend_spans_backward, inputs, ctx.spans, results)
        _in_parts(ctx.spans.units(out.shape[1]), lambda first, last: run((first, last)))
        return *found, None


def _in_rows(x: Tensor) -> Tensor:
    """x, (R, H, D), without gaps in a row."""
    return x if x.stride(2) == 1 and x.stride(1) == x.shape[2] else x.contiguous()


def _in_parts(count: int, work: Callable[[int, int], None]) -> None:
    """Do work from an index to another for `count` indices, divided among the threads."""
    threads = min(torch.get_num_threads(), count)
    if threads < 2:
        work(0, count)
        return
    ends = [count * part // threads for part in range(threads + 1)]
    others = [
        _pool(os.getpid(), threads - 1).submit(work, first, last)
        for first, last in pairwise(ends[1:])
    ]
    work(0, ends[1])
    for other in others:
        other.result()


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """The threads of a process: a forked one has none of those of its parent."""
    del process
    return ThreadPoolExecutor(threads, thread_name_prefix="docmt-native")
