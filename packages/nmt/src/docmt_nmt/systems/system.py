"""The interface of a system to search, training, scoring and serving."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn.functional import linear

from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn import Embedding, FullPass, IncrementalView, View
from docmt_nmt.nn.batch import Batch, Memory, Packed, TranslatedSentences
from docmt_nmt.nn.choices import CountPositions
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.systems.system_settings import SystemSettings

ALL_SENTENCES = sys.maxsize
"""For `sentences_back`: all sentences of the instance."""


class System(nn.Module, ABC):
    """A translation system.

    Its arguments are the settings and the sizes of the source and the target vocabulary, which are
    equal if embeddings are shared.

    Attributes:
        settings_class: its settings, which give it its name.
        writing_order: how it writes the sentences of an instance: as its settings class says, or
            as the settings choose.
        sentences_back: how many sentences back a sentence reads translations, where they are
            written in order.
        numbers_instances: whether the tokens of an instance on either side, its context included,
            are numbered in one sequence, so that an instance may not have more of them than there
            are learned positions, unless its settings say otherwise.
        refills_batches: whether the next instance of a search may take the place of a finished one:
            the system writes in one pass, and looks at written words and the source alone.
        reconstruction: what a system of a paper was put together from, if the paper's text and
            published code do not say all of it; its scores are not those of the paper's system.
    """

    settings_class: ClassVar[type[SystemSettings]]
    writing_order: WritingOrder = WritingOrder.ONE_PASS
    sentences_back: int = ALL_SENTENCES
    numbers_instances: ClassVar[bool] = False
    refills_batches: bool = False
    reconstruction: ClassVar[str] = ""

    def __init_subclass__(cls, **keys: Any) -> None:
        super().__init_subclass__(**keys)
        if "settings_class" in vars(cls):
            cls.writing_order = cls.settings_class.writing_order

    @property
    def target_positions(self) -> tuple[int, CountPositions] | None:
        """Number of target positions that are learned, and where they are counted from; None if any
        number of them can be read."""
        return None

    @property
    def draft_system(self) -> System | None:
        """The frozen part of a system that writes the drafts which the rest corrects; it translates
        each sentence as an instance of its own."""
        return None

    def initial_weights(self, state: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """The weights of the run that a training starts from, by the names they have here."""
        return state

    def twins(self) -> Iterator[tuple[nn.Module, nn.Module]]:
        """Modules that see beyond the sentence, each with a module of a sentence-level system from
        whose weights it can start, where a run has weights for the second alone.

        Parameters correspond by their names inside the two modules; a parameter that the second
        lacks starts at random.
        """
        yield from ()

    @abstractmethod
    def encode(self, source: Packed) -> Memory:
        """Encode the source of a batch of instances, once each."""

    @abstractmethod
    def target_states(self, tokens: Tensor, view: View) -> Tensor:
        """The states that the vocabulary is scored against, (N, d_model), after target tokens,
        (N,), whether a view is of all of them or of one new token of every hypothesis."""

    def states(self, batch: Batch) -> Tensor:
        """The states that the vocabulary is scored against after each target position, given what
        stands before it: (N_target, d_model)."""
        view = FullPass(batch.target, self.encode(batch.source))
        return self.target_states(batch.target.tokens, view)

    @property
    @abstractmethod
    def output_weight(self) -> Tensor:
        """Return what scores them: (V, d_model)."""

    @property
    def output_bias(self) -> Tensor | None:
        """Return what is added to the scores, (V,), if anything."""
        return None

    def forward(self, batch: Batch) -> Tensor:
        """Logits after each target position: (N_target, V)."""
        return self.scores(self.states(batch))

    def scores(self, x: Tensor) -> Tensor:
        """States, (N, d_model), scored against the vocabulary: (N, V)."""
        return linear(x, self.output_weight, self.output_bias)

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Put the system into eval mode, and back at the end."""
        training = self.training
        self.eval()
        try:
            yield
        finally:
            self.train(training)

    def read_translations(self, target: Packed, memory: Memory) -> Tensor:
        """The states, (N_target, d), in which other sentences see translated ones; only called
        where the `writing_order` reads translations.

        Args:
            target: the translated sentences, each with its BOS and EOS and an instance of its own.
            memory: their source sentences, each an instance of its own.
        """
        del target, memory  # only of use to systems that override this
        raise TypeError(f"{type(self).__name__} does not read translations")

    def with_translations(
        self,
        memory: Memory,
        translations: TranslatedSentences | None,
        sentences: NDArray[np.int64] | None = None,
    ) -> Memory:
        """The memory for writing sentences, given what is known of the translations of others; only
        called where the `writing_order` reads translations.

        Args:
            memory: of whole instances, as `encode` gives it.
            translations: what `read_translations` gave.
            sentences: the sentences to be written, by their indices; default: all.
        """
        del sentences  # only of use to systems that override this
        return replace(memory, translations=translations)

    def step(self, tokens: ArrayLike, state: IncrementalView) -> Tensor:
        """Logits, (R, V), after one more token of every open hypothesis; equal to those of the full
        pass over the same tokens.

        Args:
            tokens: (R,) token ids, on the host.
            state: the decoding state, which holds the memory; it is advanced.
        """
        state.advance(tokens)
        x = self.target_states(to_device(np.asarray(tokens), state.device), state)
        return self.scores(x)


class EmbeddingSystem(System):
    """A system that scores the vocabulary against its target embeddings, or against an output table
    of its own.

    Attributes:
        target_embedding: the embedding of target tokens.
        output: the output table, if there is one.
        score_bias: (V,) what is added to the scores, if anything.
    """

    target_embedding: Embedding
    output: nn.Linear | None
    score_bias: nn.Parameter | None

    @property
    def output_weight(self) -> Tensor:
        return (self.output or self.target_embedding.table).weight

    @property
    def output_bias(self) -> Tensor | None:
        return self.score_bias

    def scores(self, x: Tensor) -> Tensor:
        scores = self.target_embedding.scores(x) if self.output is None else self.output(x)
        if self.score_bias is None:
            return scores
        is_fresh = not scores.requires_grad and scores.dtype == self.score_bias.dtype
        return scores.add_(self.score_bias) if is_fresh else scores + self.score_bias


def output_layer(size: int, vocabulary: int, *, bias: bool = False) -> nn.Linear:
    """An output table for states of this size, with the bias of each token if there is one."""
    output = nn.Linear(size, vocabulary, bias=bias)
    nn.init.normal_(output.weight, std=size**-0.5)
    if bias:
        nn.init.zeros_(output.bias)
    return output
