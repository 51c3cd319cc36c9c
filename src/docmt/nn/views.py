"""Views: what the modules of a layer may look at.

An attention asks its view for keys and values and never knows whether the whole sequence is there
(`FullPass`: training, scoring, reading a draft) or one new token of every hypothesis
(`docmt.nn.incremental`: search, with caches). So every equation is written once.

Shapes: N_q queries, N_k keys, H heads, D head dimension; of a full pass N tokens, S sentences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import torch
from torch import Tensor

from docmt.nn.batch import SOURCE, Encoded, Memory, Packed
from docmt.nn.kernels.attend import attend, span_weights
from docmt.nn.recording import Looked, Recorder
from docmt.nn.spans import Spans

if TYPE_CHECKING:
    from docmt.nn.attention import MultiHeadAttention
    from docmt.nn.incremental.source_window import SourceKeys

CountPositions = Literal["instance", "sentence"]


class Positions(NamedTuple):
    """The positions of tokens.

    Attributes:
        values: (N,) or, where all are equal, (1,): from 0, on the device.
        limit: one more than the largest, known on the host.
    """

    values: Tensor
    limit: int


class KeysValues(ABC):
    """The keys and values that an attention looks at."""

    @abstractmethod
    def attend(self, q: Tensor, x: Tensor, owner: MultiHeadAttention) -> Tensor:
        """What each query finds.

        Args:
            q: (N_q, H, D) the queries.
            x: (N_q, d_model) what they were made of. In self-attention the keys and values are
                made of it, too.
            owner: the attention, which makes keys and values.

        Returns:
            (N_q, H, D); zeros for a query without keys.
        """

    @abstractmethod
    def has_keys(self, x: Tensor) -> Tensor:
        """(N_q,) whether each query, made of x, (N_q, d_model), has any keys."""


class Scopes(NamedTuple):
    """Keys and values in two reaches.

    Attributes:
        sentences: those of the sentence a query lies in, or translates.
        instances: those of its whole instance.
    """

    sentences: KeysValues
    instances: KeysValues


class View(ABC):
    """What the modules of a layer may look at.

    Attributes:
        recorder: what is recorded on the way, if anything; see `recording`.
    """

    recorder: Recorder | None = None

    @property
    @abstractmethod
    def own(self) -> Scopes:
        """What self-attention looks at."""

    @cached_property
    def source(self) -> Scopes:
        """What cross-attention looks at."""
        return self.source_as(SOURCE)

    @abstractmethod
    def source_as(self, name: str) -> Scopes:
        """The source as it was encoded under this name."""

    @abstractmethod
    def auxiliary(self, name: str) -> KeysValues | None:
        """The context encodings of this name; None where the batch has none."""

    @abstractmethod
    def positions(self, count_from: CountPositions) -> Positions:
        """The positions of the tokens in their `instance` or `sentence`."""

    @abstractmethod
    def sequences(self) -> Sequences:
        """The target sentences as a recurrent network writes them."""

    @contextmanager
    def recording(self, *, keys_values: bool = False, weights: bool = False) -> Iterator[Recorder]:
        """Record what attention looks at while this view is in use.

        Args:
            keys_values: record the keys and values of self-attention.
            weights: record the weights of every attention.
        """
        self.recorder = Recorder(keys_values=keys_values, weights=weights)
        try:
            yield self.recorder
        finally:
            self.recorder = None


class Sequences(ABC):
    """The target sentences as a recurrent network writes them: token by token, many at a time.

    Attributes:
        memory: the encoded source.
        sentences: (S,) the source sentence each of them translates, on the device.
    """

    memory: Memory
    sentences: Tensor

    @abstractmethod
    def in_time_order(self, x: Tensor) -> Tensor:
        """x, (N, d_model), with the first tokens of all sentences first, then the second, …"""

    @abstractmethod
    def in_text_order(self, x: Tensor) -> Tensor:
        """x, (N, d_model), in the order of `in_time_order`, as it was before."""

    @abstractmethod
    def by_sentence(self, found: list[Tensor]) -> list[Tensor]:
        """What was found for each sentence, in the order of `sentences`, in text order."""

    @abstractmethod
    def sizes(self) -> Sequence[int]:
        """How many sentences have a first token, a second one, …; never more than before."""

    @abstractmethod
    def source(self, owner: torch.nn.Module, states: Tensor) -> SourceKeys:
        """The source sentence of each, made of the keys and values, (2, N_source, H, D), that
        `owner` has made of the whole source; called once for each owner."""

    @abstractmethod
    def state(self, owner: torch.nn.Module) -> Tensor | None:
        """(S, ...) the state that `owner` has come to; None before the first token."""

    @abstractmethod
    def keep_state(self, owner: torch.nn.Module, state: Tensor) -> None:
        """Keep the state, (S, ...), that `owner` has come to after the last token."""


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

    def attend(self, q: Tensor, x: Tensor, owner: MultiHeadAttention) -> Tensor:
        """`attend` over the spans: (N_q, H, D) to (N_q, H, D)."""
        k, v = owner.keys_and_values(x if self.states is None else self.states)
        if self._view is not None and (recorder := self._view.recorder) is not None:
            assert self._looked is not None
            if recorder.wants_keys_values and self.states is None:
                recorder.add_keys_values(self._looked, owner, torch.stack((k, v)))
            if recorder.wants_weights:
                weights = span_weights(q, k, self.queries, self.keys, causal=self.causal)
                recorder.add_weights(self._looked, owner, weights)
        return attend(q, k, v, self.queries, self.keys, causal=self.causal)

    def has_keys(self, x: Tensor) -> Tensor:  # noqa: ARG002
        """(N_q,) whether the span of each query sees any key."""
        return (self.keys.lengths > 0)[self.queries.index]


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

    def source_as(self, name: str) -> Scopes:
        """The source as it was encoded under this name."""
        assert self.memory is not None, "an encoder has no cross-attention"
        target, source = self._packed, self.memory.source
        states = self.memory.encoded(name).states

        def between(queries: Spans, keys: Spans, scope: Literal["group", "global"]) -> OverSpans:
            return OverSpans(queries, keys, states, looked=Looked("cross", scope), view=self)

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

    def positions(self, count_from: CountPositions) -> Positions:
        """The positions of all tokens."""
        packed = self._packed
        spans = packed.instances if count_from == "instance" else packed.sentences
        return Positions(spans.positions, spans.longest)

    def sequences(self) -> Sequences:
        """All target sentences."""
        from docmt.nn.recurrent import WholeSequences

        assert self.memory is not None, "an encoder writes nothing"
        return WholeSequences(self._packed.sentences, self.memory)


class TwoStreams(View):
    """Two streams of states, one after the other: N tokens as `long` sees them, in instances, and
    the same N as `short` does, in sentences (Zhang et al. 2020, section 2.1). What a layer sees as
    its instances are the instances of the one and the sentences of the other.

    Args:
        view: what both see.
        short: the name under which the short stream has encoded the source.
    """

    def __init__(self, view: View, short: str) -> None:
        self._view, self._short = view, short

    @cached_property
    def own(self) -> Scopes:
        """The tokens of the own stream."""
        own = self._view.own
        return _both(own.instances, own.sentences)

    def source_as(self, name: str) -> Scopes:
        """The source as each stream has encoded it."""
        short = self._view.source_as(self._short)
        return _both(self._view.source_as(name).instances, short.sentences)

    def auxiliary(self, name: str) -> KeysValues | None:
        """The same for both streams."""
        found = self._view.auxiliary(name)
        return None if found is None else _Streams(found, found)

    def positions(self, count_from: CountPositions) -> Positions:  # noqa: ARG002
        """From the beginning of the instance in the long stream, of the sentence in the short."""
        long, short = self._view.positions("instance"), self._view.positions("sentence")
        values = torch.cat([long.values.expand_as(short.values), short.values])
        return Positions(values, max(long.limit, short.limit))

    def sequences(self) -> Sequences:
        """Recurrent networks have one stream."""
        return self._view.sequences()


class _Streams(KeysValues):
    """Keys and values of two streams: the first half of the queries looks at `long`, the second at
    `short`."""

    def __init__(self, long: KeysValues, short: KeysValues) -> None:
        self._parts = long, short

    def attend(self, q: Tensor, x: Tensor, owner: MultiHeadAttention) -> Tensor:
        """(N_q, H, D) to (N_q, H, D)"""
        streams = zip(self._parts, q.chunk(2), x.chunk(2), strict=True)
        return torch.cat([part.attend(own_q, own_x, owner) for part, own_q, own_x in streams])

    def has_keys(self, x: Tensor) -> Tensor:
        """(N_q,) whether each query has keys in its stream."""
        streams = zip(self._parts, x.chunk(2), strict=True)
        return torch.cat([part.has_keys(own_x) for part, own_x in streams])


def _both(long: KeysValues, short: KeysValues) -> Scopes:
    """Two streams as the instances of a layer, which has no other scope."""
    streams = _Streams(long, short)
    return Scopes(streams, streams)
