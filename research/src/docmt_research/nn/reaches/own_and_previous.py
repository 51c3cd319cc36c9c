"""`OwnAndPrevious`: in a decoder, the own sentence of each token up to it, after the whole sentence
before it, whose states pass no gradient (the segments of Dai et al. 2019, "Transformer-XL").

Shapes: N tokens, H heads, D head dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from docmt.nn.batch import Packed
from docmt.nn.full_pass import FullPass
from docmt.nn.incremental import IncrementalView
from docmt.nn.kernels.attend import WeightBlock, attend, weight_blocks
from docmt.nn.recording import Looked
from docmt.nn.spans import Spans
from docmt.nn.transfer import to_device
from docmt.nn.views import KeysValues, KeyValueProjection, Reach, View


@dataclass(frozen=True)
class OwnAndPrevious(Reach[KeysValues]):
    """The own sentence of each token up to it, after the sentence before it in its instance. Who
    looks there step by step does so from the first token on."""

    # Both streams would write into one cache.
    in_two_streams: ClassVar[bool] = False

    def full_pass(self, view: FullPass, x: Tensor) -> KeysValues:  # noqa: ARG002
        assert view.memory is not None, "an encoder sees the sentence after, too"
        return view.kept(self, lambda: PackedPairs(view.packed, view))

    def step(self, view: IncrementalView, x: Tensor) -> KeysValues:  # noqa: ARG002
        return view.own_and_previous


class PackedPairs(KeysValues):
    """The own sentence of each token up to it, after the sentence before.

    Each sentence is read after the one before, in a copy whose states pass no gradient and whose
    own queries are not asked for, so that the two spans of a pair are equally long.

    Args:
        packed: the sequence, of a decoder.
        view: whose recorder is asked.
    """

    def __init__(self, packed: Packed, view: View) -> None:
        spans, first = packed.sentences, packed.first_sentences
        sentences = np.arange(len(spans))
        previous = np.where(np.isin(sentences, first), -1, sentences - 1)
        read = np.stack([previous, sentences], axis=1).reshape(-1)
        is_copy = np.tile([True, False], len(spans))[read >= 0]
        read = read[read >= 0]
        lengths = spans.host_lengths[read]
        before = np.where(previous < 0, 0, spans.host_lengths[previous])
        self._before, self._view = before, view
        self._spans = Spans.of((before + spans.host_lengths).tolist(), spans.device)
        copied = is_copy.repeat(lengths)
        self._own = to_device((~copied).nonzero()[0], spans.device)
        # Among the tokens, and copies of them.
        self._read = to_device(spans.tokens_of(read) + spans.total * ~copied, spans.device)

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        own_keys_values = owner.keys_and_values(x)
        copies = owner.keys_and_values(x.detach()) if x.requires_grad else own_keys_values
        k, v = (torch.cat(both)[self._read] for both in zip(copies, own_keys_values, strict=True))
        queries = q.new_zeros(len(k), *q.shape[1:]).index_copy(0, self._own, q)
        if (recorder := self._view.recorder) is not None:
            looked = Looked("self", "previous")
            if recorder.wants_keys_values:
                recorder.add_keys_values(looked, owner, torch.stack(own_keys_values))
            if recorder.wants_weights:
                blocks = weight_blocks(queries, k, self._spans, self._spans, causal=True)
                recorder.add_blocks(looked, owner, map(self._of_own, blocks))
        dropout = owner.attention_dropout if owner.training else 0.0
        attended = attend(queries, k, v, self._spans, self._spans, causal=True, dropout=dropout)
        return attended[self._own]

    def _of_own(self, block: WeightBlock) -> WeightBlock:
        """The weights of the queries of the own sentence, after those of the copies."""
        copies = max(0, int(self._before[block.span]) - block.first)
        return block._replace(first=block.first + copies, weights=block.weights[:, copies:])
