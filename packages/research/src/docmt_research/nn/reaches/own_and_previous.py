"""`OwnAndPrevious`: in a decoder, the own sentence of each token up to the token, after the whole
sentence before, which gets no gradient (the segments of Dai et al. 2019, "Transformer-XL").

Shapes: N tokens, H heads, D head dimension; U open units with B hypotheses each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.batch import Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.incremental import IncrementalView
from docmt_nmt.nn.incremental.token_tree import TokenTree
from docmt_nmt.nn.kernels.attend import WeightBlock, attend, weight_blocks
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import KeysValues, KeyValueProjection, Reach, View

_LOOKED = Looked("self", "previous")


@dataclass(frozen=True)
class OwnAndPrevious(Reach[KeysValues]):
    """The own sentence of each token up to the token, after the sentence before in the same
    instance. Step by step, the first look must be at the first token."""

    def full_pass(self, view: FullPass, x: Tensor) -> KeysValues:  # noqa: ARG002
        assert view.memory is not None, "an encoder sees the sentence after, too"
        return view.kept(self, lambda: PackedPairs(view.packed, view))

    def step(self, view: IncrementalView, x: Tensor) -> KeysValues:  # noqa: ARG002
        return view.kept(self, lambda: _written_pairs(view))


class _OneStream(KeysValues):
    """Keys and values for one stream: step by step, two would write into one cache."""

    def in_streams(self, short: KeysValues) -> KeysValues:  # noqa: ARG002
        raise TypeError("OwnAndPrevious is looked at in one stream")


class PackedPairs(_OneStream):
    """The own sentence of each token up to the token, after the sentence before.

    A pair is a copy of the sentence before, without gradient, and the sentence itself. The copy has
    queries too, with unused results, so that the two spans of a pair are equally long.

    Args:
        packed: the sequence, of a decoder.
        view: the view, for recording.
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
        self._before, self._recorder = before, view.view_recorder
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
        if (recorder := self._recorder.active) is not None and recorder.wants_weights:
            blocks = weight_blocks(queries, k, self._spans, self._spans, causal=True)
            recorder.add_blocks(_LOOKED, owner, map(self._of_own, blocks))
        dropout = owner.attention_dropout if owner.training else 0.0
        attended = attend(queries, k, v, self._spans, self._spans, causal=True, dropout=dropout)
        return attended[self._own]

    def _of_own(self, block: WeightBlock) -> WeightBlock:
        """The weights without the queries of the copy."""
        copies = max(0, int(self._before[block.span]) - block.first)
        return block._replace(first=block.first + copies, weights=block.weights[:, copies:])


class WrittenPairs(_OneStream, TokenTree):
    """The written tokens of every hypothesis in the current sentence and the sentence before."""

    def advance(self, begins: NDArray[np.bool_], written: NDArray[np.int64]) -> None:
        self.forget(begins, but_last=written)
        super().advance(begins, written)


def _written_pairs(view: IncrementalView) -> WrittenPairs:
    """The cache at the first token."""
    assert view.length == 1, "the first token is read"
    units = len(view.sharing)
    pairs = WrittenPairs(units, len(view.position) // units, view.device, looked=_LOOKED, view=view)
    pairs.grow()
    return pairs
