"""What is left of a text file without its sentences, to be filled with their translations."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import PathLike

# Scripts written without spaces, with their punctuation: from the ideographic space to the kana,
# the ideographs of all planes, and full-width forms.
_UNSPACED = re.compile(
    r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A file's text before, between and after its sentences.

    Attributes:
        gaps: one more than there are sentences. None stands between two sentences of a line: a
            space, or nothing between Chinese or Japanese characters.
        documents: id and number of sentences of each document, in order.
    """

    gaps: tuple[str | None, ...]
    documents: tuple[tuple[str, int], ...]

    def fill(self, documents: Sequence[Document]) -> str:
        """The file with the target sentences of these documents.

        A line break in a sentence becomes a space.

        Raises:
            InputError: documents or sentences are missing, too many or in another order.
        """
        sentences = [" ".join(sentence.splitlines()) for sentence in self.sentences(documents)]
        parts: list[str] = []
        last = ""
        for gap, sentence in zip(self.gaps, [*sentences, ""], strict=True):
            parts += [between(last, sentence) if gap is None else gap, sentence]
            last = sentence or last
        return "".join(parts)

    def sentences(self, documents: Sequence[Document]) -> Iterator[str]:
        """The target sentences of the documents, if they are those that were read."""
        if len(documents) != len(self.documents):
            raise InputError(
                f"{len(documents)} documents came back, but {len(self.documents)} were read",
                cure="Give back every document, in the same order",
            )
        for document, (id, count) in zip(documents, self.documents, strict=True):
            target = document.target or ()
            if document.id != id or len(target) != count:
                raise InputError(
                    f"document {document.id!r} came back with {len(target)} target sentences, but "
                    f"{id!r} was read with {count}",
                    cure="Give back every document with a translation of every sentence",
                )
            yield from target


def between(left: str, right: str) -> str:
    """What stands between two pieces of text on a line: nothing where one is empty or both are of
    a script without spaces, else a space."""
    if not left or not right or (_UNSPACED.match(left[-1]) and _UNSPACED.match(right[0])):
        return ""
    return " "


def name_of(path: PathLike) -> str:
    """What errors and documents call a file: one line of text, whatever bytes its name has."""
    if str(path) == "-":
        return "standard input"
    return re.sub(r"\s", " ", os.fsencode(path).decode("utf-8", "backslashreplace"))


def no_text(path: PathLike) -> InputError:
    """The error about a file without a sentence."""
    return InputError("holds no text", path=name_of(path), cure="Give a file with sentences in it")
