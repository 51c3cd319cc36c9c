"""Attention in tiles: plain batched matrix products, forward and backward, over few enough queries
at a time to keep the scores in the processor's cache. PyTorch's kernel takes over where it is
faster, as for long spans forward. Memory is linear in the packed sequence.

The forward pass keeps no weights. As Dao et al. 2022 ("FlashAttention", section 3.1), the backward
pass makes them again: with P = softmax(QKᵀ / √d), O = PV and the gradient G of O,

    dV = Pᵀ G,  dP = G Vᵀ,  dS = P ∘ (dP − rowsum(P ∘ dP)),  dQ = dS K / √d,  dK = dSᵀ Q / √d

Dropout of the weights multiplies them by M, which is 0 or 1/(1 − share). Then O = (P ∘ M) V, and

    dV = (P ∘ M)ᵀ G,  dP = (G Vᵀ) ∘ M

M is not kept either: the backward pass draws M again, from the state of the random generator before
the forward pass.

Shapes: N tokens of a packed sequence, H heads, D head dimension; in a bucket g = n · H pairs of L_q
queries and L_k keys, in a tile some of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache, lru_cache
from math import prod
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad, scaled_dot_product_attention

from docmt_nmt.nn.kernels.buckets import LANES, Bucket, Layout, Side
from docmt_nmt.nn.kernels.dropout import draw, drawing_again, random_state
from docmt_nmt.nn.private_ops import softmax_backward_

SCORES = 2**21
"""Scores of a tile at most; all tiles of a bucket use the same memory for them."""

QUERIES = 512
"""Queries of a tile at most: a causal tile computes the keys up to the last query."""

CAUSAL_LENGTHS = 16
"""The maximum number of key lengths among the causal tiles of a bucket."""

LONG = 256
"""Queries and keys of a bucket from which on PyTorch's kernel is faster forward."""

Tile = tuple[slice, slice, slice]
"""Pairs, queries and keys of a bucket."""


