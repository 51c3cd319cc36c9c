"""Views: what the modules of a layer may look at.

An attention asks its view for keys and values and never knows whether the whole sequence is there
(`docmt.nn.full_pass`: training, scoring, reading a draft) or one new token of every hypothesis
(`docmt.nn.incremental`: search, with caches). So every equation is written once.

Shapes: N_q queries, N_k keys, H heads, D head dimension; N tokens, S sentences; U open units with B
hypotheses each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt.nn.batch import SOURCE, Memory
from docmt.nn.recording import Recorder, active_recorder
from docmt.nn.spans import Spans

CountPositions = Literal["instance", "sentence"]
SequenceUnit = Literal["instance", "sentence"]


class Positions(NamedTuple):
    """The positions of tokens.

    Attributes:
        values: (N,) or, where all are equal, (1,): from 0, on the device.
        limit: one more than the largest, known on the host.
    """

    values: Tensor
    limit: int


class KeyValueProjection(nn.Module, ABC):
    """An attention, as keys and values know it: it makes them of states.

    Attributes:
        attention_dropout: share of its weights that are dropped in training.
        kv_dtype: the number format of cached keys and values; None for that of the states.
    """

    attention_dropout: float = 0.0
    kv_dtype: torch.dtype | None = None

    @abstractmethod
    def keys_and_values(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of y, (N_k, d): (N_k, H, D) each."""

    @abstractmethod
    def cached_keys_values(self, y: Tensor) -> Tensor:
        """Keys and values as a cache keeps them: (2, N_k, H, D)."""


