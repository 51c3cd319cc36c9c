"""What the parts of a pipeline have in common: a step changes text and undoes its change, and
subwords make numbers of text and text of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from docmt.text.vocabulary import Vocabulary

Side = Literal["source", "target"]


class Step(Protocol):
    """A change of a sentence's text, and the way back."""

    def apply(self, text: str) -> str:
        """The sentence as later steps want it."""

    def invert(self, text: str) -> str:
        """The sentence as readers want it."""


class Subwords(Protocol):
    """The last step: the sentence becomes numbers of a vocabulary."""

    vocabulary: Vocabulary

    def apply(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence."""

    def invert(self, numbers: Sequence[int]) -> str:
        """The sentence that the numbers spell; `<unk>` stands for itself."""

    def pieces(self, text: str) -> list[str]:
        """The pieces of one sentence, one for each number; also those the vocabulary lacks."""

    def save(self, path: Path) -> None:
        """Write what was learnt, apart from the vocabulary, to files whose names begin so."""


def primary(language: str) -> str:
    """The language without script and region, in lower case: `de` of `de-AT` and `de_AT`."""
    return language.replace("_", "-").partition("-")[0].lower()
