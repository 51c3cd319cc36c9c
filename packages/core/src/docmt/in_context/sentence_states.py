"""`SentenceStates`: states of sentences after layers that see one sentence each, to be used again.
The lower layers of a G-Transformer's encoder compute the same for a sentence alone, in its place,
and before another sentence.

Shapes: N tokens, S sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from docmt_nmt.nn import Packed, Spans
from docmt_nmt.systems import System
from docmt_nmt.systems.g_transformer import GTransformer, lower_states

_MOST_TOKENS = 2**16
"""Tokens whose states are kept."""


class SentenceStates:
    """States of sentences by their token ids, in one thread.

    Args:
        owner: the system that computes them, in eval mode; others compute their own.

    Attributes:
        reads: whether known states are used. While they are only collected, batches are computed
            whole, so that every sum is rounded as without them.
    """

    def __init__(self, owner: System) -> None:
        self._owner, self.reads = owner, False
        self._known: dict[bytes, Tensor] = {}
        self._tokens = 0

    def __call__(self, system: GTransformer, packed: Packed) -> Tensor:
        """The states of a batch, (N, d_model), of which only unknown sentences are computed."""
        if system is not self._owner:
            return system.lower_states(packed)
        offsets, tokens = packed.sentences.host_offsets, packed.host_tokens
        ranges = list(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))
        keys = [tokens[begin:end].tobytes() for begin, end in ranges]
        unknown = {key: r for key, r in zip(keys, ranges, strict=True) if key not in self._known}
        if not self.reads or len(unknown) == len(keys):
            states = system.lower_states(packed)
            self._keep({key: states[begin:end] for key, (begin, end) in unknown.items()})
            return states
        made: dict[bytes, Tensor] = {}
        if unknown:
            lengths = [end - begin for begin, end in unknown.values()]
            spans = Spans.of(lengths, packed.tokens.device)
            parts = [packed.tokens[begin:end] for begin, end in unknown.values()]
            states = system.lower_states(Packed(torch.cat(parts), spans, spans))
            made = dict(zip(unknown, torch.split(states, lengths), strict=True))
            self._keep(made)
        return torch.cat([made[key] if key in made else self._known[key] for key in keys])

    def _keep(self, states: dict[bytes, Tensor]) -> None:
        for key, value in states.items():
            if self._tokens + len(value) <= _MOST_TOKENS:
                # A copy: a view would keep the states of the whole batch.
                self._known[key] = value.clone()
                self._tokens += len(value)


@contextmanager
def keeping_states(owner: System) -> Iterator[SentenceStates]:
    """Keep the states of sentences in this context."""
    states = SentenceStates(owner)
    token = lower_states.set(states)
    try:
        yield states
    finally:
        lower_states.reset(token)
