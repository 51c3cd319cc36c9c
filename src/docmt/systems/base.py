"""What search, training, scoring and serving know of a system."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from torch import Tensor, nn
from torch.nn.functional import linear

from docmt.nn.batch import Batch, Packed
from docmt.nn.incremental.state import DecodingState, Memory


class System(nn.Module):
    """A translation system.

    Attributes:
        instance_kinds: the kinds of instance it can be trained on.
        one_pass: whether the sentences of an instance are written in one pass from left to right,
            or each on its own, given the source of its instance and the context beside it.
        reads_context: whether it reads the context beside an instance.
    """

    instance_kinds: ClassVar[tuple[str, ...]]
    one_pass: ClassVar[bool] = True
    reads_context: ClassVar[bool] = False

    @abstractmethod
    def encode(self, source: Packed) -> Memory:
        """Read the source of a batch of instances, once each."""

    @abstractmethod
    def states(self, batch: Batch) -> Tensor:
        """The states that the types of the vocabulary are scored against after each target
        position, given what stands before it: (N_target, W)."""

    @property
    @abstractmethod
    def output_weight(self) -> Tensor:
        """What scores them: (vocabulary, W)."""

    @property
    def output_bias(self) -> Tensor | None:
        """What is added to the scores, (vocabulary,), if anything."""
        return None

    def forward(self, batch: Batch) -> Tensor:
        """Logits after each target position: (N_target, vocabulary)."""
        return linear(self.states(batch), self.output_weight, self.output_bias)

    @abstractmethod
    def step(self, tokens: Tensor, cache: DecodingState) -> Tensor:
        """Logits, (R, vocabulary), after one more token, (R,), of every open hypothesis; equal to
        those of the full pass over the same tokens. The cache holds the memory."""
