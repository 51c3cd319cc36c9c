"""Line files: a sentence a line, line i of the target file translating line i of the source file.

Documents begin at `<d>` lines, after blank lines, where a docids file says so, with every sentence,
or nowhere: all is one document. `<d>` lines are the format of the preprocessed corpora of Bao et
al. 2021.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import IO, NamedTuple, get_args

from docmt.corpora import docids as docids_file
from docmt.corpora.checks import CURE_EMPTY, Checks, emptiness, fault_of
from docmt.documents import MARKER, Boundaries, Document
from docmt.errors import InputError
from docmt.files import PathLike, read_lines, write_together


class Row(NamedTuple):
    """Line `line` of the source and of the target, which is None where there is a source alone."""

    line: int
    source: str
    target: str | None


@dataclass
class Piece:
    """The rows of one document; `line` is where it opens."""

    line: int
    rows: list[Row] = field(default_factory=list)
    id: str = ""


def read(
    source: PathLike,
    target: PathLike | None,
    boundaries: str,
    docids: PathLike | None,
    allow_empty: bool,
) -> Iterator[Document]:
    """The documents of line files; see `docmt.corpora.read`."""
    check_settings(source, target, boundaries, docids)
    rows = checked(aligned(source, target), source, target, boundaries, allow_empty)
    if boundaries == "docids":
        assert docids is not None
        return map(as_document, split_by_counts(rows, source, docids))
    if boundaries == "markers":
        pieces = split_at_marks(rows, source)
    elif boundaries == "blank":
        pieces = split_at_blank_lines(rows, source)
    elif boundaries == "sentences":
        pieces = (Piece(row.line, [row]) for row in rows)
    else:
        pieces = one_piece(rows)
    pieces = numbered(pieces) if docids is None else named(pieces, source, docids)
    return map(as_document, pieces)


def check_settings(
    source: PathLike, target: PathLike | None, boundaries: str, docids: PathLike | None
) -> None:
    """Raise an error where the arguments do not fit each other."""
    if boundaries not in get_args(Boundaries):
        cure = f"Choose from {', '.join(map(repr, get_args(Boundaries)))}"
        raise InputError(f"unknown boundaries {boundaries!r}", cure=cure)
    if boundaries == "docids" and docids is None:
        cure = "Set docids to the file of document id, tab, number of sentences"
        raise InputError("boundaries 'docids' need a docids file", path=source, cure=cure)
    if boundaries in ("sentences", "none") and docids is not None:
        cure = "Set boundaries to 'docids', or leave the file out"
        problem = f"boundaries {boundaries!r} make no use of a docids file"
        raise InputError(problem, path=docids, cure=cure)
    names = [str(path) for path in (source, target, docids) if path is not None]
    if names.count("-") > 1:
        raise InputError("only one side can be standard input or output", cure="Name a file")


def aligned(source: PathLike, target: PathLike | None) -> Iterator[Row]:
    """The lines of both sides, side by side; unequal numbers are an error."""
    if target is None:
        for line, text in enumerate(read_lines(source), start=1):
            yield Row(line, text, None)
        return
    sides = read_lines(source), read_lines(target)
    for line, (text, other) in enumerate(zip_longest(*sides), start=1):
        if text is None or other is None:
            longer = 0 if other is None else 1
            counts = [line - 1, line - 1]
            counts[longer] = line + sum(1 for _ in sides[longer])
            raise InputError(
                f"the source has {counts[0]} lines but the target {target} has {counts[1]}",
                path=(source, target)[longer],
                line=line,
                cure="Align the two files so that line i translates line i",
            )
        yield Row(line, text, other)


def checked(
    rows: Iterable[Row],
    source: PathLike,
    target: PathLike | None,
    boundaries: str,
    allow_empty: bool,
) -> Iterator[Row]:
    """The same rows; what can be neither a sentence nor a boundary is an error."""
    for row in rows:
        check_line(row.source, source, row.line, boundaries)
        if row.target is not None:
            assert target is not None
            check_line(row.target, target, row.line, boundaries)
        may_be_empty = allow_empty or boundaries == "blank"
        if not may_be_empty and (fault := emptiness(row.source, row.target)):
            empty = source if not row.source.strip() else target
            raise InputError(fault, path=empty, line=row.line, cure=CURE_EMPTY)
        yield row


def check_line(text: str, path: PathLike, line: int, boundaries: str) -> None:
    """Raise an error where a line is no sentence."""
    if fault := fault_of(text):
        cure = "Remove it, for example with tr -d '\\r'"
        raise InputError(f"the sentence holds {fault}", path=path, line=line, cure=cure)
    if text.strip() == MARKER and boundaries != "markers":
        cure = "Set boundaries to 'markers', or remove these lines"
        problem = f"a {MARKER} line, but boundaries are {boundaries!r}"
        raise InputError(problem, path=path, line=line, cure=cure)


def split_at_marks(rows: Iterable[Row], source: PathLike) -> Iterator[Piece]:
    """One piece for each `<d>` line, which both sides must have at the same place."""
    piece: Piece | None = None
    for row in rows:
        opens = row.source.strip() == MARKER
        if row.target is not None and (row.target.strip() == MARKER) != opens:
            raise InputError(
                f"a document opens ({MARKER}) in the {'source' if opens else 'target'} only",
                path=source,
                line=row.line,
                cure="Compare the two files before this line; a sentence is missing on one side",
            )
        if opens:
            if piece is not None:
                yield not_empty(piece, source)
            piece = Piece(row.line)
        elif piece is None:
            raise InputError(
                f"text before the first {MARKER} line",
                path=source,
                line=row.line,
                cure=f"Begin both sides with {MARKER}, or set boundaries to blank, docids or none",
            )
        else:
            piece.rows.append(row)
    if piece is not None:
        yield not_empty(piece, source)


def split_at_blank_lines(rows: Iterable[Row], source: PathLike) -> Iterator[Piece]:
    """One piece for each run of lines between single blank lines, which both sides must have at the
    same places; one more may end the file."""
    piece = Piece(1)
    for row in rows:
        blank = not row.source.strip()
        if row.target is not None and (not row.target.strip()) != blank:
            raise InputError(
                f"the line is blank in the {'source' if blank else 'target'} only",
                path=source,
                line=row.line,
                cure="Compare the two files before this line; a sentence is missing on one side. "
                "Where sentences may be empty, blank lines cannot be boundaries",
            )
        if blank:
            yield not_empty(piece, source)
            piece = Piece(row.line + 1)
        else:
            piece.rows.append(row)
    if piece.rows:
        yield piece


def split_by_counts(rows: Iterator[Row], source: PathLike, docids: PathLike) -> Iterator[Piece]:
    """One piece for each line of the docids file, of as many rows as it says."""
    before = 0
    for entry in docids_file.read(docids):
        piece = Piece(before + 1, list(islice(rows, entry.sentences)), entry.id)
        if len(piece.rows) < entry.sentences:
            raise InputError(
                f"document {entry.id!r} has {entry.sentences} sentences, but {source} ends at line "
                f"{before + len(piece.rows)}, after {len(piece.rows)} of them",
                path=docids,
                line=entry.line,
                cure="Give each document its true number of sentences",
            )
        before += entry.sentences
        yield piece
    if (row := next(rows, None)) is not None:
        raise InputError(
            f"the sentence belongs to no document; {docids} counts {before} sentences in all",
            path=source,
            line=row.line,
            cure="Give each document its true number of sentences",
        )


def one_piece(rows: Iterable[Row]) -> Iterator[Piece]:
    """All rows as one piece."""
    piece = Piece(1, list(rows))
    if piece.rows:
        yield piece


def not_empty(piece: Piece, source: PathLike) -> Piece:
    """The same piece, which must have rows."""
    if not piece.rows:
        raise InputError(
            "the document that opens here is empty",
            path=source,
            line=piece.line,
            cure="Remove the line that opens it, on both sides",
        )
    return piece


def numbered(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The same pieces, whose ids are their numbers from 1."""
    for number, piece in enumerate(pieces, start=1):
        piece.id = str(number)
        yield piece


