"""`WholeSequences`: the target of a full pass as a recurrent network writes it, in time order.

Shapes: N tokens of a packed sequence, S spans.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor, nn

from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.choices import SequenceUnit
from docmt_nmt.nn.incremental.source_window import SourceWindow
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import Sequences, SourceKeys, SourceParts


class TimeOrder:
    """The tokens of a packed sequence in the order in which a recurrent network reads them: the
    first tokens of all spans, then the second ones, and so on. The longest spans come first, so
    that those that go on are always the first ones.

    Attributes:
        spans: (S,) the spans, longest first; on the host.
        sizes: for each time step how many spans are so long.
        from_text: (N,) for each token in time order its index in the packed sequence.
        to_text: (N,) for each token of the packed sequence its index in time order.
    """

    def __init__(self, spans: Spans) -> None:
        lengths = spans.host_lengths
        self.spans = (-lengths).argsort(kind="stable")
        steps = np.arange(spans.longest)
        going_on = steps[:, None] < lengths[self.spans]  # (longest, S)
        self.sizes: list[int] = going_on.sum(axis=1).tolist()
        starts = spans.host_offsets[:-1][self.spans]
        from_text = (steps[:, None] + starts)[going_on]
        to_text = np.empty_like(from_text)
        to_text[from_text] = np.arange(len(from_text))
        self.from_text = to_device(from_text, spans.device)
        self.to_text = to_device(to_text, spans.device)


class WholeSequences(Sequences):
    """All target sentences or instances of a batch, from their first tokens to their last.

    Args:
        target: the packed target.
        memory: the encoded source.
        unit: what a sequence is.
    """

    def __init__(self, target: Packed, memory: Memory, unit: SequenceUnit) -> None:
        self.memory = memory
        by_sentence = unit == "sentence"
        self._order = TimeOrder(target.sentences if by_sentence else target.instances)
        self._source = memory.source.sentences if by_sentence else memory.source.instances
        self.translated = to_device(self._order.spans, target.tokens.device)

    def in_time_order(self, x: Tensor) -> Tensor:
        return x[self._order.from_text]

    def in_text_order(self, x: Tensor) -> Tensor:
        return x[self._order.to_text]

    def by_sequence(self, states: list[Tensor]) -> list[Tensor]:
        return [states[index] for index in self._order.spans.argsort().tolist()]

    def sizes(self) -> Sequence[int]:
        return self._order.sizes

    def source(
        self, owner: nn.Module, states: Tensor, parts: SourceParts | None = None
    ) -> SourceKeys:
        """Return what each target sequence looks at, the longest sequence first."""
        looked_at = self._order.spans
        if parts is not None:
            looked_at = parts.chosen[looked_at]
        window = SourceWindow(self._source if parts is None else parts.spans, len(looked_at))
        window.move(looked_at[:, None])
        return window.gather(owner, states)

    def state(self, owner: nn.Module) -> Tensor | None:  # noqa: ARG002
        """They have not begun."""
        return None

    def keep_state(self, owner: nn.Module, state: Tensor) -> None:
        """They are at their end."""
