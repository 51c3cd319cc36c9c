"""Interfaces of the parts of a pipeline.

A `Step` changes the text of a sentence and inverts the change. `Subwords` come last and turn text
into token ids and back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self

from docmt_files.storage.files import PathLike
from docmt_nmt.text.spellings import Span
from docmt_nmt.text.subword_words import subword_spans
from docmt_nmt.text.vocabulary import Vocabulary

Side = Literal["source", "target"]

SIDES: tuple[Side, Side] = ("source", "target")


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """Document as token ids, without special tokens.

    Attributes:
        id: the document's id.
        source: the token ids of each source sentence.
        target: the token ids of each target sentence, or None if there is no translation.
    """

    id: str
    source: Sequence[Sequence[int]]
    target: Sequence[Sequence[int]] | None = None


class Step(ABC):
    """Change of a sentence's text, and the inverse of the change.

    Attributes:
        changes_case: whether the step changes the case of words.
        splits_words: whether the step puts spaces between words.
    """

    changes_case: ClassVar[bool] = False
    splits_words: ClassVar[bool] = False

    @abstractmethod
    def apply(self, text: str) -> str:
        """Change a sentence to the form expected by the later steps."""

    def invert(self, text: str) -> str:
        """Change a sentence to the form expected by readers. By default, it stays as it is."""
        return text


class SavedStep(Step):
    """Step with a file in the run; the file's name begins with `name`."""

    name: ClassVar[str]

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write the file of the step."""

    @classmethod
    @abstractmethod
    def load(cls, path: PathLike) -> Self:
        """Read the file of the step.

        Raises:
            InputError: a line has another form; the error names it.
        """


class LearnedStep(SavedStep):
    """Step learned from a corpus."""

    @classmethod
    @abstractmethod
    def learn(cls, sentences: Iterable[str]) -> Self:
        """Learn from sentences to which the earlier steps were applied."""


class Subwords(ABC):
    """Last part of a pipeline: it segments a sentence into subwords, the tokens of a vocabulary.

    Attributes:
        vocabulary: the tokens and their ids.
    """

    vocabulary: Vocabulary

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each sentence; an empty sentence has none."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Return the sentence with these token ids; `<unk>` is written as `<unk>`."""

    @abstractmethod
    def split(self, text: str) -> list[str]:
        """Split a sentence into subwords, one for each token id, including subwords outside the
        vocabulary."""

    def spans(self, text: str) -> list[Span]:
        """Return the characters of a sentence for each subword, as start and end offsets."""
        return subword_spans(self.split(text), text)

    @abstractmethod
    def surface(self, token: str) -> str:
        """Return the text added to a sentence by a token of the vocabulary, with a space before or
        after it if the token separates words; a byte of a character is a letter."""

    def is_partial(self, token: str) -> bool:  # noqa: ARG002
        """Return whether a token is only a part of a character, such as a byte."""
        return False

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write the learned parts, except for the vocabulary, to files with names beginning with
        `path`."""
