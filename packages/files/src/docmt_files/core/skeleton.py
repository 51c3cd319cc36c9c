"""`FileSkeleton`: a file without its sentences, from which the translated file is written;
`Skeleton`: a text file without its sentences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import regex

from docmt_files.base.documents import Document, Sentence, SentenceMatch
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.core.inline import AlignSentences, Code
from docmt_files.storage.characters import NOT_TEXT
from docmt_files.storage.files import PathLike, write_text

# Scripts written without spaces, with their punctuation: from the ideographic space to the kana,
# the ideographs of all planes, and full-width forms.
# `re` takes milliseconds to compile a class of such ranges.
_UNSPACED = regex.compile(
    r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]"
)

NOT_HELD = "not translated, because the file cannot hold the control characters of the translation"
"""Words of a note about such blocks and sentences."""

CanKeep = Callable[[str, Sequence[str]], bool]
"""Check of a translator: can the translation of this sentence have these words, each as often as
given?"""


class Written(NamedTuple):
    """A written file.

    Attributes:
        notes: notes on the file for the user.
        kept: the number of blocks left untranslated.
        moved: the number of sentences with inline codes around whole words or the whole sentence,
            of which they are around a part in the source.
    """

    notes: tuple[str, ...] = ()
    kept: int = 0
    moved: int = 0


class FileRules(ABC):
    """Demands of a format on a filled file beyond its blocks."""

    __slots__ = ()

    @abstractmethod
    def finish(self, text: str) -> str:
        """A filled file after the format's own changes, such as new line breaks."""

    def faulty(self, text: str) -> list[int] | None:  # noqa: ARG002
        """The indices of blocks with damage to a filled file, or None if the file is sound."""
        return None

    def leave(self, text: str, blocks: Collection[int]) -> str:  # noqa: ARG002
        """A finished file after the format's own treatment of untranslated blocks.

        Args:
            text: the finished file.
            blocks: the indices of the untranslated blocks.
        """
        return text

    def with_matches(
        self,
        matches: Mapping[int, Sequence[SentenceMatch | None]],  # noqa: ARG002
    ) -> FileRules:
        """The rules for translations of which some come from a translation memory.

        Args:
            matches: by the indices of blocks with a match, the match of each sentence.
        """
        return self

    def notes(self, text: str) -> Iterable[str]:  # noqa: ARG002
        """Notes on a filled file for the user."""
        return ()


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled file.

    Attributes:
        text: the text of the file.
        data: the bytes of the file.
        notes: the counts of blocks, sentences and codes, and places for the user to check.
        kept: the number of blocks left untranslated.
        moved: the number of sentences with inline codes in other places, as in `Written`.
        levels: for each block, where its codes went (`CodeLevel`), or `LEFT` for an untranslated
            one.
        coded: by the index of a changed sentence, the translation with the codes, in order.
    """

    text: str
    data: bytes
    notes: tuple[str, ...]
    kept: int = 0
    moved: int = 0
    levels: tuple[int, ...] = ()
    coded: Mapping[int, Sequence[str | Code]] = field(default_factory=dict)


class FileSkeleton(ABC):
    """A file without its sentences. The defaults are for a file without blocks and codes."""

    __slots__ = ()

    @abstractmethod
    def write(
        self, documents: Sequence[Document], path: PathLike, align: AlignSentences | None = None
    ) -> Written:
        """Write the file with the target sentences of the documents, whole or not at all.

        Args:
            documents: the documents with their targets.
            path: the path to write to; `-` is standard output.
            align: aligns the words of sentences with codes. Default: words are linked by order and
                spelling.

        Raises:
            InputError: documents or sentences are missing, superfluous or in another order, or the
                file cannot be written.
        """

    def sentences_of(self, document: Document) -> tuple[Sentence, ...]:
        """The sentences of a document of the file, with all that the file says about them."""
        return tuple(map(Sentence, document.source))

    def keep_words(
        self,
        documents: list[Document],
        can_keep: CanKeep,  # noqa: ARG002
    ) -> tuple[list[Document], FileSkeleton]:
        """The documents and the file with the words of protected codes in the sentences, where they
        can be kept (`docmt_files.core.protection.placeholder_words`)."""
        return documents, self

    def with_matches(
        self,
        matches: Mapping[int, SentenceMatch],  # noqa: ARG002
    ) -> FileSkeleton:
        """The file for translations of which some come from a translation memory.

        Args:
            matches: by the indices of sentences, the matches.
        """
        return self

    @property
    def origins(self) -> Sequence[int] | None:
        """For each sentence of the only document, the index of the sentence with the translation to
        use: equal blocks get equal translations. None where every sentence has its own."""
        return None

    def block_sizes(self, sentences: int) -> Iterable[tuple[int, int]]:
        """The level of the heading, 0 for none, and the number of sentences of each block of a
        document with this number of sentences."""
        return [(0, sentences)]


@dataclass(frozen=True, slots=True)
class Skeleton(FileSkeleton):
    """The text of a file before, between and after its sentences.

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

    def write(
        self,
        documents: Sequence[Document],
        path: PathLike,
        align: AlignSentences | None = None,  # noqa: ARG002
    ) -> Written:
        documents, written = with_writable(documents)
        write_text(path, self.fill(documents))
        return written


def with_writable(
    documents: Sequence[Document], unwritable: regex.Pattern[str] = NOT_TEXT
) -> tuple[list[Document], Written]:
    """Documents with the source in place of target sentences unfit for a file; with a note and the
    number of such sentences.

    Args:
        documents: documents with their target sides.
        unwritable: matches characters the file cannot hold.
    """
    made = []
    kept = 0
    for document in documents:
        targets = document.target or ()
        bad = [unwritable.search(target) is not None for target in targets]
        kept += sum(bad)
        pairs = zip(document.source, targets, bad, strict=True)
        made.append(document.translated([s if is_bad else t for s, t, is_bad in pairs]))
    note = f"{counted(kept, 'sentence')} {NOT_HELD}"
    return (made, Written((note,), kept)) if kept else (list(documents), Written())


def check_filling(
    documents: Sequence[Document], expected: Sequence[tuple[str, int]]
) -> Iterator[str]:
    """The target sentences of documents, checked against the documents read.

    Args:
        documents: documents with their target sides.
        expected: id and number of sentences of each document read, in order.

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


def on_one_line(sentence: str) -> str:
    """A sentence with spaces in place of line breaks."""
    return " ".join(sentence.splitlines()).strip()


def separator(left: str, right: str) -> str:
    """Return the separator of two texts on a line: a space, or nothing if one is empty or both are
    in a script without spaces."""
    if not left or not right or (_UNSPACED.match(left[-1]) and _UNSPACED.match(right[0])):
        return ""
    return " "


class NoTextError(InputError):
    """A file has no sentence."""

    @classmethod
    def of(cls, path: PathLike) -> NoTextError:
        """The error about a file that has nothing but white space."""
        return cls("has no text", path=path, cure="Use a file with sentences in it")
