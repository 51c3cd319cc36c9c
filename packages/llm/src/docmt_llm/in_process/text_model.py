"""`TextModel`: a causal language model of text, as a document language model needs it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class TextGroup(NamedTuple):
    """Texts after the same context.

    Attributes:
        context: the sentences before; empty for none.
        texts: one or more texts, each with a word.
    """

    context: tuple[str, ...]
    texts: tuple[str, ...]


class TextProbability(NamedTuple):
    """The log-probability of a text in nats, and its number of tokens."""

    log_probability: float
    tokens: int


class TextProbabilities(NamedTuple):
    """The results of a language model.

    Attributes:
        groups: a result for each text of each group.
        tokens: the number of tokens that the model has read.
    """

    groups: list[list[TextProbability]]
    tokens: int


class TextModel(Protocol):
    """A causal language model of text."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, Any]:
        """All that the log-probabilities depend on, as plain values."""

    @abstractmethod
    def log_probabilities(self, groups: Sequence[TextGroup]) -> TextProbabilities:
        """The log-probability of each text after the context of its group.

        Raises:
            InputError: a context is too long.
        """
