"""What search, training, scoring and serving know of a system."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn.functional import linear

from docmt.nn import Embedding, FullPass, IncrementalView, View
from docmt.nn.batch import Batch, Memory, Packed, TranslatedSentences
from docmt.nn.transfer import to_device
from docmt.nn.views import CountPositions
from docmt.systems.system_settings import SystemSettings

ALL_SENTENCES = sys.maxsize
"""For `reads_translations`: all sentences of the instance."""


class System(nn.Module, ABC):
    """A translation system.

    Its arguments are the settings and the sizes of the source and the target vocabulary.

    Attributes:
        settings_class: its settings, which give it its name.
        instance_kinds: the kinds of instance it can be trained on.
        one_pass: whether the sentences of an instance are written in one pass from left to right,
            or each on its own, given the source and the context of its instance.
        recurrent: whether a recurrent network writes the target, so that parallel decoding cannot
            begin a sentence before the one before it is written.
        reads_context: whether it reads the source sentences before an instance.
        reads_following: whether its context may have the source sentences after an instance, too.
        joins_sentences: whether it can translate the sentences of an instance joined into one, so
            that it need not know where they begin.
        reads_translations: how many sentences back it reads the translations of the sentences of an
            instance, which are then written in order; 0 for none, `ALL_SENTENCES` for all. Only
            systems that are not `one_pass` do.
        reads_drafts: whether it reads draft translations of the other sentences of an instance,
            which are written first, each on its own. Only systems that are not `one_pass` do.
        corrects_drafts: whether it corrects drafts, which `draft_system` writes of every sentence.
            It reads translations, too, and a sentence without sentences before it is not corrected.
    """

    settings_class: ClassVar[type[SystemSettings]]
    instance_kinds: ClassVar[tuple[str, ...]]
    one_pass: ClassVar[bool] = True
    recurrent: ClassVar[bool] = False
    reads_context: ClassVar[bool] = False
    reads_following: ClassVar[bool] = False
    joins_sentences: ClassVar[bool] = False
    reads_translations: int = 0
    reads_drafts: bool = False
    corrects_drafts: ClassVar[bool] = False

    @property
    def target_positions(self) -> tuple[int, CountPositions] | None:
        """How many target positions are learned, and where they are counted from; None if any
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
        where `reads_translations` is not 0 or `reads_drafts`.

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
        called where `reads_translations` is not 0 or `reads_drafts`.

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
        return scores if self.score_bias is None else scores + self.score_bias


def output_layer(size: int, vocabulary: int, *, bias: bool = False) -> nn.Linear:
    """An output table for states of this size, with the bias of each token if there is one."""
    output = nn.Linear(size, vocabulary, bias=bias)
    nn.init.normal_(output.weight, std=size**-0.5)
    if bias:
        nn.init.zeros_(output.bias)
    return output
