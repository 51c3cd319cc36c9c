"""`IncrementalView`: the view from one new token of every hypothesis.

Shapes: U open units with B hypotheses each, R = U · B hypotheses.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from docmt_nmt.nn.batch import Memory
from docmt_nmt.nn.choices import CountPositions, SequenceUnit
from docmt_nmt.nn.incremental.shared_source import SharedSource
from docmt_nmt.nn.incremental.source_sharing import SourceSharing
from docmt_nmt.nn.incremental.source_window import SourceSentence, SourceWindow
from docmt_nmt.nn.incremental.token_tree import TokenTree
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import (
    Positions,
    Reach,
    Scopes,
    Seen,
    Sequences,
    SourceKeys,
    SourceParts,
    View,
)

State = TypeVar("State")


@runtime_checkable
class OfInstances(Protocol):
    """State kept for each open instance."""

    def keep_instances(self, instances: NDArray[np.int64]) -> None:
        """Keep these instances, by index among the open instances, and forget the others."""


@runtime_checkable
class OfHypotheses(Protocol):
    """State kept for each hypothesis."""

    def advance(self, begins: NDArray[np.bool_], written: NDArray[np.int64]) -> None:
        """Take note of the next token of every hypothesis.

        Args:
            begins: (U, B) True where the token begins a sentence.
            written: (U, B) number of tokens before the token, in the current sentence or, where the
                token begins one, in the sentence before.
        """

    def select(self, parents: NDArray[np.int64]) -> None:
        """Reorder the hypotheses: (U, B) indices within the unit."""

    def keep(self, units: NDArray[np.int64]) -> None:
        """Keep these units, by index, and forget the others."""


class IncrementalView(View):
    """The decoding state, as the layers of a decoder see it: a layer gets the states of one new
    token of every hypothesis.

    The host chooses the tokens, so it also keeps the sentence and the position of each hypothesis;
    a step reads nothing back from the device.

    Attributes:
        memory: the encoded instances.
        sharing: the open units, by instance.
        sentences: the written tokens of the open sentences.
        instances: the written tokens of the units.
        window: the source sentences in translation.
        length: steps so far.
        tokens_read: (R,) the number of tokens that each hypothesis has read; on the host.
        position: (R,) the position of the last token in the sentence, from 0; on the host.
        recurrent: (R, ...) the state of each recurrent network, over each unit.
    """

    memory: Memory
    sharing: SourceSharing
    sentences: TokenTree
    instances: TokenTree
    window: SourceWindow
    length: int
    tokens_read: NDArray[np.int64]
    position: NDArray[np.int64]
    recurrent: dict[tuple[nn.Module, SequenceUnit], Tensor]

    def __init__(self, memory: Memory, sharing: SourceSharing, window: SourceWindow) -> None:
        self.memory, self.sharing, self.window = memory, sharing, window
        self.recurrent = {}
        self._shared: dict[str, SharedSource] = {}
        self._parts: dict[nn.Module, SourceWindow] = {}
        self._kept: dict[Any, Any] = {}

    @property
    def device(self) -> torch.device:
        """The device of the states."""
        return self.memory.states.device

    @abstractmethod
    def advance(self, tokens: ArrayLike) -> None:
        """Take note of the new tokens, before the layers read them.

        Args:
            tokens: (R,) token ids, on the host.
        """

    @cached_property
    def own(self) -> Scopes:
        return Scopes(self.sentences, self.instances)

    def source_as(self, name: str) -> Scopes:
        sentence = SourceSentence(
            self.memory, self.window, name, looked=Looked("cross", "group", name), view=self
        )
        return Scopes(sentence, self._shared_source(name, Looked("cross", "global", name)))

    def auxiliary(self, name: str) -> SharedSource | None:
        return (
            self._shared_source(name, Looked(name, "global"))
            if name in self.memory.auxiliary
            else None
        )

    def _shared_source(self, name: str, looked: Looked) -> SharedSource:
        if name not in self._shared:
            self._shared[name] = SharedSource(
                self.memory, self.sharing, name, looked=looked, view=self
            )
        return self._shared[name]

    def look(self, reach: Reach[Seen], x: Tensor) -> Seen:
        return reach.step(self, x)

    def kept(self, reach: Reach[Any], make: Callable[[], State]) -> State:
        """The state of a reach, made at the first call and kept from step to step. An
        `OfHypotheses` state follows the hypotheses, an `OfInstances` state the open instances."""
        if reach not in self._kept:
            self._kept[reach] = make()
        state: State = self._kept[reach]
        return state

    def _caches(self) -> list[OfHypotheses]:
        """The caches to keep in step with the hypotheses: written tokens, and states of reaches."""
        of_reaches = [one for one in self._kept.values() if isinstance(one, OfHypotheses)]
        return [self.sentences, self.instances, *of_reaches]

    def keep_units(self, units: NDArray[np.int64]) -> None:
        """Keep the sources of these open units, by index, and forget the others."""
        self.keep_instances(self.sharing.keep(units))
        for window in (self.window, *self._parts.values()):
            window.keep(units)

    def renew_units(self, places: NDArray[np.int64], instances: NDArray[np.int64]) -> None:
        """Give the places of these units, by index, to units of other instances."""
        assert not self._kept, "no reach keeps a state"
        self.sharing.renew(places, instances)
        for shared in self._shared.values():
            shared.renew(places)

    def keep_instances(self, instances: NDArray[np.int64]) -> None:
        """Keep these instances, by index among the open instances, and forget the others."""
        for shared in self._shared.values():
            shared.keep(instances)
        for state in self._kept.values():
            if isinstance(state, OfInstances):
                state.keep_instances(instances)

    def positions(self, count_from: CountPositions) -> Positions:
        if count_from == "instance":
            read = (
                self.tokens_read
                if (self.tokens_read != self.tokens_read[0]).any()
                else self.tokens_read[:1]
            )
            return Positions(to_device(read - 1, self.device), int(read.max()))
        return Positions(to_device(self.position, self.device), int(self.position.max()) + 1)

    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        return _OneToken(self, unit)

    def part_of_source(self, owner: nn.Module, parts: SourceParts) -> SourceWindow:
        """The part of the source for each open unit, an instance."""
        if owner not in self._parts:
            self._parts[owner] = SourceWindow(parts.spans, len(self.sharing))
        looked_at = parts.chosen[self.sharing.instances[self.sharing.instance_of]]
        self._parts[owner].move(looked_at[:, None])
        return self._parts[owner]


class _OneToken(Sequences):
    """One token of every open sentence or instance."""

    def __init__(self, view: IncrementalView, unit: SequenceUnit) -> None:
        self._view, self._unit, self.memory = view, unit, view.memory

    @cached_property
    def translated(self) -> Tensor:  # type: ignore[override]  # few recurrences look at the source
        view, sharing = self._view, self._view.sharing
        of_sentence = self._unit == "sentence"
        units = view.window.first if of_sentence else sharing.instances[sharing.instance_of]
        hypotheses = len(view.position) // len(units)
        return to_device(units.repeat(hypotheses), view.device)

    def in_time_order(self, x: Tensor) -> Tensor:
        return x

    def in_text_order(self, x: Tensor) -> Tensor:
        return x

    def by_sequence(self, states: list[Tensor]) -> list[Tensor]:
        return states

    def sizes(self) -> Sequence[int]:
        return (len(self._view.position),)

    def source(
        self, owner: nn.Module, states: Tensor, parts: SourceParts | None = None
    ) -> SourceKeys:
        if parts is None:
            return self._view.window.gather(owner, states)
        return self._view.part_of_source(owner, parts).gather(owner, states)

    def state(self, owner: nn.Module) -> Tensor | None:
        state = self._view.recurrent.get((owner, self._unit))
        if state is None or self._unit == "instance":
            return state
        begins = self._view.position == 0
        if not begins.any():
            return state
        return state.masked_fill(to_device(begins, state.device)[:, None], 0.0)

    def keep_state(self, owner: nn.Module, state: Tensor) -> None:
        self._view.recurrent[owner, self._unit] = state
