"""`attend`, the one attention of docmt: span i of the queries sees span i of the keys, and
nothing else.

With sentence spans this is the group attention of Bao et al. 2021 (Eq. 6), without the mask M(G_Q,
G_K) (Eq. 7); with instance spans it is the attention of Vaswani et al. 2017 over each instance.
`attend_dense` builds the mask, and every other path is tested against it.

Shapes: N_q queries, N_k keys, H heads, D head dimension.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from docmt_nmt.nn.kernels.buckets import lay_out
from docmt_nmt.nn.kernels.tiled import LONG, TiledAttention, kernel_is_fast
from docmt_nmt.nn.native import operations
from docmt_nmt.nn.native.library import SpanPairs
from docmt_nmt.nn.spans import Spans

_MAX_WEIGHTS = 2**22
"""The maximum number of attention weights in a block of `weight_blocks`, of one query or more."""


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    query_spans: Spans,
    key_spans: Spans,
    *,
    causal: bool = False,
    dropout: float = 0.0,
) -> Tensor:
    """Scaled dot-product attention within pairs of spans.

    The cost follows from the spans, not from the whole packed sequence. A query with an empty key
    span gets zeros.

    Args:
        q: (N_q, H, D)
        k, v: (N_k, H, D)
        query_spans, key_spans: as many of the one as of the other.
        causal: a token sees only itself and earlier tokens of the span; the two spans of each pair
            must then be equally long.
        dropout: share of the attention weights dropped, for training. PyTorch's kernels cannot drop
            weights, so dropout takes tiles even where a kernel would be faster.

    Returns:
        (N_q, H, D)

    >>> import torch
    >>> from docmt_nmt.nn import Spans
    >>> q = k = v = torch.ones(5, 2, 4)
    >>> sentences = Spans.of([2, 3])
    >>> attend(q, k, v, sentences, sentences).shape
    torch.Size([5, 2, 4])
    """
    if takes_varlen_kernel(q) and not dropout:
        return attend_varlen(q, k, v, query_spans, key_spans, causal=causal)
    if takes_compiled_spans(q, k, v, query_spans, key_spans) and not dropout:
        pairs = SpanPairs(query_spans.host_offsets, key_spans.host_offsets, causal)
        return operations.attend_spans(q, k, v, pairs)
    layout = lay_out(query_spans, key_spans, q.shape[1])
    output: Tensor = TiledAttention.apply(q, k, v, layout, causal, dropout)  # type: ignore[no-untyped-call]
    return output


def takes_varlen_kernel(q: Tensor) -> bool:
    """Return whether the kernel for spans of different lengths is there: on a GPU, in 16 bits, for
    heads of these dimensions."""
    fits = q.shape[2] % 8 == 0 and q.shape[2] <= 256
    return q.is_cuda and q.dtype != torch.float32 and fits


def takes_compiled_spans(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans
) -> bool:
    """Return whether the compiled library computes attention: in bf16 training on a CPU, but for
    long spans on a processor with matrix registers, which the library does not use."""
    is_long = min(query_spans.longest, key_spans.longest) >= LONG and kernel_is_fast(q.dtype)
    return not is_long and operations.attends_spans(q, k, v)


def attend_varlen(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool
) -> Tensor:
    """`attend` by PyTorch's kernel for spans of different lengths."""
    # Slow to import (it loads the compiler), and only a GPU needs it.
    from torch.nn.attention.varlen import varlen_attn

    output: Tensor = varlen_attn(
        q,
        k,
        v,
        query_spans.offsets.int(),
        key_spans.offsets.int(),
        query_spans.longest,
        key_spans.longest,
        window_size=(-1, 0 if causal else -1),
    )  # type: ignore[assignment]
    return output


def attend_dense(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool = False
) -> Tensor:
    """`attend` by definition (Bao et al. 2021, Eq. 6-7), with the full mask; for tests.

    >>> import torch
    >>> from docmt_nmt.nn import Spans
    >>> q = k = v = torch.ones(5, 2, 4)
    >>> sentences = Spans.of([2, 3])
    >>> dense = attend_dense(q, k, v, sentences, sentences)
    >>> torch.allclose(dense, attend(q, k, v, sentences, sentences))
    True
    """
    return torch.einsum(
        "hqk,khd->qhd", dense_weights(q, k, query_spans, key_spans, causal=causal), v
    )


class WeightBlock(NamedTuple):
    """The attention weights of consecutive queries of a span.

    Attributes:
        span: the index of the span.
        first: the position of the first query in the span.
        weights: (H, queries, keys), with all keys of the span.
        causal: whether a query sees no later key.
    """

    span: int
    first: int
    weights: Tensor
    causal: bool


def weight_blocks(
    q: Tensor, k: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool = False
) -> Iterator[WeightBlock]:
    """The attention weights of each pair of spans, without dropout, computed block by block on
    demand, so that few exist at a time."""
    bounds = zip(pairwise(query_spans.host_offsets), pairwise(key_spans.host_offsets), strict=True)
    for span, ((begin, end), (first_key, end_key)) in enumerate(bounds):
        keys = k[first_key:end_key]
        size = max(1, _MAX_WEIGHTS // max(1, q.shape[1] * len(keys)))
        for first in range(0, max(1, end - begin), size):
            queries = q[begin + first : min(begin + first + size, end)]
            scores = torch.einsum("qhd,khd->hqk", queries, keys).float() / q.shape[-1] ** 0.5
            if causal:
                later = torch.ones(scores.shape[1:], dtype=torch.bool, device=q.device)
                scores = scores.masked_fill(later.triu(first + 1), float("-inf"))
            yield WeightBlock(span, first, scores.softmax(-1), causal)


def dense_weights(
    q: Tensor, k: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool = False
) -> Tensor:
    """The attention weights of a whole packed sequence, (H, N_q, N_k), by the definition."""
    scores = torch.einsum("qhd,khd->hqk", q, k) / q.shape[-1] ** 0.5
    seen = query_spans.index[:, None] == key_spans.index[None]  # (N_q, N_k)
    if causal:
        seen = seen & (query_spans.positions[:, None] >= key_spans.positions[None])
    scores = scores.masked_fill(~seen, float("-inf"))
    # A query without keys has no softmax; the weights are zero.
    return torch.softmax(scores, dim=-1).masked_fill(~seen, 0.0).nan_to_num(0.0)
