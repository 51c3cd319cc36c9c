"""The reference that training is measured against: the same system with the same weights, computed
as the published G-Transformer code does (Bao et al. 2021): fp32, dense masks over padded instances
for group attention too, all logits at once, PyTorch's own dropout and unfused Adam.

Unlike there the linear layers are not applied to padding, which favours the reference a little.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, dropout

from docmt_nmt.nn.batch import IGNORED, Batch, Packed
from docmt_nmt.nn.spans import Spans
from docmt_nmt.systems import System


class DenseAttention:
    """`attend` by masks over whole instances, (instances, L_q, L_k), L the longest."""

    def __init__(self, batch: Batch) -> None:
        self.sequences: dict[Spans, Packed] = {
            spans: packed
            for packed in (batch.source, batch.target)
            for spans in (packed.sentences, packed.instances)
        }
        self.masks: dict[tuple[Spans, Spans, bool], Tensor] = {}

    def __call__(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        query_spans: Spans,
        key_spans: Spans,
        *,
        causal: bool,
        dropout: float = 0.0,
    ) -> Tensor:
        """(N_q, H, D) over (N_k, H, D): (N_q, H, D)."""
        assert not dropout, "weights of attention are not dropped here"
        queries, keys = self.sequences[query_spans], self.sequences[key_spans]
        name = query_spans, key_spans, causal
        if name not in self.masks:
            self.masks[name] = mask(queries, keys, query_spans, key_spans, causal)
        padded_q, padded_k, padded_v = pad(q, queries), pad(k, keys), pad(v, keys)
        scores = padded_q * q.shape[-1] ** -0.5 @ padded_k.transpose(-1, -2) + self.masks[name]
        output: Tensor = (scores.softmax(-1) @ padded_v).transpose(1, 2)
        unpadded: Tensor = output[queries.instances.index, queries.positions]
        return unpadded


def pad(x: Tensor, packed: Packed) -> Tensor:
    """A packed sequence, (N, H, D), as (instances, H, L, D)."""
    padded = x.new_zeros(len(packed.instances), packed.instances.longest, *x.shape[1:])
    padded[packed.instances.index, packed.positions] = x
    return padded.transpose(1, 2)


def mask(
    queries: Packed, keys: Packed, query_spans: Spans, key_spans: Spans, causal: bool
) -> Tensor:
    """(instances, 1, L_q, L_k), -1e8 where a query does not see a key."""

    def tags(packed: Packed, spans: Spans) -> Tensor:
        padded = torch.full((len(packed.instances), packed.instances.longest), -1)
        padded[packed.instances.index, packed.positions] = spans.index
        return padded

    seen = tags(queries, query_spans)[:, :, None] == tags(keys, key_spans)[:, None]
    if causal:
        seen = seen.tril()
    return torch.zeros(seen.shape).masked_fill(~seen, -1e8)[:, None]


@contextmanager
def densely(batch: Batch) -> Iterator[None]:
    """Within it, systems are computed as the reference."""
    with (
        patch("docmt_nmt.nn.full_pass.attend", DenseAttention(batch)),
        patch("docmt_nmt.systems.transformer.dropout", dropout),
        patch(
            "docmt_nmt.nn.layers.add_dropped",
            lambda x, y, share, training: x + dropout(y, share, training),
        ),
    ):
        yield


def dense_loss(system: System, batch: Batch, smoothing: float) -> Tensor:
    """Mean loss of a label."""
    with densely(batch):
        return cross_entropy(
            system(batch), batch.labels, ignore_index=IGNORED, label_smoothing=smoothing
        )
