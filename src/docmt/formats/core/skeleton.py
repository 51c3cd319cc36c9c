"""`Skeleton`: a text file without its sentences, to be filled with their translations; and
`FileSkeleton`, what the skeletons of all formats with blocks have in common.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.wording import counted

if TYPE_CHECKING:
    # NumPy takes long to load.
    from docmt.formats.core.word_links import AlignSentences

# Scripts written without spaces, with their punctuation: from the ideographic space to the kana,
# the ideographs of all planes, and full-width forms.
_UNSPACED = re.compile(
    r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]"
)


class FilledFile(Protocol):
    """A file that is filled with translations.

    Attributes:
        data: all of it.
        notes: the counts of what it holds, and what a user should check.
        kept: the number of its blocks that were left as they were.
    """

    @property
    def data(self) -> bytes: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def kept(self) -> int: ...


class FileSkeleton(Protocol):
    """A file of a format of `docmt.formats.format_registry` without its sentences."""

    def fill_and_report(
        self, documents: Sequence[Document], align: AlignSentences | None = None
    ) -> FilledFile:
        """The file with the target sentences of its documents.

        Args:
            documents: the documents with their targets.
            align: aligns the words of sentences that have codes. Default: they are linked by their
                order and spelling.

        Raises:
            InputError: documents or sentences are missing, superfluous or in another order.
        """
        ...


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A file's text before, between and after its sentences.

    Attributes:
        gaps: the text before, between and after sentences, one more than there are sentences. None
            is the gap between two sentences of a line: a space, or nothing between Chinese or
            Japanese characters.
        documents: id and number of sentences of each document, in order.
    """

    gaps: tuple[str | None, ...]
    documents: tuple[tuple[str, int], ...]

    def fill(self, documents: Sequence[Document]) -> str:
        """The file with the target sentences of these documents. A line break in a sentence becomes
        a space.

        Raises:
            InputError: documents or sentences are missing, superfluous or in another order.
        """
        targets = check_filling(documents, self.documents)
        sentences = [" ".join(sentence.splitlines()) for sentence in targets]
        parts: list[str] = []
        last = ""
        for gap, sentence in zip(self.gaps, [*sentences, ""], strict=True):
            parts += [separator(last, sentence) if gap is None else gap, sentence]
            last = sentence or last
        return "".join(parts)


def check_filling(
    documents: Sequence[Document], expected: Sequence[tuple[str, int]]
) -> Iterator[str]:
    """The target sentences of documents, which must be those that were read.

    Args:
        documents: documents with their target sides.
        expected: id and number of sentences of each document that was read, in order.

    Raises:
        InputError: documents or sentences are missing, superfluous or in another order.
    """
    if len(documents) != len(expected):
        raise InputError(
            f"got {counted(len(documents), 'document')}, but {len(expected):,} were read",
            cure="Return every document, in the same order",
        )
    for document, (expected_id, count) in zip(documents, expected, strict=True):
        target = document.target or ()
        if document.id != expected_id or len(target) != count:
            raise InputError(
                f"document {document.id!r} has {counted(len(target), 'target sentence')}, but "
                f"{expected_id!r} was read with {counted(count, 'sentence')}",
                cure="Return every document with a translation of every sentence",
            )
        yield from target


def separator(left: str, right: str) -> str:
    """Return what separates two texts on a line: a space, or nothing if one is empty or both are in
    a script without spaces."""
    if not left or not right or (_UNSPACED.match(left[-1]) and _UNSPACED.match(right[0])):
        return ""
    return " "


def name_of(path: PathLike) -> str:
    """The name of a file in errors and document ids: one line of text, whatever bytes it has."""
    if str(path) == "-":
        return "standard input"
    return re.sub(r"\s", " ", os.fsencode(path).decode("utf-8", "backslashreplace"))


class NoTextError(InputError):
    """A file has no sentence."""


def no_text(path: PathLike) -> NoTextError:
    """The error about a file without a sentence."""
    return NoTextError("has no text", path=name_of(path), cure="Use a file with sentences in it")
