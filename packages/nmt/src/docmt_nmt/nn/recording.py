"""Records of attention weights and gate values, from any system.

    with recording(Recorder(weights=True, gates=True)) as recorder:
        system.states(batch)
    for record in recorder.records(system):
        record.name, record.kind, record.scope, record.weights

records all views and all gates in use. `view.recording(weights=True)` records one view alone.
Without a recorder, recording computes nothing. A recorder of less than all weights, such as the
entropy of weights, extends `Recorder` and gets the weights block by block; one that also sums up
its records in numbers extends `SummaryRecorder`.

Shapes: H heads, N tokens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from docmt_nmt.nn.batch import SOURCE
from docmt_nmt.nn.kernels.attend import WeightBlock

LookedScope = Literal["group", "previous", "global"]

Passes = Literal["own", "context"]
"""The meaning of a gate of 1: pass the token's own state, or the attention over the own sentence
(`own`); or pass the context (`context`)."""

R = TypeVar("R", bound="Recorder")


class Looked(NamedTuple):
    """The kind and the scope of an attention.

    Attributes:
        kind: `self`, `cross`, `previous-N` for the N-th sentence before, or the name of context
            encodings.
        scope: `group`, within the sentence; `previous`, within the sentence and the one before; or
            `global`, within the instance.
        source: for cross-attention, the name of the source encoding, in a system with several.
    """

    kind: str
    scope: LookedScope
    source: str = SOURCE


@dataclass(frozen=True, eq=False)
class AttentionRecord:
    """The weights of one attention.

    Attributes:
        name: the attention's name in the system, such as `decoder.3.cross_attention.…`.
        layer: the index of the layer, from 0; None for an attention outside of the layers.
        kind, scope, source: see `Looked`; `kind` is `encoder` or `decoder` for self-attention in an
            encoder or a decoder.
        weights: of a full pass, for each span of queries (H, queries, keys); of steps, for each
            step and each hypothesis (H, visible keys).
    """

    name: str
    layer: int | None
    kind: str
    scope: str
    source: str
    weights: list[list[Tensor]]


@dataclass(frozen=True, eq=False)
class GateRecord:
    """The values of one gate.

    Attributes:
        name: the gate's name in the system, such as `decoder.3.cross_attention.sublayer.gate`.
        layer: the index of the layer, from 0; None for a gate outside of the layers.
        passes: the meaning of a gate of 1.
        values: (N, d_model) for each use, of the tokens with context.
    """

    name: str
    layer: int | None
    passes: Passes
    values: list[Tensor]


class Recorder:
    """Records attention weights, and gates.

    Args:
        weights: whether weights are recorded.
        gates: whether gates are recorded.
    """

    def __init__(self, *, weights: bool = False, gates: bool = False) -> None:
        self.wants_weights, self.wants_gates = weights, gates
        self._weights: dict[tuple[Looked, nn.Module], list[list[Tensor]]] = {}
        self._gates: dict[nn.Module, tuple[Passes, list[Tensor]]] = {}

    def add_weights(self, looked: Looked, owner: nn.Module, weights: list[Tensor]) -> None:
        """Record the weights of all spans of a full pass, or of all hypotheses in one step."""
        self._weights.setdefault((looked, owner), []).append([w.detach() for w in weights])

    def add_blocks(self, looked: Looked, owner: nn.Module, blocks: Iterable[WeightBlock]) -> None:
        """Record the weights of all spans of a full pass, computed block by block on demand."""
        spans = groupby(blocks, attrgetter("span"))
        weights = [
            torch.cat([block.weights for block in blocks_of_span], dim=1)
            for _, blocks_of_span in spans
        ]
        self.add_weights(looked, owner, weights)

    def add_gate(self, owner: nn.Module, passes: Passes, values: Tensor) -> None:
        """Record the values, (N, d_model), of a gate for the tokens with context."""
        self._gates.setdefault(owner, (passes, []))[1].append(values.detach())

    def records(self, system: nn.Module) -> list[AttentionRecord]:
        """All weights, by the names of the attentions in the system."""
        names = {module: name for name, module in system.named_modules()}
        records = []
        for (looked, owner), weights in self._weights.items():
            name = names.get(owner, "")
            kind, layer = kind_and_layer(name, looked)
            records.append(AttentionRecord(name, layer, kind, looked.scope, looked.source, weights))
        return records

    def gates(self, system: nn.Module) -> list[GateRecord]:
        """All gates, by their names in the system."""
        names = {module: name for name, module in system.named_modules()}
        return [
            GateRecord(names.get(owner, ""), layer_of(names.get(owner, "")), passes, values)
            for owner, (passes, values) in self._gates.items()
        ]


class Summary(NamedTuple):
    """The attention and the gates of a system over a corpus, each by a short name.

    Attributes:
        attention_entropy: the mean entropy of each attention, in bits.
        context_share: the mean share of the context passed by each gate.
    """

    attention_entropy: dict[str, float]
    context_share: dict[str, float]


class SummaryRecorder(Recorder, ABC):
    """A recorder that sums up its records, also over several processes."""

    @abstractmethod
    def statistics(self, system: nn.Module) -> Any:
        """The records of this process, by the names of the system; they can be pickled."""

    @staticmethod
    @abstractmethod
    def summary(parts: Sequence[Any]) -> Summary:
        """The statistics of all processes in numbers."""


class GateShares(SummaryRecorder):
    """Adds up the values of all gates in use, and records no attention."""

    def __init__(self) -> None:
        super().__init__(gates=True)
        self._sums: dict[nn.Module, tuple[Passes, int, Tensor]] = {}

    def add_gate(self, owner: nn.Module, passes: Passes, values: Tensor) -> None:
        if len(values):
            total = values.detach().float().mean(1).sum()
            _, tokens, before = self._sums.get(owner, (passes, 0, torch.zeros_like(total)))
            self._sums[owner] = passes, tokens + len(values), before + total

    def statistics(self, system: nn.Module) -> dict[str, tuple[int, float]]:
        """The number of tokens and the sum of the shares of context, by short names of gates."""
        names = {module: name for name, module in system.named_modules()}
        found = {}
        for owner, (passes, tokens, total) in self._sums.items():
            passed = float(total)
            share = passed if passes == "context" else tokens - passed
            found[gate_key(names.get(owner, ""))] = tokens, share
        return found

    @staticmethod
    def summary(parts: Sequence[Mapping[str, tuple[int, float]]]) -> Summary:
        """The shares of the context, without entropies."""
        sums: dict[str, tuple[int, float]] = {}
        for part in parts:
            for key, (tokens, share) in part.items():
                before = sums.get(key, (0, 0.0))
                sums[key] = before[0] + tokens, before[1] + share
        return Summary({}, {key: share / tokens for key, (tokens, share) in sums.items()})


def gate_key(name: str) -> str:
    """A short name for the gate of this name in a system, such as `decoder.5.cross_attention`."""
    parts = [part for part in name.split(".") if part != "sublayer"]
    last = parts[-1].removesuffix("gate").rstrip("_")
    return ".".join([*parts[:-1], *filter(None, [last])]) or name


def layer_of(name: str) -> int | None:
    """The layer, from 0, of a module of this name; None for a module outside of the layers."""
    return next((int(part) for part in name.split(".")[1:] if part.isdigit()), None)


def kind_and_layer(name: str, looked: Looked) -> tuple[str, int | None]:
    """The kind and the layer of an attention of this name; see `AttentionRecord`."""
    stack = name.partition(".")[0]
    is_stack = looked.kind == "self" and stack in ("encoder", "decoder")
    return stack if is_stack else looked.kind, layer_of(name)


_active: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


class ViewRecorder:
    """The recorder of one view and of all keys and values that the view made. They hold it in place
    of the view, as views would otherwise hold themselves, and the states of a search would stay in
    memory until the next garbage collection.

    Attributes:
        own: the recorder of this view alone, if any.
    """

    def __init__(self) -> None:
        self.own: Recorder | None = None

    @property
    def active(self) -> Recorder | None:
        """The recorder of this view alone, or the one of all views in use, if any."""
        return active_recorder() if self.own is None else self.own


def active_recorder() -> Recorder | None:
    """The active recorder of all views and gates, if any."""
    return _active.get()


@contextmanager
def recording(recorder: R) -> Iterator[R]:
    """Record all views and gates in use. A view with a recorder of its own is left to that
    recorder."""
    token = _active.set(recorder)
    try:
        yield recorder
    finally:
        _active.reset(token)
