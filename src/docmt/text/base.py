"""What the parts of a pipeline have in common: a step changes text and undoes its change, and
subwords make numbers of text and text of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from docmt.errors import InputError
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


def language_code(language: str) -> str:
    """The same language, whose code must look like one.

    Raises:
        InputError: it does not, such as a name in full.
    """
    if not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", language):
        raise InputError(
            f"{language!r} is no language code", cure="Write one such as en, de-AT or zh_Hant"
        )
    return language


def primary(language: str) -> str:
    """The language without script and region, in lower case: `de` of `de-AT` and `de_AT`."""
    language = language_code(language)
    return language.replace("_", "-").partition("-")[0].lower()