class SelfProjection(KeyValueProjection):
    """An attention that makes its queries, too, of states alone."""

    @abstractmethod
    def queries(self, x: Tensor) -> Tensor:
        """Queries of x, (N_q, d): (N_q, H, D)."""

    @abstractmethod
    def queries_keys_values(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of x, (N, d): (N, H, D) each."""


class KeysValues(ABC):
    """The keys and values that an attention looks at."""

    @abstractmethod
    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        """Return what each query finds.

        Args:
            q: (N_q, H, D) the queries.
            x: (N_q, d_model) what they were made of. In self-attention the keys and values are
                made of it, too.
            owner: the attention, which makes keys and values.

        Returns:
            (N_q, H, D); zeros for a query without keys.
        """

    def attend_from(self, x: Tensor, owner: SelfProjection) -> Tensor:
        """Return what the queries of x, (N_q, d_model), find, (N_q, H, D), as `attend` does. In
        self-attention, keys and values are made together with them."""
        return self.attend(owner.queries(x), x, owner)

    def has_keys(self, x: Tensor) -> Tensor:
        """(N_q,) whether each query, made of x, (N_q, d_model), has any keys; by default all have,
        as where a token sees itself."""
        return torch.ones(len(x), dtype=torch.bool, device=x.device)

    def of_paths(self, node_of: Tensor, path_of: Tensor) -> KeysValues:
        """Return them for the nodes of a tree of sequences, where they are known for the tokens of
        the sequences.

        Args:
            node_of: (E,) the node of each token.
            path_of: (N,) one of the tokens of each node.
        """
        return _OfPaths(self, node_of, path_of)

    def in_streams(self, short: KeysValues) -> KeysValues:
        """Return them for the first of two streams, and others for the second."""
        return _Streams(self, short)


class SeenBy(Protocol):
    """The sight of a view: `KeysValues`, or what else a reach gives. Where two streams can look, it
    has `in_streams`, too."""

    def of_paths(self, node_of: Tensor, path_of: Tensor) -> Any:
        """Return the paths as `KeysValues.of_paths` does."""


Seen = TypeVar("Seen", bound=SeenBy)


class Reach(ABC, Generic[Seen]):
    """A place where a module looks that is not its own sentence or instance, the source, or a
    context encoding: a frozen value that knows its full pass and its step. What one paper looks at
    is one reach, in one file beside the system that asks for it.
    """

    in_two_streams: ClassVar[bool] = True
    """True if each of two streams can look there."""

    @abstractmethod
    def full_pass(self, view: Any, x: Tensor) -> Seen:
        """Look at a whole sequence at once.

        Args:
            view: a `FullPass`.
            x: (N, d) the states of all tokens.
        """

    @abstractmethod
    def step(self, view: Any, x: Tensor) -> Seen:
        """Look from one new token of every hypothesis. What stays the same from step to step is
        kept with `view.kept`.

        Args:
            view: an `IncrementalView`.
            x: (R, d) the states of the new tokens.
        """


class Scopes(NamedTuple):
    """Keys and values in two reaches.

    Attributes:
        sentences: those of the sentence a query lies in, or translates.
        instances: those of its whole instance.
    """

    sentences: KeysValues
    instances: KeysValues


class View(ABC):
    """The places that the modules of a layer may look at."""

    _recorder: Recorder | None = None

    @property
    def recorder(self) -> Recorder | None:
        """Return what records on the way, if anything does: for this view alone (`recording`), or
        for all that are in use (`docmt.nn.recording`)."""
        return active_recorder() if self._recorder is None else self._recorder

    @property
    @abstractmethod
    def own(self) -> Scopes:
        """Return what self-attention looks at."""

    @cached_property
    def source(self) -> Scopes:
        """Return what cross-attention looks at."""
        return self.source_as(SOURCE)

    @abstractmethod
    def source_as(self, name: str) -> Scopes:
        """The source as it was encoded under this name."""

    @abstractmethod
    def auxiliary(self, name: str) -> KeysValues | None:
        """The context encodings of this name; None where the batch has none."""

    @abstractmethod
    def look(self, reach: Reach[Seen], x: Tensor) -> Seen:
        """Look where no other member does.

        Args:
            reach: where.
            x: (N, d) what is looked at is made of: the states of the tokens, of which a full pass
                has all, and a step those that are now read.
        """

    @abstractmethod
    def positions(self, count_from: CountPositions) -> Positions:
        """The positions of the tokens in their `instance` or `sentence`."""

    @abstractmethod
    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        """The target as a recurrent network writes it, each `sentence` or each `instance` from its
        beginning to its end."""

    @contextmanager
    def recording(self, *, keys_values: bool = False, weights: bool = False) -> Iterator[Recorder]:
        """Record what attention looks at while this view is in use.

        Args:
            keys_values: record the keys and values of self-attention.
            weights: record the weights of every attention.
        """
        self._recorder = Recorder(keys_values=keys_values, weights=weights)
        try:
            yield self._recorder
        finally:
            self._recorder = None


class SourceKeys(NamedTuple):
    """The gathered keys and values of source sentences.

    Attributes:
        keys_values: (2, U, H, capacity, D)
        bias: (U, 1, B, capacity) of scores: 0 for what a hypothesis sees, else -inf.
    """

    keys_values: Tensor
    bias: Tensor


class SourceParts(NamedTuple):
    """Parts of the source, one for each of its sentences or instances.

    Attributes:
        spans: parts of the source, in any number; they may be empty.
        chosen: (U,) which of them the translation of each sentence or instance looks at; on the
            host.
    """

    spans: Spans
    chosen: NDArray[np.int64]


class Sequences(ABC):
    """The target as a recurrent network writes it: token by token, many sequences at a time. A
    sequence is the translation of a source sentence or of an instance.

    Attributes:
        memory: the encoded source.
        translated: (S,) the source sentence, or the instance, that each of them translates, on the
            device.
    """

    memory: Memory
    translated: Tensor

    @abstractmethod
    def in_time_order(self, x: Tensor) -> Tensor:
        """x, (N, d_model), with the first tokens of all sequences first, then the second, …"""

    @abstractmethod
    def in_text_order(self, x: Tensor) -> Tensor:
        """x, (N, d_model), in the order of `in_time_order`, as it was before."""

    @abstractmethod
    def by_sequence(self, states: list[Tensor]) -> list[Tensor]:
        """Return what was found for each sequence, in the order of `translated`, in text order."""

    @abstractmethod
    def sizes(self) -> Sequence[int]:
        """Number of sequences that have a first token, a second one, …; never more than before."""

    @abstractmethod
    def source(
        self, owner: nn.Module, states: Tensor, parts: SourceParts | None = None
    ) -> SourceKeys:
        """Return what each sequence looks at: the source sentence or instance that it translates,
        or a part of the source. It is made of the keys and values, (2, N_source, H, D), that
        `owner` has made of the whole source; called once for each owner."""

    @abstractmethod
    def state(self, owner: nn.Module) -> Tensor | None:
        """(S, ...) the state that `owner` has come to; None before the first token."""

    @abstractmethod
    def keep_state(self, owner: nn.Module, state: Tensor) -> None:
        """Keep the state, (S, ...), that `owner` has come to after the last token."""


class TwoStreams(View):
    """Two streams of states, one after the other: N tokens as `long` sees them, in instances, and
    the same N as `short` does, whose self-attention is limited to sentences (Zhang et al. 2020,
    section 2.1). A layer asks for instances, and gets those of the one and the sentences of the
    other.

    Args:
        view: what both see.
        short: the name under which the short stream has encoded the source.
        independent: whether cross-attention and positions of the short stream are limited to
            sentences as well.
    """

    def __init__(self, view: View, short: str, *, independent: bool = False) -> None:
        self._view, self._short, self._independent = view, short, independent

    @cached_property
    def own(self) -> Scopes:
        """The tokens of the own stream."""
        scopes = self._view.own
        return _both(scopes.instances, scopes.sentences)

    def source_as(self, name: str) -> Scopes:
        long, short = self._view.source_as(name), self._view.source_as(self._short)
        return _both(long.instances, short.sentences if self._independent else short.instances)

    def auxiliary(self, name: str) -> KeysValues | None:
        states = self._view.auxiliary(name)
        return None if states is None else _Streams(states, states)

    def look(self, reach: Reach[Seen], x: Tensor) -> Seen:
        if not reach.in_two_streams:
            raise TypeError(f"{reach} is looked at in one stream")
        long, short = (self._view.look(reach, stream) for stream in x.chunk(2))
        streams: Any = long
        seen: Seen = streams.in_streams(short)
        return seen

    def positions(self, count_from: CountPositions) -> Positions:  # noqa: ARG002
        """From the beginning of the instance, or in an independent short stream of the sentence."""
        long = self._view.positions("instance")
        if not self._independent:
            # One value stands for all tokens.
            one = len(long.values) == 1
            return long if one else Positions(long.values.repeat(2), long.limit)
        short = self._view.positions("sentence")
        values = torch.cat([long.values.expand_as(short.values), short.values])
        return Positions(values, max(long.limit, short.limit))

    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        return self._view.sequences(unit)


class _Streams(KeysValues):
    """Keys and values of two streams: the first half of the queries looks at `long`, the second at
    `short`."""

    def __init__(self, long: KeysValues, short: KeysValues) -> None:
        self._parts = long, short

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        streams = zip(self._parts, q.chunk(2), x.chunk(2), strict=True)
        return torch.cat([part.attend(own_q, own_x, owner) for part, own_q, own_x in streams])

    def attend_from(self, x: Tensor, owner: SelfProjection) -> Tensor:
        streams = zip(self._parts, x.chunk(2), strict=True)
        return torch.cat([part.attend_from(own_x, owner) for part, own_x in streams])

    def has_keys(self, x: Tensor) -> Tensor:
        streams = zip(self._parts, x.chunk(2), strict=True)
        return torch.cat([part.has_keys(own_x) for part, own_x in streams])


class _OfPaths(KeysValues):
    """Values known for tokens of the sequences of a tree, for its nodes (`KeysValues.of_paths`)."""

    def __init__(self, of_tokens: KeysValues, node_of: Tensor, path_of: Tensor) -> None:
        self._of_tokens, self._node_of, self._path_of = of_tokens, node_of, path_of

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        return self._of_tokens.attend(q[self._node_of], x[self._node_of], owner)[self._path_of]

    def has_keys(self, x: Tensor) -> Tensor:
        return self._of_tokens.has_keys(x[self._node_of])[self._path_of]


def _both(long: KeysValues, short: KeysValues) -> Scopes:
    """Two streams as the instances of a layer, which has no other scope."""
    streams = _Streams(long, short)
    return Scopes(streams, streams)
