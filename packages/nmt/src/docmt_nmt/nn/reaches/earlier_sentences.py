"""`EarlierSentences`: what lies beyond each token's own sentence: the sentences of its instance
before it, or the source sentences before the one that it translates.

A first sentence, and a sentence alone, see nothing.

Shapes: N tokens, S sentences; U open units with B hypotheses each, R = U · B hypotheses; I open
instances of up to L source tokens; H heads, D head dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.batch import SOURCE, Packed
from docmt_nmt.nn.full_pass import FullPass, OverSpans
from docmt_nmt.nn.incremental import BeamState
from docmt_nmt.nn.incremental.cached import attend_cached, mask_to_bias
from docmt_nmt.nn.incremental.shared_source import SharedSource
from docmt_nmt.nn.incremental.token_tree import TokenTree
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import KeysValues, KeyValueProjection, Reach

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class EarlierSentences(Reach[KeysValues]):
    """The sentences before each token's own in its instance. Attention weights are not recorded.

    Attributes:
        of_source: whether they are sentences of the source, before the sentence that is translated.
        most: the number of sentences, the nearest ones; None for all of the instance.
    """

    of_source: bool = False
    most: int | None = None

    def full_pass(self, view: FullPass, x: Tensor) -> KeysValues:  # noqa: ARG002
        return view.kept(self, lambda: self._packed(view))

    def step(self, view: BeamState, x: Tensor) -> KeysValues:  # noqa: ARG002
        return view.kept(
            self,
            lambda: EarlierSource(view, self) if self.of_source else _written_before(view, self),
        )

    def first(self, sentences: Integers, first_of_instance: Integers) -> Integers:
        """The first sentence that is seen from each sentence, given the first of its instance; the
        sentence itself where nothing is seen."""
        if self.most is None:
            return first_of_instance
        return np.maximum(first_of_instance, sentences - self.most)

    def _packed(self, view: FullPass) -> PackedEarlier:
        if not self.of_source:
            return PackedEarlier(view.packed.sentences, view.packed, None, self)
        assert view.memory is not None, "an encoder has no source beside it"
        states = view.memory.encoded(SOURCE).states
        return PackedEarlier(view.packed.sentences, view.memory.source, states, self)


class PackedEarlier(OverSpans):
    """Each sentence sees copies of the keys and values of the sentences before it.

    Args:
        queries: the sentences that look, as many as there are sentences to see.
        packed: the sentences to see.
        states: their states; None for the states of the queries.
        reach: how many are seen.
    """

    def __init__(
        self, queries: Spans, packed: Packed, states: Tensor | None, reach: EarlierSentences
    ) -> None:
        spans, first = packed.sentences, packed.first_sentences
        sentences = np.arange(len(spans))
        seen = reach.first(sentences, first[:-1].repeat(np.diff(first)))
        begins, ends = spans.host_offsets[seen], spans.host_offsets[sentences]
        lengths = ends - begins
        before = lengths.cumsum() - lengths
        index = np.arange(int(lengths.sum())) + (begins - before).repeat(lengths)
        super().__init__(queries, Spans.of(lengths.tolist(), spans.device), states)
        self._index = to_device(index, spans.device)

    @property
    def is_empty(self) -> bool:
        return self.keys.total == 0

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, owner: KeyValueProjection) -> Tensor:
        k, v = k.index_select(0, self._index), v.index_select(0, self._index)
        return super()._attend(q, k, v, owner)


class EarlierSource(SharedSource):
    """The source sentences before the one that each hypothesis translates.

    Args:
        view: the decoding state.
        reach: how many are seen.
    """

    def __init__(self, view: BeamState, reach: EarlierSentences) -> None:
        looked = Looked("cross", "global")
        super().__init__(view.memory, view.sharing, SOURCE, looked=looked, view=view)
        self._view, self._reach = view, reach
        self._sentence: Integers | None = None
        self._seen_masks: tuple[Tensor, Tensor] | None = None

    @property
    def is_empty(self) -> bool:
        begins, ends = self._stretches()
        return not bool((ends > begins).any())

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:  # noqa: ARG002
        if owner not in self._padded:
            self._padded[owner] = self._pad(owner, by_key=False)
        keys, values = self._padded[owner]
        bias, has_keys = self._masks_of(keys)
        return attend_cached(q, keys, values, bias, has_keys=has_keys, sharing=self._sharing)

    def has_keys(self, x: Tensor) -> Tensor:
        begins, ends = self._stretches()
        return to_device((ends > begins).reshape(-1), x.device)

    def keep_instances(self, instances: Integers) -> None:
        """Keep these instances, by index, and forget the others."""
        self.keep(instances)
        self._seen_masks = None

    def _stretches(self) -> tuple[Integers, Integers]:
        """(U, B) the first source token that each hypothesis sees, and the end."""
        sharing, source = self._sharing, self._memory.source
        sentence = self._view.sentence.reshape(len(sharing), -1)
        first = source.first_sentences[sharing.instances[sharing.instance_of]][:, None]
        offsets = source.sentences.host_offsets
        return offsets[self._reach.first(sentence, first)], offsets[sentence]

    def _masks_of(self, keys: Tensor) -> tuple[Tensor, Tensor]:
        """The bias, (I, 1, ·, L), and `has_keys`, (I, 1, ·, 1), of `attend_cached`."""
        sentence, length = self._view.sentence, keys.shape[3]
        known = self._seen_masks
        if known is None or known[0].shape[3] != length or known[0].dtype != keys.dtype:
            self._sentence = None
        if self._sentence is None or not np.array_equal(sentence, self._sentence):
            self._sentence = sentence
            self._seen_masks = self._new_masks(length, keys)
        assert self._seen_masks is not None
        return self._seen_masks

    def _new_masks(self, length: int, keys: Tensor) -> tuple[Tensor, Tensor]:
        sharing = self._sharing
        begins, ends = self._stretches()
        start = self._spans.host_offsets[sharing.instances[sharing.instance_of]]
        tokens = start[:, None, None] + np.arange(length)
        seen = (begins[:, :, None] <= tokens) & (tokens < ends[:, :, None])
        bias, has_keys = _masks(seen, length, keys.dtype, keys.device)
        return sharing.group(bias.transpose(1, 2)), sharing.group(has_keys.transpose(1, 2))


class WrittenBefore(TokenTree):
    """The written tokens of every hypothesis in the sentences before the current one.

    Args:
        units, beam_size, device: as of `TokenTree`.
        reach: how many sentences are seen.
    """

    def __init__(
        self, units: int, beam_size: int, device: torch.device, reach: EarlierSentences
    ) -> None:
        super().__init__(units, beam_size, device)
        self._reach = reach
        self._sentence = np.zeros((units, beam_size), np.int64)
        self._sentence_of_slot = np.zeros((units, 0), np.int64)

    def advance(self, begins: NDArray[np.bool_], written: Integers) -> None:
        self._sentence = self._sentence + begins
        super().advance(begins, written)

    def grow(self) -> None:
        before = self.slots
        super().grow()
        units, known = self._sentence_of_slot.shape
        if self.slots > known:
            more = np.zeros((units, self.capacity - known), np.int64)
            self._sentence_of_slot = np.concatenate([self._sentence_of_slot, more], axis=1)
        self._sentence_of_slot[:, before : self.slots] = self._sentence

    def move(self, first: int, order: Integers) -> None:
        moved = np.take_along_axis(self._sentence_of_slot, order, axis=1)
        self._sentence_of_slot[:, first : first + order.shape[1]] = moved
        super().move(first, order)

    def select(self, parents: Integers) -> None:
        self._sentence = np.take_along_axis(self._sentence, parents, axis=1)
        super().select(parents)

    def keep(self, units: Integers) -> None:
        self._sentence = self._sentence[units]
        self._sentence_of_slot = self._sentence_of_slot[units]
        super().keep(units)

    def has_keys(self, x: Tensor) -> Tensor:
        return to_device(self._before().any(axis=2).reshape(-1), x.device)

    def _attend(self, q: Tensor, new: Sequence[Tensor], owner: KeyValueProjection) -> Tensor:
        keys, values = self.extend(owner, new)
        bias, has_keys = _masks(self._before(), self.capacity, keys.dtype, self.device)
        return attend_cached(q, keys.transpose(2, 3), values, bias, has_keys=has_keys)

    def _before(self) -> NDArray[np.bool_]:
        """(U, B, S) the slots of sentences that each hypothesis sees."""
        slots = self._sentence_of_slot[:, None, : self.slots]
        own = self._sentence[:, :, None]
        first = self._reach.first(own, np.zeros_like(own))
        return self.seen & (first <= slots) & (slots < own)


def _written_before(view: BeamState, reach: EarlierSentences) -> WrittenBefore:
    """The cache at the first token."""
    assert view.length == 1, "the first token is read"
    units = len(view.sharing)
    cache = WrittenBefore(units, len(view.position) // units, view.device, reach)
    cache.grow()
    return cache


def _masks(
    seen: NDArray[np.bool_], length: int, dtype: torch.dtype, device: torch.device
) -> tuple[Tensor, Tensor]:
    """The bias, (U, 1, B, length), and `has_keys`, (U, 1, B, 1), of `attend_cached`, for visible
    keys, (U, B, S). A hypothesis without any sees the first, which `has_keys` masks: a softmax over
    nothing is no number."""
    some = np.asarray(seen.any(axis=2, keepdims=True))  # (U, B, 1)
    seen = seen.copy()
    seen[:, :, :1] |= ~some
    return mask_to_bias(seen, length, dtype, device), to_device(some, device).to(dtype)[:, None]
