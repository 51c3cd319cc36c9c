"""`FullPass`: the view of a whole packed sequence at once, where span i of the queries sees span i
of the keys.

Shapes: N tokens, N_q queries, N_k keys, H heads, D head dimension.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from docmt.nn.batch import Encoded, Memory, Packed
from docmt.nn.kernels.attend import WeightBlock, attend, weight_blocks
from docmt.nn.recording import Looked
from docmt.nn.recurrent import WholeSequences
from docmt.nn.selective import SelectiveAttention, bucket_sentences
from docmt.nn.spans import Spans
from docmt.nn.transfer import to_device
from docmt.nn.views import (
    CountPositions,
    KeysValues,
    KeyValueProjection,
    Positions,
    Scopes,
    Sequences,
    SequenceUnit,
    View,
)
from docmt.nn.word_cache import WordCache, before_each_sentence


class OverSpans(KeysValues):
    """Span i of the queries sees span i of the keys.

    Args:
        queries, keys: as many of the one as of the other.
        states: (N_k, d) what keys and values are made of; None for the queries' own states.
        causal: whether a query sees only what is not after it.
        looked: what this is, for recording.
        view: whose recorder is asked.
    """

    def __init__(
        self,
        queries: Spans,
        keys: Spans,
        states: Tensor | None = None,
        *,
        causal: bool = False,
        looked: Looked | None = None,
        view: View | None = None,
    ) -> None:
        self.queries, self.keys, self.states, self.causal = queries, keys, states, causal
        self._looked, self._view = looked, view

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        """`attend` over the spans: (N_q, H, D) to (N_q, H, D)."""
        k, v = owner.keys_and_values(x if self.states is None else self.states)
        if self._view is not None and (recorder := self._view.recorder) is not None:
            assert self._looked is not None
            if recorder.wants_keys_values and self.states is None:
                recorder.add_keys_values(self._looked, owner, torch.stack((k, v)))
            if recorder.wants_weights:
                blocks = weight_blocks(q, k, self.queries, self.keys, causal=self.causal)
                recorder.add_blocks(self._looked, owner, blocks)
        dropout = owner.attention_dropout if owner.training else 0.0
        return attend(q, k, v, self.queries, self.keys, causal=self.causal, dropout=dropout)

    def has_keys(self, x: Tensor) -> Tensor:  # noqa: ARG002
        """(N_q,) whether the span of each query sees any key."""
        return (self.keys.lengths > 0)[self.queries.index]


class OtherSentences(KeysValues):
    """A query sees all sentences of its instance apart from its own.

    Args:
        packed: the sentences.
        states: (N, d) or (N, 2d) what keys and values are made of.
        past_only: whether only sentences before the query's own are seen.
    """

    def __init__(self, packed: Packed, states: Tensor, *, past_only: bool) -> None:
        self._packed, self._states, self._past_only = packed, states, past_only

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:  # noqa: ARG002
        """Queries, (N, H', D), of a `SelectiveAttention`: (N, H, D)."""
        assert isinstance(owner, SelectiveAttention)
        sentences, found = self._packed.sentences, []
        for first, last in pairwise(self._packed.first_sentences.tolist()):
            begin, end = sentences.host_offsets[[first, last]].tolist()
            buckets, order = bucket_sentences(sentences.host_lengths[first:last], q.device)
            own, others = sentences.index[begin:end, None], to_device(order + first, q.device)
            seen = others < own if self._past_only else others != own
            read = owner.read(self._states[begin:end], buckets)
            looked = owner.find(q[begin:end].transpose(0, 1)[None], read, seen[None])
            found.append(looked[0].transpose(0, 1))
        return torch.cat(found)

    def has_keys(self, x: Tensor) -> Tensor:
        """(N,) whether there is any such sentence."""
        packed, first = self._packed, self._packed.first_sentences
        sizes = np.diff(first)
        if self._past_only:
            there = np.arange(len(packed.sentences)) > first[:-1].repeat(sizes)
        else:
            there = (sizes > 1).repeat(sizes)
        return to_device(there, x.device)[packed.sentences.index]


class OwnAndPrevious(KeysValues):
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
        """(N, H, D) to (N, H, D)"""
        own = owner.keys_and_values(x)
        copies = owner.keys_and_values(x.detach()) if x.requires_grad else own
        k, v = (torch.cat(both)[self._read] for both in zip(copies, own, strict=True))
        queries = q.new_zeros(len(k), *q.shape[1:]).index_copy(0, self._own, q)
        if (recorder := self._view.recorder) is not None:
            looked = Looked("self", "previous")
            if recorder.wants_keys_values:
                recorder.add_keys_values(looked, owner, torch.stack(own))
            if recorder.wants_weights:
                blocks = weight_blocks(queries, k, self._spans, self._spans, causal=True)
                recorder.add_blocks(looked, owner, map(self._of_own, blocks))
        dropout = owner.attention_dropout if owner.training else 0.0
        found = attend(queries, k, v, self._spans, self._spans, causal=True, dropout=dropout)
        return found[self._own]

    def _of_own(self, block: WeightBlock) -> WeightBlock:
        """The weights of the queries of the own sentence, after those of the copies."""
        copies = max(0, int(self._before[block.span]) - block.first)
        return block._replace(first=block.first + copies, weights=block.weights[:, copies:])

    def has_keys(self, x: Tensor) -> Tensor:
        """(N,) all of them have: a token sees itself."""
        return torch.ones(len(x), dtype=torch.bool, device=x.device)


class FullPass(View):
    """A whole packed sequence at once.

    Args:
        packed: the sequence whose states run through the layers.
        memory: what the encoders made of its source, for the layers of a decoder.
        auxiliary: the context encodings that the layers of an encoder look at.
    """

    def __init__(
        self,
        packed: Packed,
        memory: Memory | None = None,
        *,
        auxiliary: Mapping[str, Encoded] | None = None,
    ) -> None:
        self._packed, self.memory = packed, memory
        self._auxiliary = auxiliary or {} if memory is None else memory.auxiliary

    @cached_property
    def own(self) -> Scopes:
        """The tokens themselves, in a decoder those up to each token."""
        causal = self.memory is not None

        def within(spans: Spans, scope: Literal["group", "global"]) -> OverSpans:
            return OverSpans(spans, spans, causal=causal, looked=Looked("self", scope), view=self)

        return Scopes(
            within(self._packed.sentences, "group"), within(self._packed.instances, "global")
        )

    @cached_property
    def own_and_previous(self) -> OwnAndPrevious:
        """The own sentence of each token up to it, after the sentence before."""
        assert self.memory is not None, "an encoder sees the sentence after, too"
        return OwnAndPrevious(self._packed, self)

    def source_as(self, name: str) -> Scopes:
        """The source as it was encoded under this name."""
        assert self.memory is not None, "an encoder has no cross-attention"
        target, source = self._packed, self.memory.source
        states = self.memory.encoded(name).states

        def between(queries: Spans, keys: Spans, scope: Literal["group", "global"]) -> OverSpans:
            return OverSpans(queries, keys, states, looked=Looked("cross", scope, name), view=self)

        return Scopes(
            between(target.sentences, source.sentences, "group"),
            between(target.instances, source.instances, "global"),
        )

    def auxiliary(self, name: str) -> KeysValues | None:
        """The context encodings of this name."""
        if name not in self._auxiliary:
            return None
        states, spans = self._auxiliary[name]
        return OverSpans(
            self._packed.instances, spans, states, looked=Looked(name, "global"), view=self
        )

    def previous(self, x: Tensor, distance: int) -> KeysValues:
        """The sentence so many before each token's own."""
        spans, first = self._packed.sentences, self._packed.first_sentences
        sentences = np.arange(len(spans))
        begin = first[np.searchsorted(first, sentences, side="right") - 1]
        there = sentences - distance >= begin
        looked_at = sentences[there] - distance
        lengths = np.zeros_like(sentences)
        lengths[there] = spans.host_lengths[looked_at]
        index = to_device(spans.tokens_of(looked_at), x.device)
        keys = Spans.of(lengths.tolist(), x.device)
        return OverSpans(
            spans, keys, x[index], looked=Looked(f"previous-{distance}", "group"), view=self
        )

    def other_sentences(self, x: Tensor, *, past_only: bool) -> KeysValues:
        """All sentences of each token's instance apart from its own, or those before it."""
        return OtherSentences(self._packed, x, past_only=past_only)

    def word_cache(self, x: Tensor, size: int) -> WordCache:
        """The words before each sentence in its instance."""
        packed = self._packed
        caches = before_each_sentence(
            packed.host_tokens, packed.sentences, packed.first_sentences, size
        )
        return WordCache(x, list(caches), packed.sentences)

    def positions(self, count_from: CountPositions) -> Positions:
        """The positions of all tokens."""
        packed = self._packed
        spans = packed.instances if count_from == "instance" else packed.sentences
        return Positions(spans.positions, spans.longest)

    @cached_property
    def segments(self) -> Positions:
        """The index of each token's sentence in its instance, from 0."""
        spans, first = self._packed.sentences, self._packed.first_sentences
        index = np.arange(len(spans)) - first[:-1].repeat(np.diff(first))
        limit = int(index.max(initial=0)) + 1
        return Positions(to_device(index, spans.device)[spans.index], limit)

    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        """All target sentences, or instances."""
        assert self.memory is not None, "an encoder writes nothing"
        return WholeSequences(self._packed, self.memory, unit)