class TiledAttention(torch.autograd.Function):
    """`attend` over a layout."""

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, layout: Layout, causal: bool, dropout: float
    ) -> Tensor:
        """q (N_q, H, D) over k and v (N_k, H, D): (N_q, H, D)."""
        ctx.random_state = random_state(q.device) if dropout else None
        scale = q.shape[-1] ** -0.5
        q = scatter_to_buckets(q, layout.queries).mul_(scale)
        k, v = scatter_to_buckets(k, layout.keys), scatter_to_buckets(v, layout.keys)
        output = with_spare_slot(q)
        for bucket in layout.buckets:
            own_q, own_output = bucket.of_queries(q), bucket.of_queries(output)
            own_k, own_v = bucket.of_keys(k), bucket.of_keys(v)
            is_long = min(bucket.queries, bucket.keys) >= LONG and kernel_is_fast(q.dtype)
            if is_long and not dropout:
                own_output.copy_(pytorch_attention(own_q, own_k, own_v, bucket, causal))
                continue
            scratch = Scratch(bucket, causal, own_q)
            for tile in tiles(bucket, len(own_q), causal):
                pairs, queries, keys = tile
                weights = tile_weights(own_q, own_k, bucket, tile, causal, scratch)
                if dropout:
                    kept, factor = draw(weights, dropout)
                    weights.mul_(kept).mul_(factor)
                torch.bmm(weights, own_v[pairs, keys], out=own_output[pairs, queries])
        ctx.save_for_backward(q, k, v)
        ctx.layout, ctx.causal, ctx.scale, ctx.dropout = layout, causal, scale, dropout
        return gather_from_buckets(output, layout.queries)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of q, k and v."""
        q, k, v = ctx.saved_tensors
        layout: Layout = ctx.layout
        # Padding repeats a token; the gradient of the token must count once.
        g = scatter_to_buckets(gradient, layout.queries).mul_(
            layout.queries.real.to(gradient.dtype)
        )
        dq, dk, dv = with_spare_slot(q), with_spare_slot(k), with_spare_slot(v)
        again = drawing_again(q.device, ctx.random_state) if ctx.dropout else nullcontext()
        with again:
            for bucket in layout.buckets:
                gradients = Gradients(
                    *map(bucket.of_queries, (q, g, dq)), *map(bucket.of_keys, (k, v, dk, dv))
                )
                bucket_backward(gradients, bucket, ctx.causal, ctx.dropout)
        dq = gather_from_buckets(dq, layout.queries).mul_(ctx.scale)
        return (
            dq,
            gather_from_buckets(dk, layout.keys),
            gather_from_buckets(dv, layout.keys),
            None,
            None,
            None,
        )


class Gradients(NamedTuple):
    """Tensors of the backward pass of a bucket: read (q, g, k, v) and filled (dq, dk, dv)."""

    q: Tensor
    g: Tensor
    dq: Tensor
    k: Tensor
    v: Tensor
    dk: Tensor
    dv: Tensor


def bucket_backward(gradients: Gradients, bucket: Bucket, causal: bool, dropout: float) -> None:
    """Compute the gradients of a bucket, in place."""
    # Keys of several tiles get the sum of the gradients.
    summed = queries_of_tile(bucket) < bucket.queries
    if summed:
        gradients.dk.zero_()
        gradients.dv.zero_()
    scratch, slopes = Scratch(bucket, causal, gradients.q), Scratch(bucket, causal, gradients.q)
    for tile in tiles(bucket, len(gradients.q), causal):
        pairs, queries, keys = tile
        weights = tile_weights(gradients.q, gradients.k, bucket, tile, causal, scratch)
        tile_g = gradients.g[pairs, queries]
        slope = slopes.product(tile_g, gradients.v[pairs, keys])  # dP
        dropped = weights
        if dropout:
            kept, factor = draw(weights, dropout)
            slope.mul_(kept).mul_(factor)
            dropped = kept.mul_(weights).mul_(factor)
        gradients.dv[pairs, keys].baddbmm_(dropped.transpose(1, 2), tile_g, beta=summed)
        softmax_backward_(slope, weights)  # dS
        torch.bmm(slope, gradients.k[pairs, keys], out=gradients.dq[pairs, queries])
        gradients.dk[pairs, keys].baddbmm_(
            slope.transpose(1, 2), gradients.q[pairs, queries], beta=summed
        )


class Scratch:
    """Memory for the scores of one tile of a bucket after the other: fresh memory for each would
    take longer than the products.

    Args:
        bucket, causal: as of `tiles`.
        q: (g, L_q, D) the bucket's queries.
    """

    def __init__(self, bucket: Bucket, causal: bool, q: Tensor) -> None:
        self.memory = q.new_empty(max(map(area, tiles(bucket, len(q), causal))))

    def product(self, x: Tensor, y: Tensor) -> Tensor:
        """The products of all x, (g, L_q, D), with all y, (g, L_k, D): (g, L_q, L_k), until the
        next is asked for."""
        shape = len(x), x.shape[1], y.shape[1]
        memory = self.memory[: shape[0] * shape[1] * shape[2]].view(shape)
        return torch.bmm(x, y.transpose(1, 2), out=memory)


def tiles(bucket: Bucket, pairs: int, causal: bool) -> Iterator[Tile]:
    """The tiles of a bucket of this many pairs."""
    queries = queries_of_tile(bucket)
    together = max(1, SCORES // (queries * bucket.keys))
    # A library keeps memory for each length, so there are few lengths.
    lengths = -(-bucket.keys // (CAUSAL_LENGTHS * LANES)) * LANES
    for first in range(0, pairs, together):
        for start in range(0, bucket.queries, queries):
            end = min(start + queries, bucket.queries)
            keys = min(-(-end // lengths) * lengths, bucket.keys) if causal else bucket.keys
            yield slice(first, min(first + together, pairs)), slice(start, end), slice(keys)


def queries_of_tile(bucket: Bucket) -> int:
    """Number of queries in a tile of a bucket, at most."""
    return max(1, min(bucket.queries, SCORES // bucket.keys, QUERIES))


def area(tile: Tile) -> int:
    """Number of scores in a tile."""
    return prod(part.stop - (part.start or 0) for part in tile)


def tile_weights(
    q: Tensor, k: Tensor, bucket: Bucket, tile: Tile, causal: bool, scratch: Scratch
) -> Tensor:
    """The attention weights of a tile."""
    pairs, queries, keys = tile
    scores = scratch.product(q[pairs, queries], k[pairs, keys])
    if causal:  # which also hides padding, from all queries but padding
        # All queries of the tile see the keys before the first of them.
        scores_of_queries = scores[:, :, queries.start :]
        scores_of_queries.add_(_causal_mask(*scores_of_queries.shape[1:]).to(scores))
    elif bucket.padding is not None:
        scores[:, :, bucket.shortest :].add_(bucket.padding[pairs].to(scores.dtype))
    return torch.softmax(scores, -1, out=scores)


def pytorch_attention(q: Tensor, k: Tensor, v: Tensor, bucket: Bucket, causal: bool) -> Tensor:
    """Return the attention of a bucket by PyTorch's kernel, q (g, L_q, D) over k and v (g, L_k, D):
    the shape of q."""
    mask = None
    if bucket.padding is not None and not causal:
        k, v = k[:, : bucket.longest], v[:, : bucket.longest]
        if bucket.shortest < bucket.longest:
            unseen = bucket.padding[:, :, : bucket.longest - bucket.shortest]
            mask = pad(unseen, (bucket.shortest, 0)).to(q.dtype)[:, None]  # (g, 1, 1, longest)
    q, k, v = q[:, None], k[:, None], v[:, None]  # every pair is an example with one head
    return scaled_dot_product_attention(q, k, v, mask, is_causal=causal, scale=1.0).squeeze(1)


@cache
def kernel_is_fast(dtype: torch.dtype) -> bool:
    """Return whether PyTorch's kernel is the faster one for long spans: in 32 bits always, in 16 on
    a processor with matrix registers for 16 bits."""
    # Before torch 2.13 there is no telling.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    registers = {torch.bfloat16: "amx_bf16", torch.float16: "amx_fp16"}
    return dtype == torch.float32 or bool(capabilities.get(registers.get(dtype, "")))


@lru_cache(maxsize=64)
def _causal_mask(queries: int, keys: int) -> Tensor:
    """(queries, keys) -inf for keys after the query."""
    return torch.full((queries, keys), -torch.inf).triu(1)


def scatter_to_buckets(x: Tensor, side: Side) -> Tensor:
    """x, (N, H, D), in the slots of a side: (slots, D)."""
    return x.reshape(-1, x.shape[-1]).index_select(0, side.in_packed)


def with_spare_slot(x: Tensor) -> Tensor:
    """Memory like x, (slots, D), with one slot of zeros more, for tokens in no bucket."""
    slots = x.new_empty(len(x) + 1, x.shape[1])
    slots[-1] = 0
    return slots


def gather_from_buckets(x: Tensor, side: Side) -> Tensor:
    """x, (slots + 1, D), back in the packed sequence: (N, H, D)."""
    return x.index_select(0, side.in_buckets.flatten()).view(*side.in_buckets.shape, x.shape[1])
