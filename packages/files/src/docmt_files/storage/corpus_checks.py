"""Checks for a corpus in any format. Errors name the file and the location in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import ErrorKind, InputError
from docmt_files.base.wording import counted
from docmt_files.storage.files import MAX_LINE_BYTES, PathLike

CURE_EMPTY = (
    "Write the sentence, or remove the pair from both sides; to train without such pairs, set "
    "data.filter.empty=true in the recipe"
)
"""Cure of an empty sentence."""


def not_empty(documents: Iterable[Document], path: PathLike) -> Iterator[Document]:
    """Yield documents; raise an `InputError` if there are none."""
    document = None
    for document in documents:
        yield document
    if document is None:
        cure = "Check that it is the right file"
        raise InputError("there are no documents", path=path, cure=cure)


class SentencePair(NamedTuple):
    """Sentences of line `line` of a file, or of both files; `target` is None if there is no target
    side. `document` is the document's id, where the line has it."""

    line: int
    source: str
    target: str | None
    document: str = ""


def document_of(document_id: str, pairs: Sequence[SentencePair]) -> Document:
    """Make a document from sentence pairs."""
    target = tuple(pair.target for pair in pairs if pair.target is not None)
    return Document(document_id, tuple(pair.source for pair in pairs), target or None)


@dataclass
class Checks:
    """Checks of one file, or of one side of a corpus in two files.

    Attributes:
        path: the file.
        allow_empty: whether sentence pairs may have an empty side.
        ids: the document ids so far; nothing else grows with a corpus.
    """

    path: PathLike
    allow_empty: bool = False
    ids: set[str] = field(default_factory=set)

    def error(
        self, problem: str, cure: str, line: int | None = None, kind: ErrorKind = ""
    ) -> InputError:
        return InputError(problem, path=self.path, line=line, cure=cure, kind=kind)

    def check_id(self, document_id: str, line: int | None = None, location: str = "") -> None:
        """Check a document id, which must be new. Without a `line`, the `location` is given: words
        for the beginning of the message."""
        if not document_id.strip():
            cure = "Give every document an id"
            raise self.error(f"{location}the document id is empty", cure, line)
        if fault := line_fault(document_id) or _id_fault(document_id):
            cure = "Give the document another id"
            raise self.error(f"{location}the document id {document_id!r} holds {fault}", cure, line)
        if document_id in self.ids:
            raise self.error(
                f"{location}the document id {document_id!r} is repeated",
                "Give every document an id of its own, and keep its sentences together",
                line,
            )
        self.ids.add(document_id)

    def check_pair(
        self, source: str, target: str | None, line: int | None = None, location: str = ""
    ) -> None:
        """Require one line of text in both sentences of a pair, and no empty sentence."""
        for text in (source, target):
            if text is not None and (fault := line_fault(text)):
                cure = "A sentence is one line of Unicode text; remove it, or write a space instead"
                raise self.error(f"{location}the sentence holds {fault}", cure, line)
        if not self.allow_empty and (fault := empty_side(source, target)):
            raise self.error(f"{location}{fault}", CURE_EMPTY, line, "empty-sentence")

    def documents(self, pairs: Iterable[SentencePair]) -> Iterator[Document]:
        """Yield the documents of pairs; the pairs of a document are consecutive."""
        for document_id, group in groupby(pairs, key=lambda pair: pair.document):
            checked: list[SentencePair] = []
            for pair in group:
                if not checked:
                    self.check_id(document_id, pair.line)
                self.check_pair(pair.source, pair.target, pair.line)
                checked.append(pair)
            yield document_of(document_id, checked)

    def check_document(
        self, source: Sequence[str], target: Sequence[str] | None, line: int | None, location: str
    ) -> None:
        """Check the sentences of a document on one line or in one row of a file."""
        if target is not None and len(source) != len(target):
            raise self.error(
                f"{location}{counted(len(source), 'source sentence')} but "
                f"{counted(len(target), 'target sentence')}",
                "Align the two sides so that sentence i translates sentence i",
                line,
            )
        if not source:
            raise self.error(f"{location}the document is empty", "Remove it", line)
        for i, sentence in enumerate(source):
            other = None if target is None else target[i]
            self.check_pair(sentence, other, line, f"{location}sentence {i + 1}: ")

    def check_writable(self, document: Document) -> str:
        """Check a document before it is written. Returns words for the location of the document."""
        location = f"document {document.id!r}: "
        self.check_id(document.id, location=location)
        self.check_document(document.source, document.target, None, location)
        return location


def empty_side(source: str, target: str | None) -> str:
    """Say which side of a sentence pair is empty, for an error; "" if neither is."""
    if source.strip():
        empty_target = target is not None and not target.strip()
        return "the target sentence is empty, the source sentence is not" if empty_target else ""
    if target is None:
        return "the sentence is empty"
    if target.strip():
        return "the source sentence is empty, the target sentence is not"
    return "both sentences of the pair are empty"


def line_fault(text: str) -> str:
    """Return the reason why a text cannot be one line of a UTF-8 file; "" if it can."""
    # Many tools take a single carriage return for a line break, and then misalign the sides.
    if "\n" in text or "\r" in text:
        return "a line break"
    if "\0" in text:
        return "a NUL character"
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        return f"half a surrogate pair, U+{ord(text[error.start]):04X}"
    return f"more than {MAX_LINE_BYTES:,} bytes" if size > MAX_LINE_BYTES else ""


def _id_fault(document_id: str) -> str:
    """Return a further reason why an id cannot be the first column of a file; "" if it can."""
    if "\t" in document_id:
        return "a tab"
    return "a byte order mark" if document_id.startswith("\ufeff") else ""
