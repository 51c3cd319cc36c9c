"""The interfaces of the parts of a pipeline, and what they pass on.

A `Step` changes the text of a sentence and inverts its change. `Subwords` come last and turn text
into token ids and back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self

from docmt.files import PathLike
from docmt.text.spellings import Span
from docmt.text.subword_words import subword_spans
from docmt.text.vocabulary import Vocabulary

Side = Literal["source", "target"]

SIDES: tuple[Side, Side] = ("source", "target")


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """A document as token ids, without special tokens.

    Attributes:
        id: the document's id.
        source: the token ids of each source sentence.
        target: the token ids of each target sentence, or None if there is no translation.
    """

    id: str
    source: Sequence[Sequence[int]]
    target: Sequence[Sequence[int]] | None = None


class Step(ABC):
    """A change of a sentence's text, and its inverse."""

    @abstractmethod
    def apply(self, text: str) -> str:
        """The sentence as the later steps need it."""

    @abstractmethod
    def invert(self, text: str) -> str:
        """The sentence as readers expect it."""


class SavedStep(Step):
    """A step that the run keeps in a file.

    Attributes:
        name: what the name of the file starts with.
    """

    name: ClassVar[str]

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write what the step needs."""

    @classmethod
    @abstractmethod
    def load(cls, path: PathLike) -> Self:
        """Read what `save` wrote."""


class LearnedStep(SavedStep):
    """A step that is learned from a corpus."""

    @classmethod
    @abstractmethod
    def learn(cls, sentences: Iterable[str]) -> Self:
        """Learn from sentences to which the earlier steps were applied."""


class Subwords(ABC):
    """The last part of a pipeline: it segments a sentence into subwords, the tokens of a
    vocabulary.

    Attributes:
        vocabulary: the tokens and their ids.
    """

    vocabulary: Vocabulary

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each sentence."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """The sentence with these token ids; `<unk>` is written as `<unk>`."""

    @abstractmethod
    def split(self, text: str) -> list[str]:
        """The subwords of one sentence, one for each of its token ids, including subwords that are
        not in the vocabulary."""

    def spans(self, text: str) -> list[Span]:
        """The characters of one sentence that each of its subwords stands for, as the offsets where
        they start and end."""
        return subword_spans(self.split(text), text)

    @abstractmethod
    def surface(self, token: str) -> str:
        """The text that a token of the vocabulary adds to a sentence, with the space before or
        after it that separates it from other words; a byte of a character is a letter."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write what was learned, except for the vocabulary, to files whose names start with
        `path`."""
