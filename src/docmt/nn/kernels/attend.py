"""`attend`, the one attention of docmt: span i of the queries sees span i of the keys, and
nothing else.

With sentence spans this is the group attention of Bao et al. 2021 (Eq. 6), whose mask M(G_Q, G_K)
(Eq. 7) is never built; with instance spans it is the attention of Vaswani et al. 2017 over each
instance. `attend_dense` builds the mask and is what every other path is tested against.

Shapes: N_q queries, N_k keys, H heads, D head dimension.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.attention.varlen import varlen_attn

from docmt.nn.kernels.buckets import pair
from docmt.nn.kernels.tiled import TiledAttention
from docmt.nn.spans import Spans


def attend(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool = False
) -> Tensor:
    """Scaled dot-product attention within pairs of spans.

    Its cost is that of the spans and not of the row. A query whose key span is empty gets zeros.

    Args:
        q: (N_q, H, D)
        k, v: (N_k, H, D)
        query_spans, key_spans: as many of the one as of the other.
        causal: a token sees only itself and what comes before it in its span; the two spans of
            each pair must then be equally long.

    Returns:
        (N_q, H, D)
    """
    if q.is_cuda and q.dtype != torch.float32:
        return attend_on_cuda(q, k, v, query_spans, key_spans, causal=causal)
    layout = pair(query_spans, key_spans, q.shape[1])
    output: Tensor = TiledAttention.apply(q, k, v, layout, causal)  # type: ignore[no-untyped-call]
    return output


def attend_on_cuda(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool
) -> Tensor:
    """`attend` by the kernel for spans of different lengths, which takes 16-bit formats only."""
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
    return output  # fmt: skip


def attend_dense(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool = False
) -> Tensor:
    """`attend` by its definition (Bao et al. 2021, Eq. 6-7), with the full mask; for tests."""
    return torch.einsum("hqk,khd->qhd", weights(q, k, query_spans, key_spans, causal=causal), v)


def weights(
    q: Tensor, k: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool = False
) -> Tensor:
    """The attention weights, (H, N_q, N_k): quadratic in the row, for tests, entropy and plots."""
    scores = torch.einsum("qhd,khd->hqk", q, k) / q.shape[-1] ** 0.5
    seen = query_spans.index[:, None] == key_spans.index[None]  # (N_q, N_k)
    if causal:
        seen = seen & (query_spans.positions[:, None] >= key_spans.positions[None])
    scores = scores.masked_fill(~seen, float("-inf"))
    # A query without keys has no softmax; its weights are zero.
    return torch.softmax(scores, dim=-1).masked_fill(~seen, 0.0).nan_to_num(0.0)