def named(pieces: Iterable[Piece], source: PathLike, docids: PathLike) -> Iterator[Piece]:
    """The same pieces with the ids of the docids file, whose counts must fit."""
    both = zip_longest(pieces, docids_file.read(docids))
    for number, (piece, entry) in enumerate(both, start=1):
        if entry is None:
            problem = f"document {number}, which opens at line {piece.line} of {source}, is missing"
            raise InputError(problem, path=docids, cure="Name each document")
        if piece is None:
            problem = f"document {entry.id!r} is missing from {source}, which has {number - 1}"
            cure = "Name each document once, in the order of the text"
            raise InputError(problem, path=docids, line=entry.line, cure=cure)
        if len(piece.rows) != entry.sentences:
            raise InputError(
                f"document {entry.id!r} has {entry.sentences} sentences, "
                f"but the one that opens at line {piece.line} of {source} has {len(piece.rows)}",
                path=docids,
                line=entry.line,
                cure="A sentence was lost or the documents are in another order; mend either file",
            )
        piece.id = entry.id
        yield piece


def as_document(piece: Piece) -> Document:
    """A piece as a document."""
    targets = [row.target for row in piece.rows if row.target is not None]
    return Document(piece.id, tuple(row.source for row in piece.rows), tuple(targets) or None)


