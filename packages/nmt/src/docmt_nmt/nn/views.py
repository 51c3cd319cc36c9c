"""Views: the places where the modules of a layer may look.

An attention asks the view for keys and values and never knows whether the whole sequence is there
(`docmt_nmt.nn.full_pass`: training, scoring, reading a draft) or one new token of every hypothesis
(`docmt_nmt.nn.incremental`: search, with caches). So every equation is written once.

Shapes: N_q queries, N_k keys, H heads, D head dimension; N tokens, S sentences; U open units with B
hypotheses each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_nmt.nn.batch import SOURCE, Memory
from docmt_nmt.nn.choices import CountPositions, SequenceUnit
from docmt_nmt.nn.recording import Recorder, ViewRecorder
from docmt_nmt.nn.spans import Spans


class Positions(NamedTuple):
    """The positions of tokens.

    Attributes:
        values: (N,) or, where all are equal, (1,): from 0, on the device.
        limit: one more than the largest, known on the host.
    """

    values: Tensor
    limit: int


class KeyValueProjection(nn.Module, ABC):
    """An attention, as keys and values know it: a projection of states to keys and values.

    Attributes:
        attention_dropout: share of attention weights dropped in training.
        kv_dtype: the number format of cached keys and values; None for the format of the states.
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
    """An attention with queries projected from states alone."""

    @abstractmethod
    def queries(self, x: Tensor) -> Tensor:
        """Queries of x, (N_q, d): (N_q, H, D)."""

    @abstractmethod
    def queries_keys_values(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of x, (N, d): (N, H, D) each."""


class KeysValues(ABC):
    """Keys and values for an attention."""

    @abstractmethod
    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        """Attend to the keys and values.

        Args:
            q: (N_q, H, D) the queries.
            x: (N_q, d_model) the states of the queries. In self-attention, the states of the keys
                and values, too.
            owner: the attention, with the projection of keys and values.

        Returns:
            (N_q, H, D); zeros for a query without keys.
        """

    def attend_from(self, x: Tensor, owner: SelfProjection) -> Tensor:
        """Attend from x, (N_q, d_model), as `attend`: (N_q, H, D). In self-attention, one product
        gives queries, keys and values."""
        return self.attend(owner.queries(x), x, owner)

    def has_keys(self, x: Tensor) -> Tensor:
        """(N_q,) True for each query of x, (N_q, d_model), with any keys; by default for all, as
        where a token sees itself."""
        return torch.ones(len(x), dtype=torch.bool, device=x.device)

    @property
    def is_empty(self) -> bool:
        """True if it is known on the host that no query has keys, so that no keys and values need
        be made."""
        return False

    def of_paths(self, node_of: Tensor, path_of: Tensor) -> KeysValues:
        """Return the keys and values for the nodes of a tree of sequences, from the keys and values
        for the tokens of the sequences.

        Args:
            node_of: (E,) the node of each token.
            path_of: (N,) a token of each node.
        """
        return _OfPaths(self, node_of, path_of)

    def in_streams(self, short: KeysValues) -> KeysValues:
        """Return keys and values for two streams: these for the first, `short` for the second."""
        return _Streams(self, short)


class SeenBy(Protocol):
    """The result of a look: `KeysValues`, or another type of a reach. A type for two streams has
    `in_streams`, too."""

    def of_paths(self, node_of: Tensor, path_of: Tensor) -> Any:
        """Return the paths as `KeysValues.of_paths` does."""


Seen = TypeVar("Seen", bound=SeenBy)
"""The type of what a reach sees."""


class Reach(ABC, Generic[Seen]):
    """A place where a module looks, apart from the own sentence or instance, the source and context
    encodings: a frozen value with a full pass and a step. A reach is one file, in
    `docmt_nmt.nn.reaches` or beside the system that looks there.

    Attributes:
        of_source: whether it sees the source alone, by the sentence that a token is of.
    """

    of_source: bool = False

    @abstractmethod
    def full_pass(self, view: Any, x: Tensor) -> Seen:
        """Look at a whole sequence at once.

        Args:
            view: a `FullPass`.
            x: (N, d) the states of all tokens.
        """

    @abstractmethod
    def step(self, view: Any, x: Tensor) -> Seen:
        """Look from one new token of every hypothesis. `view.kept` keeps state from step to step.

        Args:
            view: an `IncrementalView`.
            x: (R, d) the states of the new tokens.
        """


class Scopes(NamedTuple):
    """Keys and values in two scopes.

    Attributes:
        sentences: within the sentence of a query, or the source sentence that it translates.
        instances: within the whole instance of a query.
    """

    sentences: KeysValues
    instances: KeysValues


class View(ABC):
    """The places where the modules of a layer may look."""

    @cached_property
    def view_recorder(self) -> ViewRecorder:
        """For the keys and values of this view: `recorder`."""
        return ViewRecorder()

    @property
    def recorder(self) -> Recorder | None:
        """The active recorder, if any: of this view alone (`recording`), or of all views in use
        (`docmt_nmt.nn.recording`)."""
        return self.view_recorder.active

    @property
    @abstractmethod
    def own(self) -> Scopes:
        """Keys and values of self-attention."""

    @cached_property
    def source(self) -> Scopes:
        """Keys and values of cross-attention."""
        return self.source_as(SOURCE)

    @abstractmethod
    def source_as(self, name: str) -> Scopes:
        """Keys and values of cross-attention, from the encoding of the source with this name."""

    @abstractmethod
    def auxiliary(self, name: str) -> KeysValues | None:
        """The context encodings of this name; None where the batch has none."""

    @abstractmethod
    def look(self, reach: Reach[Seen], x: Tensor) -> Seen:
        """Look at a reach.

        Args:
            reach: the place to look.
            x: (N, d) the states of the tokens: in a full pass of all tokens, in a step of the new
                ones.
        """

    @abstractmethod
    def positions(self, count_from: CountPositions) -> Positions:
        """The positions of the tokens in the `instance` or `sentence`."""

    @abstractmethod
    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        """The target as a recurrent network writes it, each `sentence` or each `instance` from
        beginning to end."""

    def recurrent_streams(self, unit: SequenceUnit) -> list[Sequences]:
        """The target of each stream of states as a recurrent network writes it; the streams stand
        one after the other in the states."""
        return [self.sequences(unit)]

    @contextmanager
    def recording(self, *, weights: bool = False) -> Iterator[Recorder]:
        """Record attention while this view is in use.

        Args:
            weights: record the weights of every attention.
        """
        self.view_recorder.own = recorder = Recorder(weights=weights)
        try:
            yield recorder
        finally:
            self.view_recorder.own = None


class SourceKeys(NamedTuple):
    """The gathered keys and values of source sentences.

    Attributes:
        keys_values: (2, U, H, capacity, D)
        bias: (U, 1, B, capacity) of scores: 0 for the visible keys of a hypothesis, else -inf.
    """

    keys_values: Tensor
    bias: Tensor


class SourceParts(NamedTuple):
    """Parts of the source, one for each source sentence or instance.

    Attributes:
        spans: parts of the source, in any number; a part may be empty.
        chosen: (U,) the index of the part for the translation of each sentence or instance; on the
            host.
    """

    spans: Spans
    chosen: NDArray[np.int64]


class Sequences(ABC):
    """The target as a recurrent network writes it: token by token, many sequences at a time. A
    sequence is the translation of a source sentence or of an instance.

    Attributes:
        memory: the encoded source.
        translated: (S,) the source sentence, or the instance, of each sequence, on the device.
    """

    memory: Memory
    translated: Tensor

    @abstractmethod
    def in_time_order(self, x: Tensor) -> Tensor:
        """x, (N, d_model), with the first tokens of all sequences first, then the second, …"""

    @abstractmethod
    def in_text_order(self, x: Tensor) -> Tensor:
        """x, (N, d_model), from the order of `in_time_order` back to text order."""

    @abstractmethod
    def by_sequence(self, states: list[Tensor]) -> list[Tensor]:
        """The states of each sequence, given in the order of `translated`, in text order."""

    @abstractmethod
    def sizes(self) -> Sequence[int]:
        """Number of sequences with a first token, a second one, …; never more than before."""

    def time_steps(self, x: Tensor) -> Sequence[Tensor]:
        """x, (N, d), split by time step: the first tokens of all sequences, the second, …"""
        return torch.split(self.in_time_order(x), list(self.sizes()))

    @abstractmethod
    def source(
        self, owner: nn.Module, states: Tensor, parts: SourceParts | None = None
    ) -> SourceKeys:
        """Gather keys and values for each sequence: from the source sentence or instance of the
        sequence, or from a part of the source. Called once for each owner.

        Args:
            owner: the attention.
            states: (2, N_source, H, D) keys and values of the whole source, by the owner.
            parts: the parts of the source; default: sentences or instances.
        """

    @abstractmethod
    def state(self, owner: nn.Module) -> Tensor | None:
        """(S, ...) the last state of `owner`; None before the first token, and zeros for a sequence
        that begins after others."""

    @abstractmethod
    def keep_state(self, owner: nn.Module, state: Tensor) -> None:
        """Keep the state, (S, ...), of `owner` after the last token."""


class TwoStreams(View):
    """Two streams of states, one after the other (Zhang et al. 2020, section 2.1): N tokens in the
    long stream, with self-attention over instances, and the same N tokens in the short stream, with
    self-attention over sentences. A layer asks for instances, and gets instances for the long
    stream and sentences for the short one.

    Args:
        view: the view of both streams.
        short: the name of the source encoding of the short stream.
        independent: whether cross-attention and positions of the short stream are limited to
            sentences as well.
    """

    def __init__(self, view: View, short: str, *, independent: bool = False) -> None:
        self._view, self._short, self._independent = view, short, independent

    @cached_property
    def own(self) -> Scopes:
        """The tokens of each stream, for the same stream."""
        scopes = self._view.own
        return _both(scopes.instances, scopes.sentences)

    def source_as(self, name: str) -> Scopes:
        long, short = self._view.source_as(name), self._view.source_as(self._short)
        return _both(long.instances, short.sentences if self._independent else short.instances)

    def auxiliary(self, name: str) -> KeysValues | None:
        states = self._view.auxiliary(name)
        return None if states is None else _Streams(states, states)

    def look(self, reach: Reach[Seen], x: Tensor) -> Seen:
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

    def recurrent_streams(self, unit: SequenceUnit) -> list[Sequences]:  # noqa: ARG002
        return [self._view.sequences("instance"), self._view.sequences("sentence")]


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
    """Keys and values for the nodes of a tree of sequences (`KeysValues.of_paths`)."""

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
