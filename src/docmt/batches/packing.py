"""Packed rows: all tokens of a batch in one flat row, no padding, with two offset tables that
say where sentences and instances begin.

Shapes: N tokens of a row, S sentences, I instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt.batches.instances import Instance
from docmt.text.vocabulary import Marks

IGNORED = -100
"""The label of a position whose next token is not predicted."""


@dataclass(frozen=True, eq=False)
class Spans:
    """Consecutive pieces of a packed row: piece i is `offsets[i]:offsets[i + 1]`.

    Attributes:
        offsets: (pieces + 1,) int64, from 0 to the length of the row, never decreasing.
    """

    offsets: Tensor

    @classmethod
    def of(cls, lengths: Sequence[int]) -> Spans:
        """Spans of these lengths, one after the other."""
        return cls(torch.tensor([0, *accumulate(lengths)], dtype=torch.int64))

    def __len__(self) -> int:
        return self.offsets.numel() - 1

    @cached_property
    def lengths(self) -> Tensor:
        """(pieces,) tokens in each piece."""
        return self.offsets.diff()

    @cached_property
    def longest(self) -> int:
        """Tokens in the longest piece."""
        return int(self.lengths.max()) if len(self) else 0

    @cached_property
    def index(self) -> Tensor:
        """(N,) the piece each token lies in: for sentence spans, the group tag of Bao et al.
        2021, Eq. 3 (counted from 0)."""
        pieces = torch.arange(len(self), device=self.offsets.device)
        return torch.repeat_interleave(pieces, self.lengths)

    @cached_property
    def positions(self) -> Tensor:
        """(N,) each token's place in its piece, from 0."""
        total = int(self.offsets[-1])
        flat = torch.arange(total, device=self.offsets.device)
        return flat - torch.repeat_interleave(self.offsets[:-1], self.lengths)

    def to(self, device: torch.device | str) -> Spans:
        """The same spans on another device."""
        return Spans(self.offsets.to(device))


class Encoded(NamedTuple):
    """States that attention is paid to.

    Attributes:
        states: (N, width)
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
        external: beside a source, what other encoders have made for each instance, by name; for
            encoders that learn with the system, the tokens they are to read.
    """

    tokens: Tensor
    sentences: Spans
    instances: Spans
    context: Packed | None = None
    external: Mapping[str, Encoded | Packed] = field(default_factory=dict)

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
        external = {name: beside.to(device) for name, beside in self.external.items()}
        return Packed(*row, context, external)


@dataclass(frozen=True, eq=False)
class Batch:
    """Instances to learn from.

    Attributes:
        source: the source side.
        target: what the decoder reads: every sentence with its begin and end mark.
        labels: (N_target,) the token to predict after each position; `IGNORED` after an end mark,
            where what follows is no choice, and in sentences that are made up.
    """

    source: Packed
    target: Packed
    labels: Tensor

    def to(self, device: torch.device | str) -> Batch:
        """The same batch on another device."""
        return Batch(self.source.to(device), self.target.to(device), self.labels.to(device))


def pack(instances: Sequence[Instance], marks: Marks) -> Batch:
    """Pack both sides of instances that have a translation."""
    source = pack_source(instances, marks)
    target, labels = pack_target(instances, marks)
    return Batch(source, target, labels)


def pack_source(instances: Sequence[Instance], marks: Marks) -> Packed:
    """Pack the source side and its context, each sentence between its marks."""

    def marked(sentences: Sequence[Sequence[int]]) -> list[list[int]]:
        return [[*marks.source_begin, *s, *marks.source_end] for s in sentences]

    return replace(
        pack_row([marked(instance.source) for instance in instances]),
        context=pack_row([marked(instance.context) for instance in instances]),
        external=pack_external([instance.external for instance in instances]),
    )


def pack_external(instances: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, Encoded | Packed]:
    """Pack what stands beside instances, under the same names beside all: states, (N, width), or
    tokens, (N,)."""
    packed: dict[str, Encoded | Packed] = {}
    for name in instances[0] if instances else ():
        parts = [beside[name] for beside in instances]
        spans = Spans.of([len(part) for part in parts])
        row = torch.from_numpy(np.concatenate(parts))
        tokens = row.ndim == 1
        packed[name] = Packed(row, spans, spans) if tokens else Encoded(row.float(), spans)
    return packed


def pack_target(instances: Sequence[Instance], marks: Marks) -> tuple[Packed, Tensor]:
    """Pack the target side, and give the labels, (N_target,)."""
    inputs: list[list[list[int]]] = []
    labels: list[int] = []
    for instance in instances:
        assert instance.target is not None, f"document {instance.document!r} has no target"
        inputs.append([[marks.target_begin, *s, marks.target_end] for s in instance.target])
        for place, sentence in enumerate(instance.target):
            following = [*sentence, marks.target_end]
            if place < instance.made_up:
                following = [IGNORED] * len(following)
            labels += [*following, IGNORED]
    return pack_row(inputs), torch.tensor(labels, dtype=torch.int64)


def pack_row(instances: Sequence[Sequence[Sequence[int]]]) -> Packed:
    """Pack instances, given as sentences of token numbers (marks included), into one row."""
    sentences = list(chain.from_iterable(instances))
    tokens = torch.tensor(list(chain.from_iterable(sentences)), dtype=torch.int64)
    return Packed(
        tokens,
        Spans.of([len(s) for s in sentences]),
        Spans.of([sum(len(s) for s in instance) for instance in instances]),
    )
