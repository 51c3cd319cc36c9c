"""Packed sequences: all tokens of a batch in one flat sequence, no padding, with two offset tables
that say where sentences and instances begin.

Shapes: N tokens of a packed sequence, S sentences, I instances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from docmt.nn.spans import Spans

IGNORED = -100
"""The label of a position whose next token is not predicted."""


class Encoded(NamedTuple):
    """States that attention is paid to.

    Attributes:
        states: (N, d_model)
        spans: those that each instance sees; they may be empty.
    """

    states: Tensor
    spans: Spans

    def to(self, device: torch.device | str) -> Encoded:
        """The same on another device."""
        return Encoded(self.states.to(device), self.spans.to(device))


@dataclass(frozen=True, eq=False)
class Packed:
    """One side of a batch.

    Attributes:
        tokens: (N,) int64 token numbers.
        sentences: S spans, each within one instance.
        instances: I spans.
        context: beside a source, the sentences before each instance that are read with it: as many
            instances, some of them empty.
        auxiliary: beside a source, what other encoders have made for each instance, by name; for
            encoders that learn with the system, the tokens they are to read.
    """

    tokens: Tensor
    sentences: Spans
    instances: Spans
    context: Packed | None = None
    auxiliary: Mapping[str, Encoded | Packed] = field(default_factory=dict)

    @property
    def positions(self) -> Tensor:
        """(N,) each token's place in its instance, from 0."""
        return self.instances.positions

    @cached_property
    def first_sentences(self) -> Tensor:
        """(I + 1,) the sentence each instance begins with, then the number of sentences."""
        return torch.searchsorted(self.sentences.offsets, self.instances.offsets)

    def to(self, device: torch.device | str) -> Packed:
        """The same row on another device."""
        context = None if self.context is None else self.context.to(device)
        row = self.tokens.to(device), self.sentences.to(device), self.instances.to(device)
        auxiliary = {name: beside.to(device) for name, beside in self.auxiliary.items()}
        return Packed(*row, context, auxiliary)


@dataclass(frozen=True, eq=False)
class Batch:
    """Instances to learn from.

    Attributes:
        source: the source side.
        target: what the decoder reads: every sentence with its begin and end mark.
        labels: (N_target,) the token to predict after each position; `IGNORED` where what follows
            is no choice, after an end mark and before a mark that belongs to the beginning, and in
            sentences that are made up.
    """

    source: Packed
    target: Packed
    labels: Tensor

    def to(self, device: torch.device | str) -> Batch:
        """The same batch on another device."""
        return Batch(self.source.to(device), self.target.to(device), self.labels.to(device))
