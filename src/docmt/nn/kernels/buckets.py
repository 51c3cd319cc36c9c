"""How the spans of a packed row are laid out for attention: spans of like length go together into
buckets, each padded to its longest.

Shapes: N tokens of a row, H heads; n spans of a bucket, L_q and L_k its longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from docmt.nn.spans import Spans

LANES = 32
"""Keys of a bucket are padded to a multiple of it: vector units work on whole registers, and rows
of 16-bit scores of another length are several times slower."""


@dataclass(frozen=True, eq=False)
class Bucket:
    """Pairs of spans that are computed together.

    Attributes:
        queries, keys: L_q and L_k.
        query_places, key_places: which places of either side, n · H · L, are the bucket's.
        shortest, longest: the fewest and the most keys of a span.
        padding: (n · H, 1, L_k - shortest) of the keys from `shortest` on, -inf for those that are
            padding and 0 for others, or None where there is no padding.
    """

    queries: int
    keys: int
    query_places: slice
    key_places: slice
    shortest: int
    longest: int
    padding: Tensor | None

    def of_queries(self, x: Tensor) -> Tensor:
        """The bucket's part of x, (places, D): (n · H, L_q, D)."""
        return x[self.query_places].view(-1, self.queries, x.shape[1])

    def of_keys(self, x: Tensor) -> Tensor:
        """The bucket's part of x, (places, D): (n · H, L_k, D)."""
        return x[self.key_places].view(-1, self.keys, x.shape[1])


@dataclass(frozen=True, eq=False)
class Side:
    """Where the tokens of one side of the pairs lie: `there`, in all buckets one after the other,
    each (n, H, L), and `back`, in the row.

    Attributes:
        there: (places,) for each place in the buckets, its token and head in the row, (N, H)
            flattened; padding repeats the last token of its span.
        back: (N, H) for each token and head of the row, its place in the buckets. A token that
            is in no bucket has the place after the last.
        real: (places, 1) 1 for tokens and 0 for padding.
    """

    there: Tensor
    back: Tensor
    real: Tensor

    def to(self, device: torch.device) -> Side:
        """The same on another device."""
        return Side(self.there.to(device), self.back.to(device), self.real.to(device))


@dataclass(frozen=True, eq=False)
class Layout:
    """Pairs of spans, laid out."""

    buckets: Sequence[Bucket]
    queries: Side
    keys: Side


@lru_cache(maxsize=16)
def pair(query_spans: Spans, key_spans: Spans, heads: int) -> Layout:
    """The layout of a pair of span tables; it is made once and serves every layer of a batch."""
    assert len(query_spans) == len(key_spans), "a query span needs a key span"
    device = query_spans.offsets.device
    query_lengths, key_lengths = query_spans.lengths.tolist(), key_spans.lengths.tolist()
    groups = like_lengths(query_lengths, key_lengths)
    buckets, query_place, key_place = [], 0, 0
    for group in groups:
        queries = max(query_lengths[i] for i in group)
        own = [key_lengths[i] for i in group]
        keys = -(-max(own) // LANES) * LANES
        pairs = len(group) * heads
        query_places = slice(query_place, query_place := query_place + pairs * queries)
        key_places = slice(key_place, key_place := key_place + pairs * keys)
        unseen = padding(own, keys, heads)
        unseen = None if unseen is None else unseen.to(device)
        buckets.append(Bucket(queries, keys, query_places, key_places, min(own), max(own), unseen))
    return Layout(
        buckets,
        side(query_spans, groups, [b.queries for b in buckets], heads).to(device),
        side(key_spans, groups, [b.keys for b in buckets], heads).to(device),
    )


def like_lengths(query_lengths: Sequence[int], key_lengths: Sequence[int]) -> list[list[int]]:
    """Group the pairs that have queries and keys so that little is padded: the shortest of a
    group is at least three quarters as long as the longest, or as many registers."""
    sizes = {
        i: max(q, k) for i, (q, k) in enumerate(zip(query_lengths, key_lengths, strict=True))
        if q and k
    }  # fmt: skip
    groups: list[list[int]] = []
    longest = 0
    for i in sorted(sizes, key=lambda i: -sizes[i]):
        registers = -(-sizes[i] // LANES), -(-longest // LANES)
        if not groups or (sizes[i] < 0.75 * longest and registers[0] < registers[1]):
            groups.append([])
            longest = sizes[i]
        groups[-1].append(i)
    return groups


def padding(lengths: Sequence[int], longest: int, heads: int) -> Tensor | None:
    """`Bucket.padding` for keys of these lengths."""
    if min(lengths) == longest:
        return None
    beyond = torch.arange(min(lengths), longest) >= torch.tensor(lengths)[:, None]
    unseen = torch.zeros(beyond.shape).masked_fill(beyond, -torch.inf)
    return unseen.repeat_interleave(heads, dim=0)[:, None]


def side(spans: Spans, groups: Sequence[Sequence[int]], longest: Sequence[int], heads: int) -> Side:
    """One side of a layout: which spans each bucket holds, and the length it pads them to."""
    offsets, all_lengths = spans.offsets.cpu(), spans.lengths.cpu()
    places = heads * sum(len(group) * length for group, length in zip(groups, longest, strict=True))
    back = torch.full((int(offsets[-1]), heads), places)
    there, real = [torch.zeros(0, dtype=torch.int64)], [torch.zeros(0)]
    head, before = torch.arange(heads)[:, None], 0
    for group, length in zip(groups, longest, strict=True):
        members = torch.tensor(group)
        starts, lengths = offsets[members, None, None], all_lengths[members, None, None]
        steps = torch.arange(length)
        tokens = starts + torch.minimum(steps, lengths - 1)  # (n, 1, L)
        rows = tokens * heads + head  # (n, H, L)
        inside = (steps < lengths).expand_as(rows)
        own = before + torch.arange(rows.numel()).view_as(rows)
        back.view(-1)[rows[inside]] = own[inside]
        there.append(rows.flatten())
        real.append(inside.flatten().float())
        before += rows.numel()
    return Side(torch.cat(there), back, torch.cat(real)[:, None])