def write(
    documents: Iterable[Document],
    source: PathLike,
    target: PathLike | None,
    boundaries: str,
    docids: PathLike | None,
) -> None:
    """Write documents as line files; see `docmt.corpora.write`."""
    check_settings(source, target, boundaries, docids)
    paths = [path for path in (source, target, docids) if path is not None]
    if len({Path(path).resolve() for path in paths}) < len(paths):
        raise InputError("the same file is named twice", path=source, cure="Name two files")
    checks = Checks(source, allow_empty=True)
    with write_together(paths) as streams:
        for number, document in enumerate(documents):
            check_writable(document, checks, target is not None, boundaries, first=number == 0)
            sides = (
                [document.source] if document.target is None else [document.source, document.target]
            )
            for stream, sentences in zip(streams, sides, strict=False):
                write_side(stream, sentences, boundaries, first=number == 0)
            if docids is not None:
                streams[-1].write(f"{document.id}\t{len(document)}\n".encode())


def check_writable(
    document: Document, checks: Checks, with_target: bool, boundaries: str, *, first: bool
) -> None:
    """Raise an error where `read` would not give back the document as it is."""
    place = checks.writable(document)
    if with_target != (document.target is not None):
        raise checks.error(
            f"{place}there is {'no' if with_target else 'a'} target side",
            f"{'Leave out' if with_target else 'Name'} the file for it",
        )
    if boundaries == "sentences" and len(document) > 1:
        problem = f"{place}there are {len(document)} sentences, and every sentence is a document"
        raise checks.error(problem, "Set boundaries to 'markers' or 'docids'")
    sides = [document.source] if document.target is None else [document.source, document.target]
    for side in sides:
        if MARKER in (text.strip() for text in side):
            cure = "Write .tsv, .jsonl or .parquet"
            raise checks.error(f"{place}a sentence is {MARKER}, which opens documents", cure)
        if first and boundaries != "markers" and side[0].startswith("\ufeff"):
            raise checks.error(f"{place}sentence 1 begins with a byte order mark", "Remove it")
        blank = next((n for n, text in enumerate(side, start=1) if not text.strip()), 0)
        if blank and boundaries == "blank":
            problem = f"{place}sentence {blank} is blank, as is the line between documents"
            raise checks.error(problem, "Set boundaries to 'markers' or 'docids'")


def write_side(
    stream: IO[bytes], sentences: Iterable[str], boundaries: str, *, first: bool
) -> None:
    """Write one side of a document."""
    if boundaries == "markers":
        stream.write(f"{MARKER}\n".encode())
    if boundaries == "blank" and not first:
        stream.write(b"\n")
    stream.writelines(f"{sentence}\n".encode() for sentence in sentences)
