"""The layout of the spans of a packed sequence for attention: spans of like length go together
into buckets, each padded to the longest span.

Shapes: N tokens of a packed sequence, H heads; n spans of a bucket, L_q and L_k the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device

LANES = 32
"""Keys of a bucket are padded to a multiple of it: vector units work on whole registers, and rows
of 16-bit scores of another length are several times slower."""


@dataclass(frozen=True, eq=False)
class Bucket:
    """Pairs of spans computed together.

    Attributes:
        queries, keys: L_q and L_k.
        query_slots, key_slots: the slots of the bucket on either side, n · H · L.
        shortest, longest: the fewest and the most keys of a span.
        padding: (n · H, 1, L_k - shortest) for the keys from `shortest` on: -inf for padding, 0 for
            others; None without padding.
    """

    queries: int
    keys: int
    query_slots: slice
    key_slots: slice
    shortest: int
    longest: int
    padding: Tensor | None

    def of_queries(self, x: Tensor) -> Tensor:
        """The bucket's part of x, (slots, D): (n · H, L_q, D)."""
        return x[self.query_slots].view(-1, self.queries, x.shape[1])

    def of_keys(self, x: Tensor) -> Tensor:
        """The bucket's part of x, (slots, D): (n · H, L_k, D)."""
        return x[self.key_slots].view(-1, self.keys, x.shape[1])


@dataclass(frozen=True, eq=False)
class Side:
    """Slots of the tokens of one side of the pairs: a token and head of the packed sequence has a
    slot in one of the buckets, which lie one after the other, each (n, H, L).

    Attributes:
        in_packed: (slots,) the token and head of each slot in the packed sequence, (N, H)
            flattened; padding repeats the last token of the span.
        in_buckets: (N, H) the slot of each token and head. A token outside all buckets has the slot
            after the last.
        real: (slots, 1) 1 for tokens and 0 for padding.
    """

    in_packed: Tensor
    in_buckets: Tensor
    real: Tensor


@dataclass(frozen=True, eq=False)
class Layout:
    """Pairs of spans, laid out."""

    buckets: Sequence[Bucket]
    queries: Side
    keys: Side


@lru_cache(maxsize=16)
def lay_out(query_spans: Spans, key_spans: Spans, heads: int) -> Layout:
    """The layout of a pair of span tables; it is made once, on the host, and serves every layer of
    a batch."""
    assert len(query_spans) == len(key_spans), "a query span needs a key span"
    device = query_spans.device
    query_lengths, key_lengths = query_spans.host_lengths, key_spans.host_lengths
    groups = group_like_lengths(query_lengths.tolist(), key_lengths.tolist())
    buckets, query_slot, key_slot = [], 0, 0
    for group in groups:
        queries = int(query_lengths[group].max())
        lengths_of_group = key_lengths[group]
        keys = -(-int(lengths_of_group.max()) // LANES) * LANES
        pairs = len(group) * heads
        query_slots = slice(query_slot, query_slot := query_slot + pairs * queries)
        key_slots = slice(key_slot, key_slot := key_slot + pairs * keys)
        shortest, longest = int(lengths_of_group.min()), int(lengths_of_group.max())
        padding = _padding(lengths_of_group, keys, heads)
        sent = None if padding is None else to_device(padding, device)
        buckets.append(Bucket(queries, keys, query_slots, key_slots, shortest, longest, sent))
    return Layout(
        buckets,
        _side(query_spans, groups, [b.queries for b in buckets], heads),
        _side(key_spans, groups, [b.keys for b in buckets], heads),
    )


def group_like_lengths(query_lengths: Sequence[int], key_lengths: Sequence[int]) -> list[list[int]]:
    """Group the pairs with queries and keys, with little padding: the shortest of a group is at
    least two thirds as long as the longest, or a quarter of a register."""
    sizes = {
        i: max(q, k)
        for i, (q, k) in enumerate(zip(query_lengths, key_lengths, strict=True))
        if q and k
    }
    groups: list[list[int]] = []
    longest = 0
    for i in sorted(sizes, key=lambda i: -sizes[i]):
        if not groups or (longest > LANES // 4 and 3 * sizes[i] < 2 * longest):
            groups.append([])
            longest = sizes[i]
        groups[-1].append(i)
    return groups


def _padding(lengths: NDArray[np.int64], longest: int, heads: int) -> NDArray[np.float32] | None:
    """`Bucket.padding` for keys of these lengths."""
    shortest = int(lengths.min())
    if shortest == longest:
        return None
    beyond = np.arange(shortest, longest) >= lengths[:, None]
    hidden = np.where(beyond, np.float32(-np.inf), np.float32(0))
    return hidden.repeat(heads, axis=0)[:, None]


def _side(
    spans: Spans, groups: Sequence[Sequence[int]], longest: Sequence[int], heads: int
) -> Side:
    """One side of a layout: which spans each bucket holds, and the length it pads them to."""
    slots = heads * sum(len(group) * length for group, length in zip(groups, longest, strict=True))
    in_buckets = np.full((spans.total, heads), slots)
    in_packed = np.zeros(slots, np.int64)
    real = np.zeros((slots, 1), np.float32)
    head, before = np.arange(heads)[:, None], 0
    for group, length in zip(groups, longest, strict=True):
        starts = spans.host_offsets[group][:, None, None]
        lengths = spans.host_lengths[group][:, None, None]
        steps = np.arange(length)
        tokens = starts + np.minimum(steps, lengths - 1)  # (n, 1, L)
        flat = tokens * heads + head  # (n, H, L)
        inside = np.broadcast_to(steps < lengths, flat.shape)
        positions = before + np.arange(flat.size).reshape(flat.shape)
        in_buckets.reshape(-1)[flat[inside]] = positions[inside]
        after = before + flat.size
        in_packed[before:after] = flat.reshape(-1)
        real[before:after, 0] = inside.reshape(-1)
        before = after
    device = spans.device
    return Side(*(to_device(array, device) for array in (in_packed, in_buckets, real)))
