"""What must hold in a corpus of any format. Errors name the file and the place in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import LONGEST_LINE, PathLike


def some(documents: Iterable[Document], path: PathLike) -> Iterator[Document]:
    """The same documents; none at all is an error."""
    empty = True
    for document in documents:
        empty = False
        yield document
    if empty:
        raise InputError(
            "there are no documents", path=path, cure="Check that it is the right file"
        )


@dataclass
class Checks:
    """The checks on one file, or on one side of a corpus in two.

    Attributes:
        path: the file.
        allow_empty: sentence pairs may have an empty side.
        ids: the document ids met so far. They are all that grows with a corpus.
    """

    path: PathLike
    allow_empty: bool = False
    ids: set[str] = field(default_factory=set)

    def error(self, problem: str, cure: str, line: int | None = None) -> InputError:
        """An error about this file."""
        return InputError(problem, path=self.path, line=line, cure=cure)

    def id(self, id: str, line: int | None = None, place: str = "") -> None:
        """Check a document's id, which must be new. `place` says where it is if no line does."""
        if not id.strip():
            raise self.error(f"{place}the document id is empty", "Give every document an id", line)
        if fault := fault_of(id) or fault_of_id(id):
            cure = "Give the document another id"
            raise self.error(f"{place}the document id {id!r} holds {fault}", cure, line)
        if id in self.ids:
            raise self.error(
                f"{place}document id {id!r} comes a second time",
                "Give every document an id of its own, and keep its sentences together",
                line,
            )
        self.ids.add(id)

    def sentence(self, text: str, line: int | None = None, place: str = "") -> None:
        """Check that a sentence is one line of text."""
        if fault := fault_of(text):
            cure = "A sentence is one line of Unicode text; remove it, or write a space instead"
            raise self.error(f"{place}the sentence holds {fault}", cure, line)

    def pair(
        self, source: str, target: str | None, line: int | None = None, place: str = ""
    ) -> None:
        """Check the sentences of a pair, and that neither is empty."""
        self.sentence(source, line, place)
        if target is not None:
            self.sentence(target, line, place)
        if not self.allow_empty and (fault := emptiness(source, target)):
            raise self.error(f"{place}{fault}", CURE_EMPTY, line)

    def document(
        self, source: Sequence[str], target: Sequence[str] | None, line: int | None, place: str
    ) -> None:
        """Check the sentences of a document that stands on one line or in one row."""
        if target is not None and len(source) != len(target):
            raise self.error(
                f"{place}{len(source)} source sentences but {len(target)} target sentences",
                "Align the two sides so that sentence i translates sentence i",
                line,
            )
        if not source:
            raise self.error(f"{place}the document is empty", "Remove it", line)
        for number, sentence in enumerate(source):
            other = None if target is None else target[number]
            self.pair(sentence, other, line, f"{place}sentence {number + 1}: ")

    def writable(self, document: Document) -> str:
        """Check a document that is to be written; gives the words that say where it is."""
        place = f"document {document.id!r}: "
        self.id(document.id, place=place)
        self.document(document.source, document.target, None, place)
        return place


CURE_EMPTY = (
    "Write the sentence, or remove the pair from both sides; to train without such pairs, set "
    "data.filter.empty=true in the recipe"
)


def emptiness(source: str, target: str | None) -> str:
    """What is empty of a sentence pair, as a problem; nothing if nothing is."""
    if source.strip():
        empty_target = target is not None and not target.strip()
        return "the target sentence is empty, the source sentence is not" if empty_target else ""
    if target is None:
        return "the sentence is empty"
    if target.strip():
        return "the source sentence is empty, the target sentence is not"
    return "both sentences of the pair are empty"


def fault_of(text: str) -> str:
    """What keeps a text from being written on one line of a UTF-8 file, or nothing."""
    # A single carriage return counts as a line break in many tools, which then misalign the sides.
    if "\n" in text or "\r" in text:
        return "a line break"
    if "\0" in text:
        return "a NUL character"
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        return f"half a surrogate pair, U+{ord(text[error.start]):04X}"
    return f"more than {LONGEST_LINE:,} bytes" if size > LONGEST_LINE else ""


def fault_of_id(id: str) -> str:
    """What else keeps an id from being the first column of a file, or nothing."""
    if "\t" in id:
        return "a tab"
    return "a byte order mark" if id.startswith("\ufeff") else ""
