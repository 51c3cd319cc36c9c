"""`FullPass`: the view of a whole packed sequence at once, where span i of the queries sees span i
of the keys.

Shapes: N tokens, N_q queries, N_k keys, H heads, D head dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
from torch import Tensor

from docmt_nmt.nn.batch import Encoded, Memory, Packed
from docmt_nmt.nn.choices import CountPositions, SequenceUnit
from docmt_nmt.nn.kernels.attend import attend, weight_blocks
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.sequences import WholeSequences
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import (
    KeysValues,
    KeyValueProjection,
    Positions,
    Reach,
    Scopes,
    Seen,
    SelfProjection,
    Sequences,
    View,
)


class OverSpans(KeysValues):
    """Span i of the queries sees span i of the keys.

    Args:
        queries, keys: equally many spans.
        states: (N_k, d) the states of keys and values; None for the states of the queries.
        causal: whether a query sees no later key.
        looked: the kind of attention, for recording.
        view: the view, for recording.
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
        self._looked = looked
        self._recorder = None if view is None else view.view_recorder

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        k, v = owner.keys_and_values(x if self.states is None else self.states)
        return self._attend(q, k, v, owner)

    def attend_from(self, x: Tensor, owner: SelfProjection) -> Tensor:
        if self.states is not None:
            return super().attend_from(x, owner)
        return self._attend(*owner.queries_keys_values(x), owner)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, owner: KeyValueProjection) -> Tensor:
        """Attend to keys and values of the owner, (N_k, H, D) each."""
        if self._recorder is not None and (recorder := self._recorder.active) is not None:
            assert self._looked is not None
            if recorder.wants_weights:
                blocks = weight_blocks(q, k, self.queries, self.keys, causal=self.causal)
                recorder.add_blocks(self._looked, owner, blocks)
        dropout = owner.attention_dropout if owner.training else 0.0
        return attend(q, k, v, self.queries, self.keys, causal=self.causal, dropout=dropout)

    def has_keys(self, x: Tensor) -> Tensor:  # noqa: ARG002
        """(N_q,) True for each query with a key in the span."""
        return (self.keys.lengths > 0)[self.queries.index]


class FullPass(View):
    """A whole packed sequence at once.

    Args:
        packed: the sequence; its states run through the layers.
        memory: the encoded source, for the layers of a decoder.
        auxiliary: the context encodings, for the layers of an encoder.

    Attributes:
        packed, memory: as given.
    """

    def __init__(
        self,
        packed: Packed,
        memory: Memory | None = None,
        *,
        auxiliary: Mapping[str, Encoded] | None = None,
    ) -> None:
        self.packed, self.memory = packed, memory
        self._kept: dict[Any, Any] = {}
        self._auxiliary = auxiliary or {} if memory is None else memory.auxiliary

    @cached_property
    def own(self) -> Scopes:
        """The tokens themselves; in a decoder, up to each token."""
        causal = self.memory is not None

        def within(spans: Spans, scope: Literal["group", "global"]) -> OverSpans:
            return OverSpans(spans, spans, causal=causal, looked=Looked("self", scope), view=self)

        return Scopes(
            within(self.packed.sentences, "group"), within(self.packed.instances, "global")
        )

    def source_as(self, name: str) -> Scopes:
        assert self.memory is not None, "an encoder has no cross-attention"
        target, source = self.packed, self.memory.source
        states = self.memory.encoded(name).states

        def between(queries: Spans, keys: Spans, scope: Literal["group", "global"]) -> OverSpans:
            return OverSpans(queries, keys, states, looked=Looked("cross", scope, name), view=self)

        return Scopes(
            between(target.sentences, source.sentences, "group"),
            between(target.instances, source.instances, "global"),
        )

    def auxiliary(self, name: str) -> KeysValues | None:
        if name not in self._auxiliary:
            return None
        states, spans = self._auxiliary[name]
        return OverSpans(
            self.packed.instances, spans, states, looked=Looked(name, "global"), view=self
        )

    def look(self, reach: Reach[Seen], x: Tensor) -> Seen:
        return reach.full_pass(self, x)

    def kept(self, reach: Reach[Seen], make: Callable[[], Seen]) -> Seen:
        """Return the value of a reach that depends on no states, made once for all layers."""
        if reach not in self._kept:
            self._kept[reach] = make()
        seen: Seen = self._kept[reach]
        return seen

    def positions(self, count_from: CountPositions) -> Positions:
        packed = self.packed
        spans = packed.instances if count_from == "instance" else packed.sentences
        if (offsets := packed.position_offsets) is None:
            return Positions(spans.positions, spans.longest)
        first = to_device(offsets, spans.device)[packed.instances.index]
        return Positions(first + spans.positions, int(offsets.max(initial=0)) + spans.longest)

    @cached_property
    def segments(self) -> Positions:
        """The index of each token's sentence in the instance, from 0."""
        spans, first = self.packed.sentences, self.packed.first_sentences
        index = np.arange(len(spans)) - first[:-1].repeat(np.diff(first))
        limit = int(index.max(initial=0)) + 1
        return Positions(to_device(index, spans.device)[spans.index], limit)

    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        assert self.memory is not None, "an encoder writes nothing"
        return WholeSequences(self.packed, self.memory, unit)
