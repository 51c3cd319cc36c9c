"""Line files: one sentence per line; line i of the target file translates line i of the source
file.

Documents begin at `<d>` lines, after blank lines, or where a docids file says so; or every sentence
is a document, or the whole file is one. `<d>` lines are the format of the preprocessed corpora of
Bao et al. 2021.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice, zip_longest
from typing import IO, NamedTuple, get_args

from docmt_files.base.documents import MARKER, Boundaries, Document
from docmt_files.base.errors import ErrorKind, InputError
from docmt_files.base.wording import counted
from docmt_files.storage.corpus_checks import (
    CURE_EMPTY,
    Checks,
    SentencePair,
    document_of,
    empty_side,
    line_fault,
)
from docmt_files.storage.files import PathLike, read_lines, resolved, write_together

_CURE_EMPTY_DOCUMENT = "Remove the line that begins it, on both sides"
"""The cure for an empty document."""

_CURE_COUNT = "Give each document its true number of sentences"


@dataclass
class _DocumentLines:
    """Lines of one document, the first of which is line `line` of the files."""

    line: int
    pairs: list[SentencePair] = field(default_factory=list)
    id: str = ""

    def document(self) -> Document:
        return document_of(self.id, self.pairs)


def split_into_documents(
    lines: Iterable[str],
    path: PathLike,
    *,
    boundaries: Boundaries | None = None,
    docids: PathLike | None = None,
    allow_empty: bool = False,
) -> Iterator[Document]:
    """Split the lines of a line file, already read, into documents.

    Args:
        lines: the lines, without line ends.
        path: name of the file for errors.
        boundaries, docids, allow_empty: as for `docmt_nmt.corpora.read`.

    Raises:
        InputError: as `docmt_nmt.corpora.read`.

    >>> [d.source for d in split_into_documents(["<d>", "A.", "B.", "<d>", "C."], "talks.en")]
    [('A.', 'B.'), ('C.',)]
    """
    pairs = (SentencePair(number, line, None) for number, line in enumerate(lines, start=1))
    return LineFiles(path, None, boundaries, docids, allow_empty).split(pairs)


def default_boundaries(first_line: str, docids: PathLike | None) -> Boundaries:
    """Return how a line file shows where documents begin if nothing says so: by `<d>` lines if the
    first line is one, else by the docids file if there is one, else the file is one document.

    >>> default_boundaries("<d>", None), default_boundaries("Good morning.", None)
    ('markers', 'none')
    """
    if first_line.strip() == MARKER:
        return "markers"
    return "none" if docids is None else "docids"


@dataclass(frozen=True)
class LineFiles:
    """Line files of a corpus.

    Attributes:
        source, target: the files of both sides; without a target, or with lines read before,
            `source` alone.
        boundaries: how the files show where documents begin; None for `default_boundaries`.
        docids: the file of document ids and counts.
        allow_empty: accept sentence pairs with an empty side.

    Raises:
        InputError: the boundaries are unknown or do not fit the files.
    """

    source: PathLike
    target: PathLike | None = None
    boundaries: Boundaries | None = None
    docids: PathLike | None = None
    allow_empty: bool = False

    def __post_init__(self) -> None:
        known = get_args(Boundaries)
        if self.boundaries is not None and self.boundaries not in known:
            cure = f"Choose from {', '.join(map(repr, known))}"
            raise InputError(f"unknown boundaries {self.boundaries!r}", cure=cure)
        if self.boundaries == "docids" and self.docids is None:
            cure = "Set docids to the file of document id, tab, number of sentences"
            raise self._error("boundaries 'docids' need a docids file", cure)
        if self.boundaries in ("sentences", "none") and self.docids is not None:
            cure = "Set boundaries to 'docids', or leave the docids file out"
            problem = f"boundaries {self.boundaries!r} do not use a docids file"
            raise InputError(problem, path=self.docids, cure=cure)
        if list(map(str, self._paths)).count("-") > 1:
            raise InputError("only one side can be standard input or output", cure="Name a file")

    @property
    def _paths(self) -> list[PathLike]:
        return [path for path in (self.source, self.target, self.docids) if path is not None]

    def _error(
        self, problem: str, cure: str, line: int | None = None, kind: ErrorKind = ""
    ) -> InputError:
        return InputError(problem, path=self.source, line=line, cure=cure, kind=kind)

    def read(self) -> Iterator[Document]:
        """Read the documents; see `docmt_nmt.corpora.read`."""
        return self.split(self._aligned())

    def split(self, pairs: Iterator[SentencePair]) -> Iterator[Document]:
        """Split pairs of lines into documents."""
        if self.boundaries is None:
            first = next(pairs, None)
            boundaries = default_boundaries("" if first is None else first.source, self.docids)
            files = replace(self, boundaries=boundaries)
            return files.split(chain([] if first is None else [first], pairs))
        pairs = self._checked(pairs)
        match self.boundaries:
            case "docids":
                documents = self._split_by_counts(pairs)
            case "markers":
                documents = self._split_at_markers(pairs)
            case "blank":
                documents = self._split_at_blank_lines(pairs)
            case "sentences":
                documents = (_DocumentLines(pair.line, [pair]) for pair in pairs)
            case "none":
                documents = _one_document(pairs)
        if self.boundaries != "docids":
            documents = self._named(documents)
        return (lines.document() for lines in documents)

    def _aligned(self) -> Iterator[SentencePair]:
        """Yield the lines of both sides in pairs; sides of different lengths are an error."""
        if self.target is None:
            for line, text in enumerate(read_lines(self.source), start=1):
                yield SentencePair(line, text, None)
            return
        sides = read_lines(self.source), read_lines(self.target)
        for line, (text, translation) in enumerate(zip_longest(*sides), start=1):
            if text is None or translation is None:
                longer = 0 if translation is None else 1
                counts = [line - 1, line - 1]
                counts[longer] = line + sum(1 for _ in sides[longer])
                raise InputError(
                    f"the source has {counted(counts[0], 'line')} but the target {self.target} has "
                    f"{counts[1]:,}",
                    path=(self.source, self.target)[longer],
                    line=line,
                    cure="Align the two files so that line i translates line i",
                )
            yield SentencePair(line, text, translation)

    def _checked(self, pairs: Iterable[SentencePair]) -> Iterator[SentencePair]:
        """Yield the pairs of sentences and of boundaries among the lines; all others are errors."""
        may_be_empty = self.allow_empty or self.boundaries == "blank"
        for pair in pairs:
            self._check_line(pair.source, self.source, pair.line)
            if pair.target is not None and self.target is not None:
                self._check_line(pair.target, self.target, pair.line)
            if not may_be_empty and (fault := empty_side(pair.source, pair.target)):
                path = self.source if not pair.source.strip() else self.target
                raise InputError(
                    fault, path=path, line=pair.line, cure=CURE_EMPTY, kind="empty-sentence"
                )
            yield pair

    def _check_line(self, text: str, path: PathLike, line: int) -> None:
        if fault := line_fault(text):
            cure = "Remove it, for example with tr -d '\\r'"
            raise InputError(f"the sentence holds {fault}", path=path, line=line, cure=cure)
        if text.strip() == MARKER and self.boundaries != "markers":
            cure = "Set boundaries to 'markers', or remove these lines"
            problem = f"a {MARKER} line, but boundaries are {self.boundaries!r}"
            raise InputError(problem, path=path, line=line, cure=cure)

    def _is_boundary(self, pair: SentencePair, boundary: str) -> bool:
        """Return whether a pair is a boundary (`<d>`, or a blank line), which both sides share."""
        in_source = pair.source.strip() == boundary
        if pair.target is not None and (pair.target.strip() == boundary) != in_source:
            side = "source" if in_source else "target"
            problem = f"a document begins ({MARKER}) in the {side} only"
            cure = "Compare the two files before this line; a sentence is missing on one side"
            if boundary != MARKER:
                problem = f"the line is blank in the {side} only"
                cure += ". If sentences may be empty, blank lines cannot be boundaries"
            raise self._error(problem, cure, pair.line)
        return in_source

    def _split_at_markers(self, pairs: Iterable[SentencePair]) -> Iterator[_DocumentLines]:
        document: _DocumentLines | None = None
        for pair in pairs:
            if self._is_boundary(pair, MARKER):
                if document is not None:
                    yield self._not_empty(document)
                document = _DocumentLines(pair.line)
            elif document is None:
                raise self._error(
                    f"text before the first {MARKER} line",
                    f"Begin both sides with {MARKER}, or set boundaries to blank, docids or none",
                    pair.line,
                )
            else:
                document.pairs.append(pair)
        if document is not None:
            yield self._not_empty(document)

    def _split_at_blank_lines(self, pairs: Iterable[SentencePair]) -> Iterator[_DocumentLines]:
        """Yield each run of lines between single blank lines; one more may end the file."""
        document = _DocumentLines(1)
        for pair in pairs:
            if self._is_boundary(pair, ""):
                yield self._not_empty(document)
                document = _DocumentLines(pair.line + 1)
            else:
                document.pairs.append(pair)
        if document.pairs:
            yield document

    def _split_by_counts(self, pairs: Iterator[SentencePair]) -> Iterator[_DocumentLines]:
        """Yield as many lines as each line of the docids file says."""
        assert self.docids is not None
        total = 0
        for entry in _read_docids(self.docids):
            document = _DocumentLines(total + 1, list(islice(pairs, entry.sentences)), entry.id)
            if (size := len(document.pairs)) < entry.sentences:
                raise InputError(
                    f"document {entry.id!r} has {counted(entry.sentences, 'sentence')}, but "
                    f"{self.source} ends at line {total + size}, after {size} of them",
                    path=self.docids,
                    line=entry.line,
                    cure=_CURE_COUNT,
                )
            total += entry.sentences
            yield document
        if (pair := next(pairs, None)) is not None:
            raise self._error(
                f"the sentence belongs to no document; {self.docids} counts "
                f"{counted(total, 'sentence')} in total",
                _CURE_COUNT,
                pair.line,
            )

    def _not_empty(self, document: _DocumentLines) -> _DocumentLines:
        if not document.pairs:
            problem = "the document that begins here is empty"
            raise self._error(problem, _CURE_EMPTY_DOCUMENT, document.line, "empty-document")
        return document

    def _named(self, documents: Iterable[_DocumentLines]) -> Iterator[_DocumentLines]:
        """Give documents the ids of the docids file, with matching numbers of sentences, or else
        consecutive numbers."""
        if self.docids is None:
            for number, document in enumerate(documents, start=1):
                document.id = str(number)
                yield document
            return
        both = zip_longest(documents, _read_docids(self.docids))
        for number, (document, entry) in enumerate(both, start=1):
            if entry is None:
                problem = (
                    f"document {number}, which begins at line {document.line} of {self.source}, is "
                    "missing"
                )
                raise InputError(problem, path=self.docids, cure="Name each document")
            if document is None:
                problem = f"document {entry.id!r} is missing from {self.source}, which has "
                problem += str(number - 1)
                cure = "Name each document once, in the order of the text"
                raise InputError(problem, path=self.docids, line=entry.line, cure=cure)
            if len(document.pairs) != entry.sentences:
                raise InputError(
                    f"document {entry.id!r} has {counted(entry.sentences, 'sentence')}, but the "
                    f"one that begins at line {document.line} of {self.source} has "
                    f"{len(document.pairs)}",
                    path=self.docids,
                    line=entry.line,
                    cure="A sentence was lost or the documents are in another order; fix either "
                    "file",
                )
            document.id = entry.id
            yield document

    def write(self, documents: Iterable[Document]) -> None:
        """Write documents; see `docmt_nmt.corpora.write`."""
        if len(set(map(resolved, self._paths))) < len(self._paths):
            raise self._error("the same file is named twice", "Name two files")
        checks = Checks(self.source, allow_empty=True)
        with write_together(self._paths) as streams:
            for i, document in enumerate(documents):
                sides = _sides(document)
                self._check_writable(document, sides, checks, first=i == 0)
                for stream, sentences in zip(streams, sides, strict=False):
                    self._write_side(stream, sentences, first=i == 0)
                if self.docids is not None:
                    streams[-1].write(f"{document.id}\t{len(document)}\n".encode())

    def _check_writable(
        self, document: Document, sides: list[tuple[str, ...]], checks: Checks, *, first: bool
    ) -> None:
        """Check that `read` would give back the document unchanged."""
        location = checks.check_writable(document)
        if (with_target := self.target is not None) != (len(sides) == 2):
            raise checks.error(
                f"{location}there is {'no' if with_target else 'a'} target side",
                f"{'Leave out' if with_target else 'Name'} the file for it",
            )
        cure = "Set boundaries to 'markers' or 'docids'"
        if self.boundaries == "sentences" and (size := len(document)) > 1:
            problem = f"{location}there are {size} sentences, and every sentence is a document"
            raise checks.error(problem, cure)
        for side in sides:
            if MARKER in (text.strip() for text in side):
                problem = f"{location}a sentence is {MARKER}, which begins documents"
                raise checks.error(problem, "Write .tsv, .jsonl or .parquet")
            if first and self.boundaries != "markers" and side[0].startswith("\ufeff"):
                problem = f"{location}sentence 1 begins with a byte order mark"
                raise checks.error(problem, "Remove it")
            blank = next((n for n, text in enumerate(side, start=1) if not text.strip()), 0)
            if blank and self.boundaries == "blank":
                problem = f"{location}sentence {blank} is blank, as is the line between documents"
                raise checks.error(problem, cure)

    def _write_side(self, stream: IO[bytes], sentences: Iterable[str], *, first: bool) -> None:
        if self.boundaries == "markers":
            stream.write(f"{MARKER}\n".encode())
        if self.boundaries == "blank" and not first:
            stream.write(b"\n")
        stream.writelines(f"{sentence}\n".encode() for sentence in sentences)


def _one_document(pairs: Iterable[SentencePair]) -> Iterator[_DocumentLines]:
    """Yield all lines as one document, if there are any."""
    document = _DocumentLines(1, list(pairs))
    if document.pairs:
        yield document


def _sides(document: Document) -> list[tuple[str, ...]]:
    """Return the source side and, if there is one, the target side."""
    return [document.source] if document.target is None else [document.source, document.target]


class _Entry(NamedTuple):
    """Id and number of sentences of a document, on a line of the docids file."""

    line: int
    id: str
    sentences: int


_COUNT = re.compile(r"([^\t]*)\t([1-9][0-9]{0,8})")
"""A line with the id and the number of sentences of a document."""

_OF_SENTENCE = re.compile(r"(?:\S+[ \t]+)?(?!\d+\Z)(\S+)")
"""A line of a file with the document of each sentence: the id, possibly after a domain."""


def _read_docids(path: PathLike) -> Iterator[_Entry]:
    """Yield the entries of a docids file: lines of an id, a tab and a number of sentences; or a
    line for each sentence with the id of the document, as sacrebleu writes them, or a domain and
    the id, as in mt-metrics-eval. The first line says which. Any other line, or a repeated id, is
    an error."""
    checks = Checks(path)
    lines = enumerate(read_lines(path), start=1)
    first = next(lines, None)
    if first is None:
        return
    is_of_sentences = _OF_SENTENCE.fullmatch(first[1]) is not None
    pattern = _OF_SENTENCE if is_of_sentences else _COUNT
    matched = (
        (_matched(pattern, text, checks, line), line) for line, text in chain([first], lines)
    )
    if not is_of_sentences:
        for match, line in matched:
            checks.check_id(match[1], line)
            yield _Entry(line, match[1], int(match[2]))
        return
    for name, group in groupby(matched, key=lambda pair: pair[0][1]):
        of_document = [line for _, line in group]
        checks.check_id(name, of_document[0])
        yield _Entry(of_document[0], name, len(of_document))


def _matched(pattern: re.Pattern[str], text: str, checks: Checks, line: int) -> re.Match[str]:
    """The match of a line of a docids file.

    Raises:
        InputError: the line has another form.
    """
    match = pattern.fullmatch(text)
    if match is None:
        raise checks.error(
            f"{text[:80]!r} is not a document id, a tab and a number of sentences above 0",
            "Write one such line for each document, or for each sentence a line with the id of the "
            "document alone",
            line,
        )
    return match
