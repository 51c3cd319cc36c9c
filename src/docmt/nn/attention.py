"""`attend`, the one attention of docmt: span i of the queries sees span i of the keys, and
nothing else.

With sentence spans this is the group attention of Bao et al. 2021 (Eq. 6), whose mask M(G_Q, G_K)
(Eq. 7) is never built; with instance spans it is the attention of Vaswani et al. 2017 over each
instance. `attend_densely` builds the mask and is what every other path is tested against.

Shapes: N_q queries, N_k keys, H heads, D head dimension; n spans of a bucket, L the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from docmt.batches.packing import Spans


def attend(
    q: Tensor, k: Tensor, v: Tensor, query_spans: Spans, key_spans: Spans, *, causal: bool = False
) -> Tensor:
    """Scaled dot-product attention within pairs of spans.

    Spans are gathered into a few padded buckets of like length, so the cost is that of the spans
    and not of the row. A query whose key span is empty gets zeros.

    Args:
        q: (N_q, H, D)
        k, v: (N_k, H, D)
        query_spans, key_spans: as many of the one as of the other.
        causal: a token sees only itself and what comes before it in its span; the two spans of
            each pair must then be equally long.

    Returns:
        (N_q, H, D)
    """
    layout = pair(query_spans, key_spans)
    outputs = []
    for bucket in layout.buckets:
        n, longest = bucket.queries.shape
        output = scaled_dot_product_attention(
            pick(q, bucket.queries),
            pick(k, bucket.keys),
            pick(v, bucket.keys),
            attn_mask=bucket.causal_mask if causal else bucket.mask,
        )  # (n, H, L, D)
        output = output.transpose(1, 2).reshape(n * longest, *q.shape[1:])
        outputs.append(output.index_select(0, bucket.valid))
    if not outputs:
        return torch.zeros_like(q)
    gathered = torch.cat(outputs)
    if layout.unseeing is not None:
        gathered = torch.cat([gathered, gathered.new_zeros(layout.unseeing, *q.shape[1:])])
    return gathered.index_select(0, layout.order)


def pick(x: Tensor, index: Tensor) -> Tensor:
    """Rows of x, (N, H, D), at `index`, (n, L), as (n, H, L, D)."""
    n, longest = index.shape
    return x.index_select(0, index.flatten()).view(n, longest, *x.shape[1:]).transpose(1, 2)


@dataclass(frozen=True, eq=False)
class Bucket:
    """Pairs of spans that are computed together, padded to the longest.

    Attributes:
        queries: (n, L_q) where in the packed row each query lies; padding repeats a real one.
        keys: (n, L_k) likewise.
        valid: places in the flattened `queries` that are no padding.
        mask: (n, 1, 1, L_k) true for keys that are no padding, or None where there is none.
        causal_mask: (n or 1, 1, L_q, L_k) the same for causal attention.
    """

    queries: Tensor
    keys: Tensor
    valid: Tensor
    mask: Tensor | None
    causal_mask: Tensor


@dataclass(frozen=True, eq=False)
class Layout:
    """How the spans of a row are computed.

    Attributes:
        buckets: the work.
        order: (N_q,) where in the buckets' outputs each query of the row is found.
        unseeing: how many queries have no keys, or None if all have.
    """

    buckets: Sequence[Bucket]
    order: Tensor
    unseeing: int | None


@lru_cache(maxsize=16)
def pair(query_spans: Spans, key_spans: Spans) -> Layout:
    """The layout of a pair of span tables; it is made once and serves every layer of a batch."""
    assert len(query_spans) == len(key_spans), "a query span needs a key span"
    device = query_spans.offsets.device
    query_lengths, key_lengths = query_spans.lengths.tolist(), key_spans.lengths.tolist()
    query_starts, key_starts = query_spans.offsets.tolist(), key_spans.offsets.tolist()
    buckets, flat = [], []
    seeing = [i for i, (q, k) in enumerate(zip(query_lengths, key_lengths, strict=True)) if q and k]
    for members in like_lengths(seeing, query_lengths, key_lengths):
        queries, queries_real = padded(
            [query_starts[i] for i in members], [query_lengths[i] for i in members]
        )
        keys, keys_real = padded(
            [key_starts[i] for i in members], [key_lengths[i] for i in members]
        )
        valid = queries_real.flatten().nonzero().squeeze(1)
        flat.append(queries.flatten()[valid])
        full = bool(keys_real.all())
        triangle = torch.ones(queries.shape[1], keys.shape[1], dtype=torch.bool).tril()
        real = keys_real[:, None, None, :]
        buckets.append(
            Bucket(
                queries.to(device), keys.to(device), valid.to(device),
                None if full else real.to(device),
                (triangle[None, None] if full else triangle & real).to(device),
            )
        )  # fmt: skip
    blind = [
        i for i, (q, k) in enumerate(zip(query_lengths, key_lengths, strict=True)) if q and not k
    ]
    for i in blind:
        flat.append(torch.arange(query_starts[i], query_starts[i] + query_lengths[i]))
    row = torch.cat(flat) if flat else torch.zeros(0, dtype=torch.int64)
    order = torch.empty_like(row)
    order[row] = torch.arange(len(row))
    return Layout(
        buckets, order.to(device), sum(query_lengths[i] for i in blind) if blind else None
    )


def like_lengths(
    members: Sequence[int], query_lengths: Sequence[int], key_lengths: Sequence[int]
) -> list[list[int]]:
    """Group spans so that little is padded: the shortest of a bucket is at least three quarters as
    long as the longest, or within eight tokens of it."""
    size = {i: max(query_lengths[i], key_lengths[i]) for i in members}
    groups: list[list[int]] = []
    longest = 0
    for i in sorted(members, key=lambda i: -size[i]):
        if not groups or size[i] < min(0.75 * longest, longest - 8):
            groups.append([])
            longest = size[i]
        groups[-1].append(i)
    return groups


def padded(starts: Sequence[int], lengths: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Places of spans in the row, (n, L), and which are real, (n, L); padding repeats the last."""
    length = torch.tensor(lengths)[:, None]
    steps = torch.arange(max(lengths))[None]
    places = torch.tensor(starts)[:, None] + torch.minimum(steps, length - 1)
    return places, steps < length


def attend_densely(
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
