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


@runtime_checkable
class OfHypotheses(Protocol):
    """Values that are kept for each hypothesis."""

    def advance(self, begins: NDArray[np.bool_], written: NDArray[np.int64]) -> None:
        """Take note of the next token of every hypothesis.

        Args:
            begins: (U, B) True where the token begins a sentence.
            written: (U, B) number of tokens of the last sentence before this token.
        """

    def select(self, parents: NDArray[np.int64]) -> None:
        """Go on with these hypotheses, (U, B), each given by its index in its unit."""

    def keep(self, units: NDArray[np.int64]) -> None:
        """Go on with these units, given by their indices."""


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
        length: tokens read so far; the same for every hypothesis.
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
        self.length = 0
        self.recurrent = {}
        self._shared: dict[str, SharedSource] = {}
        self._parts: dict[nn.Module, SourceWindow] = {}
        self._kept: dict[Any, Any] = {}

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
        """Return the state that a reach keeps from step to step, made at the first call. A state
        that is `OfHypotheses` follows the hypotheses, one that is `OfInstances` the instances that
        are read."""
        if reach not in self._kept:
            self._kept[reach] = make()
        state: State = self._kept[reach]
        return state

    def _caches(self) -> list[OfHypotheses]:
        """Caches of the written tokens, and the states of reaches, that follow the hypotheses."""
        of_reaches = [one for one in self._kept.values() if isinstance(one, OfHypotheses)]
        return [self.sentences, self.instances, *of_reaches]

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
            return Positions(to_device(np.array([self.length - 1]), self.device), self.length)
        return Positions(to_device(self.position, self.device), int(self.position.max()) + 1)

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
