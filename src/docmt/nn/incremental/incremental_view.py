"""`IncrementalView`: what one new token of every hypothesis may look at.

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

from docmt.nn.batch import Memory
from docmt.nn.incremental.shared_source import SharedSource
from docmt.nn.incremental.source_sharing import SourceSharing
from docmt.nn.incremental.source_window import SourceSentence, SourceWindow
from docmt.nn.incremental.token_tree import TokenTree
from docmt.nn.recording import Looked
from docmt.nn.transfer import to_device
from docmt.nn.views import (
    CountPositions,
    Positions,
    Reach,
    Scopes,
    Seen,
    Sequences,
    SequenceUnit,
    SourceKeys,
    SourceParts,
    View,
)

State = TypeVar("State")


@runtime_checkable
class OfInstances(Protocol):
    """Values that are kept for each instance that is read."""

    def keep_instances(self, instances: NDArray[np.int64]) -> None:
        """Forget all but these instances, given by their indices among those that are read."""


class IncrementalView(View):
    """The decoding state, as the layers of a decoder see it: they are called with the states of one
    new token of every hypothesis.

    Which sentence a hypothesis has come to, and how far, is bookkeeping of the host, which chooses
    the tokens; a step reads nothing back from the device.

    Attributes:
        memory: the encoded instances.
        sharing: the open units, by the instances they read.
        sentences: what was written of the open sentences.
        instances: what was written of the units.
        window: the source sentences that are being translated.
        position: (R,) the last token's position in its sentence, from 0; on the host.
        recurrent: (R, ...) the state of each recurrent network.
    """

    memory: Memory
    sharing: SourceSharing
    sentences: TokenTree
    instances: TokenTree
    window: SourceWindow
    position: NDArray[np.int64]
    recurrent: dict[nn.Module, Tensor]

    def __init__(self, memory: Memory, sharing: SourceSharing, window: SourceWindow) -> None:
        self.memory, self.sharing, self.window = memory, sharing, window
        self.recurrent = {}
        self._shared: dict[str, SharedSource] = {}
        self._parts: dict[nn.Module, SourceWindow] = {}
        self._kept: dict[Any, Any] = {}
        self._own_and_previous: TokenTree | None = None

    @property
    def device(self) -> torch.device:
        """Return where states lie."""
        return self.memory.states.device

    @abstractmethod
    def advance(self, tokens: ArrayLike) -> None:
        """Take note of the tokens, (R,), that are now read.

        Args:
            tokens: token ids, on the host.
        """

    @cached_property
    def own(self) -> Scopes:
        return Scopes(self.sentences, self.instances)

    @property
    def own_and_previous(self) -> TokenTree:
        """Return what every hypothesis has written of its sentence, after the sentence before. Who
        asks for it must do so from the first token on."""
        if self._own_and_previous is None:
            self._own_and_previous = self._begin_own_and_previous()
        return self._own_and_previous

    @abstractmethod
    def _begin_own_and_previous(self) -> TokenTree:
        """The state when the first token is read."""

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
        """Return what a reach keeps from step to step, which is made when it is first asked for. If
        it is `OfInstances`, it is told which instances are still read."""
        if reach not in self._kept:
            self._kept[reach] = make()
        state: State = self._kept[reach]
        return state

    def keep_units(self, units: NDArray[np.int64]) -> None:
        """Forget what all but these open units look at, given by their indices."""
        self.keep_instances(self.sharing.keep(units))
        for window in (self.window, *self._parts.values()):
            window.keep(units)

    def keep_instances(self, instances: NDArray[np.int64]) -> None:
        """Forget all but these instances, given by their indices among those that are read."""
        for shared in self._shared.values():
            shared.keep(instances)
        for state in self._kept.values():
            if isinstance(state, OfInstances):
                state.keep_instances(instances)

    def positions(self, count_from: CountPositions) -> Positions:
        if count_from == "instance":
            return self._positions_in_instance()
        return Positions(to_device(self.position, self.device), int(self.position.max()) + 1)

    @abstractmethod
    def _positions_in_instance(self) -> Positions:
        """Counted from the beginning of the unit."""

    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        return _OneToken(self, unit)

    def part_of_source(self, owner: nn.Module, parts: SourceParts) -> SourceWindow:
        """The part of the source that each open unit, an instance, looks at."""
        if owner not in self._parts:
            self._parts[owner] = SourceWindow(parts.spans, len(self.sharing))
        looked_at = parts.chosen[self.sharing.instances[self.sharing.instance_of]]
        self._parts[owner].move(looked_at[:, None])
        return self._parts[owner]


class _OneToken(Sequences):
    """One token of every sentence or instance that is being written."""

    def __init__(self, view: IncrementalView, unit: SequenceUnit) -> None:
        self._view, self.memory = view, view.memory
        sharing = view.sharing
        units = view.window.first if unit == "sentence" else sharing.instances[sharing.instance_of]
        hypotheses = len(view.position) // len(units)
        self.translated = to_device(units.repeat(hypotheses), view.device)

    def in_time_order(self, x: Tensor) -> Tensor:
        return x

    def in_text_order(self, x: Tensor) -> Tensor:
        return x

    def by_sequence(self, states: list[Tensor]) -> list[Tensor]:
        return states

    def sizes(self) -> Sequence[int]:
        return (len(self.translated),)

    def source(
        self, owner: nn.Module, states: Tensor, parts: SourceParts | None = None
    ) -> SourceKeys:
        if parts is None:
            return self._view.window.gather(owner, states)
        return self._view.part_of_source(owner, parts).gather(owner, states)

    def state(self, owner: nn.Module) -> Tensor | None:
        return self._view.recurrent.get(owner)

    def keep_state(self, owner: nn.Module, state: Tensor) -> None:
        self._view.recurrent[owner] = state
