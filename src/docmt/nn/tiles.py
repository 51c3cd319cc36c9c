"""Attention in tiles: plain batched matrix products over as many queries at a time as keep the
scores in the processor's cache, forward and backward, with memory linear in the row.

The forward pass keeps no weights. As Dao et al. 2022 ("FlashAttention", section 3.1), the backward
pass makes them again: with P = softmax(QKᵀ / √d), O = PV and the gradient G of O,

    dV = Pᵀ G,  dP = G Vᵀ,  dS = P ∘ (dP − rowsum(P ∘ dP)),  dQ = dS K / √d,  dK = dSᵀ Q / √d

Shapes: N tokens of a row, H heads, D head dimension; in a bucket g = n · H pairs of L_q queries
and L_k keys, in a tile some of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from docmt.nn.layout import LANES, Bucket, Layout, Side

SCORES = 2**19
"""Scores of a tile: they, the weights and their gradients stay in the cache."""

CAUSAL_QUERIES = 128
"""Queries of a causal tile at most: it computes the keys up to its last query."""

Tile = tuple[slice, slice, slice]
"""Pairs, queries and keys of a bucket."""


class TiledAttention(torch.autograd.Function):
    """`attend` over a layout."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, layout: Layout, causal: bool) -> Tensor:
        """q (N_q, H, D) over k and v (N_k, H, D): (N_q, H, D)."""
        scale = q.shape[-1] ** -0.5
        q = spread(q, layout.queries).mul_(scale)
        k, v = spread(k, layout.keys), spread(v, layout.keys)
        output = room(q)
        for bucket in layout.buckets:
            own_q, own_output = bucket.of_queries(q), bucket.of_queries(output)
            own_k, own_v = bucket.of_keys(k), bucket.of_keys(v)
            for tile in tiles(bucket, len(own_q), causal):
                pairs, queries, keys = tile
                weights = tile_weights(own_q, own_k, bucket.padding, tile, causal)
                torch.bmm(weights, own_v[pairs, keys], out=own_output[pairs, queries])
        ctx.save_for_backward(q, k, v)
        ctx.layout, ctx.causal, ctx.scale = layout, causal, scale
        return collect(output, layout.queries)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of q, k and v."""
        q, k, v = ctx.saved_tensors
        layout: Layout = ctx.layout
        # Padding repeats a token, whose gradient must count once.
        g = spread(gradient, layout.queries).mul_(layout.queries.real.to(gradient.dtype))
        dq, dk, dv = room(q), room(k), room(v)
        for bucket in layout.buckets:
            own_q, own_g, own_dq = map(bucket.of_queries, (q, g, dq))
            own_k, own_v, own_dk, own_dv = map(bucket.of_keys, (k, v, dk, dv))
            for tile in tiles(bucket, len(own_q), ctx.causal):
                pairs, queries, keys = tile
                weights = tile_weights(own_q, own_k, bucket.padding, tile, ctx.causal)
                tile_g = own_g[pairs, queries]
                slope = torch.bmm(tile_g, own_v[pairs, keys].transpose(1, 2))  # dP
                slope = torch._softmax_backward_data(slope, weights, -1, slope.dtype)  # dS
                torch.bmm(slope, own_k[pairs, keys], out=own_dq[pairs, queries])
                own_dv[pairs, keys].baddbmm_(weights.transpose(1, 2), tile_g)
                own_dk[pairs, keys].baddbmm_(slope.transpose(1, 2), own_q[pairs, queries])
        dq = collect(dq, layout.queries).mul_(ctx.scale)
        return dq, collect(dk, layout.keys), collect(dv, layout.keys), None, None


def tiles(bucket: Bucket, pairs: int, causal: bool) -> Iterator[Tile]:
    """The tiles of a bucket of this many pairs."""
    queries = max(1, min(bucket.queries, SCORES // bucket.keys))
    if causal:
        queries = min(queries, CAUSAL_QUERIES)
    together = max(1, SCORES // (queries * bucket.keys))
    for first in range(0, pairs, together):
        for start in range(0, bucket.queries, queries):
            end = min(start + queries, bucket.queries)
            keys = min(-(-end // LANES) * LANES, bucket.keys) if causal else bucket.keys
            yield slice(first, first + together), slice(start, end), slice(keys)


def tile_weights(q: Tensor, k: Tensor, padding: Tensor | None, tile: Tile, causal: bool) -> Tensor:
    """The attention weights of a tile."""
    pairs, queries, keys = tile
    scores = torch.bmm(q[pairs, queries], k[pairs, keys].transpose(1, 2))
    if causal:  # which also hides padding, from all queries but padding
        scores.add_(later(queries.start, *scores.shape[1:]).to(scores))
    elif padding is not None:
        scores.add_(padding[pairs].to(scores.dtype))
    return scores.softmax(-1)


@lru_cache(maxsize=64)
def later(first: int, queries: int, keys: int) -> Tensor:
    """(queries, keys) -inf for keys after the query, the first of which has this number."""
    return torch.full((queries, keys), -torch.inf).triu(first + 1)


def spread(x: Tensor, side: Side) -> Tensor:
    """x, (N, H, D), in the places of a side: (places, D)."""
    return x.reshape(-1, x.shape[-1]).index_select(0, side.there)


def room(x: Tensor) -> Tensor:
    """Zeros like x, (places, D), with one place more, which is that of tokens in no bucket."""
    return x.new_zeros(len(x) + 1, x.shape[1])


def collect(x: Tensor, side: Side) -> Tensor:
    """x, (places + 1, D), back in the row: (N, H, D)."""
    return x.index_select(0, side.back.flatten()).view(*side.back.shape, x.shape[1])
