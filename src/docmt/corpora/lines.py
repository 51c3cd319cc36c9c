"""Line files: one sentence per line; line i of the target file translates line i of the source
file.

Documents begin at `<d>` lines, after blank lines, or where a docids file says so; or every sentence
is a document, or the whole file is one. `<d>` lines are the format of the preprocessed corpora of
Bao et al. 2021.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO, NamedTuple, get_args

from docmt.corpora import docids as docids_file
from docmt.corpora.corpus_checks import CURE_EMPTY, Checks, empty_side, line_fault
from docmt.documents import MARKER, Boundaries, Document
from docmt.errors import InputError
from docmt.files import PathLike, read_lines, write_together
from docmt.wording import counted


class _LinePair(NamedTuple):
    """Line `line` of the source and of the target; `target` is None if there is no target file."""

    line: int
    source: str
    target: str | None


@dataclass
class _DocumentLines:
    """The lines of one document.

    Attributes:
        line: the line at which it begins.
        pairs: its lines.
        id: its id.
    """

    line: int
    pairs: list[_LinePair] = field(default_factory=list)
    id: str = ""


def read(
    source: PathLike,
    target: PathLike | None,
    boundaries: Boundaries | None,
    docids: PathLike | None,
    allow_empty: bool,
) -> Iterator[Document]:
    """The documents of line files; see `docmt.corpora.read`."""
    return _documents(_aligned(source, target), source, target, boundaries, docids, allow_empty)


def split_into_documents(
    lines: Iterable[str],
    path: PathLike,
    *,
    boundaries: Boundaries | None = None,
    docids: PathLike | None = None,
    allow_empty: bool = False,
) -> Iterator[Document]:
    """The documents of a line file whose lines have been read already.

    Args:
        lines: the lines, without line ends.
        path: the file that errors name.
        boundaries, docids, allow_empty: as for `docmt.corpora.read`.

    Raises:
        InputError: as `docmt.corpora.read`.
    """
    pairs = (_LinePair(number, line, None) for number, line in enumerate(lines, start=1))
    return _documents(pairs, path, None, boundaries, docids, allow_empty)


def default_boundaries(first_line: str, docids: PathLike | None) -> Boundaries:
    """How a line file shows where documents begin if nothing says so: by `<d>` lines if the first
    line is one, else by the docids file if there is one, else the file is one document."""
    if first_line.strip() == MARKER:
        return "markers"
    return "none" if docids is None else "docids"


def _documents(
    pairs: Iterator[_LinePair],
    source: PathLike,
    target: PathLike | None,
    boundaries: Boundaries | None,
    docids: PathLike | None,
    allow_empty: bool,
) -> Iterator[Document]:
    """The documents that pairs of lines make up; `source` and `target` are for errors."""
    if boundaries is None:
        first = next(pairs, None)
        boundaries = default_boundaries("" if first is None else first.source, docids)
        pairs = chain([] if first is None else [first], pairs)
    _check_arguments(source, target, boundaries, docids)
    pairs = _checked(pairs, source, target, boundaries, allow_empty)
    if boundaries == "docids":
        assert docids is not None
        return map(_as_document, _split_by_counts(pairs, source, docids))
    if boundaries == "markers":
        documents = _split_at_markers(pairs, source)
    elif boundaries == "blank":
        documents = _split_at_blank_lines(pairs, source)
    elif boundaries == "sentences":
        documents = (_DocumentLines(pair.line, [pair]) for pair in pairs)
    else:
        documents = _one_document(pairs)
    named = _numbered(documents) if docids is None else _named(documents, source, docids)
    return map(_as_document, named)


def _check_arguments(
    source: PathLike, target: PathLike | None, boundaries: str, docids: PathLike | None
) -> None:
    """Check the arguments against each other."""
    if boundaries not in get_args(Boundaries):
        cure = f"Choose from {', '.join(map(repr, get_args(Boundaries)))}"
        raise InputError(f"unknown boundaries {boundaries!r}", cure=cure)
    if boundaries == "docids" and docids is None:
        cure = "Set docids to the file of document id, tab, number of sentences"
        raise InputError("boundaries 'docids' need a docids file", path=source, cure=cure)
    if boundaries in ("sentences", "none") and docids is not None:
        cure = "Set boundaries to 'docids', or leave the docids file out"
        problem = f"boundaries {boundaries!r} do not use a docids file"
        raise InputError(problem, path=docids, cure=cure)
    paths = [str(path) for path in (source, target, docids) if path is not None]
    if paths.count("-") > 1:
        raise InputError("only one side can be standard input or output", cure="Name a file")


def _aligned(source: PathLike, target: PathLike | None) -> Iterator[_LinePair]:
    """The lines of both sides in pairs.

    Raises:
        InputError: the sides have different numbers of lines.
    """
    if target is None:
        for line, text in enumerate(read_lines(source), start=1):
            yield _LinePair(line, text, None)
        return
    sides = read_lines(source), read_lines(target)
    for line, (text, other) in enumerate(zip_longest(*sides), start=1):
        if text is None or other is None:
            longer = 0 if other is None else 1
            counts = [line - 1, line - 1]
            counts[longer] = line + sum(1 for _ in sides[longer])
            raise InputError(
                f"the source has {counted(counts[0], 'line')} but the target {target} has "
                f"{counts[1]:,}",
                path=(source, target)[longer],
                line=line,
                cure="Align the two files so that line i translates line i",
            )
        yield _LinePair(line, text, other)


def _checked(
    pairs: Iterable[_LinePair],
    source: PathLike,
    target: PathLike | None,
    boundaries: str,
    allow_empty: bool,
) -> Iterator[_LinePair]:
    """The same pairs.

    Raises:
        InputError: a line can be neither a sentence nor a boundary.
    """
    for pair in pairs:
        _check_line(pair.source, source, pair.line, boundaries)
        if pair.target is not None:
            assert target is not None
            _check_line(pair.target, target, pair.line, boundaries)
        may_be_empty = allow_empty or boundaries == "blank"
        if not may_be_empty and (fault := empty_side(pair.source, pair.target)):
            path = source if not pair.source.strip() else target
            raise InputError(fault, path=path, line=pair.line, cure=CURE_EMPTY)
        yield pair


def _check_line(text: str, path: PathLike, line: int, boundaries: str) -> None:
    """Check that a line can be a sentence, or a `<d>` line if these are the boundaries."""
    if fault := line_fault(text):
        cure = "Remove it, for example with tr -d '\\r'"
        raise InputError(f"the sentence holds {fault}", path=path, line=line, cure=cure)
    if text.strip() == MARKER and boundaries != "markers":
        cure = "Set boundaries to 'markers', or remove these lines"
        problem = f"a {MARKER} line, but boundaries are {boundaries!r}"
        raise InputError(problem, path=path, line=line, cure=cure)


def _split_at_markers(pairs: Iterable[_LinePair], source: PathLike) -> Iterator[_DocumentLines]:
    """One document for each `<d>` line, which must be on the same line of both sides."""
    document: _DocumentLines | None = None
    for pair in pairs:
        opens = pair.source.strip() == MARKER
        if pair.target is not None and (pair.target.strip() == MARKER) != opens:
            raise InputError(
                f"a document begins ({MARKER}) in the {'source' if opens else 'target'} only",
                path=source,
                line=pair.line,
                cure="Compare the two files before this line; a sentence is missing on one side",
            )
        if opens:
            if document is not None:
                yield _not_empty(document, source)
            document = _DocumentLines(pair.line)
        elif document is None:
            raise InputError(
                f"text before the first {MARKER} line",
                path=source,
                line=pair.line,
                cure=f"Begin both sides with {MARKER}, or set boundaries to blank, docids or none",
            )
        else:
            document.pairs.append(pair)
    if document is not None:
        yield _not_empty(document, source)


def _split_at_blank_lines(pairs: Iterable[_LinePair], source: PathLike) -> Iterator[_DocumentLines]:
    """One document for each run of lines between single blank lines, which must be the same lines
    of both sides; one more blank line may end the file."""
    document = _DocumentLines(1)
    for pair in pairs:
        blank = not pair.source.strip()
        if pair.target is not None and (not pair.target.strip()) != blank:
            raise InputError(
                f"the line is blank in the {'source' if blank else 'target'} only",
                path=source,
                line=pair.line,
                cure="Compare the two files before this line; a sentence is missing on one side. "
                "If sentences may be empty, blank lines cannot be boundaries",
            )
        if blank:
            yield _not_empty(document, source)
            document = _DocumentLines(pair.line + 1)
        else:
            document.pairs.append(pair)
    if document.pairs:
        yield document


def _split_by_counts(
    pairs: Iterator[_LinePair], source: PathLike, docids: PathLike
) -> Iterator[_DocumentLines]:
    """One document for each line of the docids file, with as many sentences as it says."""
    total = 0
    for entry in docids_file.read(docids):
        document = _DocumentLines(total + 1, list(islice(pairs, entry.sentences)), entry.id)
        if len(document.pairs) < entry.sentences:
            raise InputError(
                f"document {entry.id!r} has {counted(entry.sentences, 'sentence')}, but {source} "
                f"ends at line {total + len(document.pairs)}, after {len(document.pairs)} of them",
                path=docids,
                line=entry.line,
                cure="Give each document its true number of sentences",
            )
        total += entry.sentences
        yield document
    if (pair := next(pairs, None)) is not None:
        raise InputError(
            f"the sentence belongs to no document; {docids} counts {counted(total, 'sentence')} "
            "in total",
            path=source,
            line=pair.line,
            cure="Give each document its true number of sentences",
        )


def _one_document(pairs: Iterable[_LinePair]) -> Iterator[_DocumentLines]:
    """All lines as one document, if there are any."""
    document = _DocumentLines(1, list(pairs))
    if document.pairs:
        yield document


CURE_EMPTY_DOCUMENT = "Remove the line that begins it, on both sides"
"""What to do about an empty document."""


def _not_empty(document: _DocumentLines, source: PathLike) -> _DocumentLines:
    """The same document, which must have sentences."""
    if not document.pairs:
        raise InputError(
            "the document that begins here is empty",
            path=source,
            line=document.line,
            cure=CURE_EMPTY_DOCUMENT,
        )
    return document


def _numbered(documents: Iterable[_DocumentLines]) -> Iterator[_DocumentLines]:
    """The same documents, with their numbers from 1 as ids."""
    for number, document in enumerate(documents, start=1):
        document.id = str(number)
        yield document


def _named(
    documents: Iterable[_DocumentLines], source: PathLike, docids: PathLike
) -> Iterator[_DocumentLines]:
    """The same documents with the ids of the docids file, whose counts must fit."""
    both = zip_longest(documents, docids_file.read(docids))
    for number, (document, entry) in enumerate(both, start=1):
        if entry is None:
            problem = (
                f"document {number}, which begins at line {document.line} of {source}, is missing"
            )
            raise InputError(problem, path=docids, cure="Name each document")
        if document is None:
            problem = f"document {entry.id!r} is missing from {source}, which has {number - 1}"
            cure = "Name each document once, in the order of the text"
            raise InputError(problem, path=docids, line=entry.line, cure=cure)
        if len(document.pairs) != entry.sentences:
            raise InputError(
                f"document {entry.id!r} has {counted(entry.sentences, 'sentence')}, but the one "
                f"that begins at line {document.line} of {source} has {len(document.pairs)}",
                path=docids,
                line=entry.line,
                cure="A sentence was lost or the documents are in another order; fix either file",
            )
        document.id = entry.id
        yield document


def _as_document(lines: _DocumentLines) -> Document:
    targets = [pair.target for pair in lines.pairs if pair.target is not None]
    return Document(lines.id, tuple(pair.source for pair in lines.pairs), tuple(targets) or None)


def write(
    documents: Iterable[Document],
    source: PathLike,
    target: PathLike | None,
    boundaries: str,
    docids: PathLike | None,
) -> None:
    """Write documents as line files; see `docmt.corpora.write`."""
    _check_arguments(source, target, boundaries, docids)
    paths = [path for path in (source, target, docids) if path is not None]
    if len({Path(path).resolve() for path in paths}) < len(paths):
        raise InputError("the same file is named twice", path=source, cure="Name two files")
    checks = Checks(source, allow_empty=True)
    with write_together(paths) as streams:
        for i, document in enumerate(documents):
            _check_writable(document, checks, target is not None, boundaries, first=i == 0)
            sides = (
                [document.source] if document.target is None else [document.source, document.target]
            )
            for stream, sentences in zip(streams, sides, strict=False):
                _write_side(stream, sentences, boundaries, first=i == 0)
            if docids is not None:
                streams[-1].write(f"{document.id}\t{len(document)}\n".encode())


def _check_writable(
    document: Document, checks: Checks, with_target: bool, boundaries: str, *, first: bool
) -> None:
    """Check that `read` would give back the document as it is."""
    location = checks.check_writable(document)
    if with_target != (document.target is not None):
        raise checks.error(
            f"{location}there is {'no' if with_target else 'a'} target side",
            f"{'Leave out' if with_target else 'Name'} the file for it",
        )
    if boundaries == "sentences" and len(document) > 1:
        problem = f"{location}there are {len(document)} sentences, and every sentence is a document"
        raise checks.error(problem, "Set boundaries to 'markers' or 'docids'")
    sides = [document.source] if document.target is None else [document.source, document.target]
    for side in sides:
        if MARKER in (text.strip() for text in side):
            cure = "Write .tsv, .jsonl or .parquet"
            raise checks.error(f"{location}a sentence is {MARKER}, which begins documents", cure)
        if first and boundaries != "markers" and side[0].startswith("\ufeff"):
            raise checks.error(f"{location}sentence 1 begins with a byte order mark", "Remove it")
        blank = next((n for n, text in enumerate(side, start=1) if not text.strip()), 0)
        if blank and boundaries == "blank":
            problem = f"{location}sentence {blank} is blank, as is the line between documents"
            raise checks.error(problem, "Set boundaries to 'markers' or 'docids'")


def _write_side(
    stream: IO[bytes], sentences: Iterable[str], boundaries: str, *, first: bool
) -> None:
    """Write one side of a document."""
    if boundaries == "markers":
        stream.write(f"{MARKER}\n".encode())
    if boundaries == "blank" and not first:
        stream.write(b"\n")
    stream.writelines(f"{sentence}\n".encode() for sentence in sentences)
