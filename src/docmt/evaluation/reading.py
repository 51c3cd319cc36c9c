"""Translations and references from files, which hold one side alone or both."""

from __future__ import annotations

import json

from docmt.corpora import READERS, kind, read
from docmt.corpora.checks import CURE_EMPTY
from docmt.documents import MARKER, Boundaries, Document
from docmt.errors import InputError
from docmt.files import PathLike, read_lines

A_LINE = (
    "A sentence stands on each line of what is scored, as `docmt translate --segmented` writes it; "
    "where blank lines stand between documents, add --boundaries blank"
)
"""What to do about an empty sentence in a file of sentences to score."""


def read_text(
    path: PathLike,
    *,
    boundaries: Boundaries | None = None,
    docids: PathLike | None = None,
    allow_empty: bool = True,
) -> list[Document]:
    """The documents of a file.

    Args:
        path: a line file, `.tsv`, `.jsonl` or `.parquet`.
        boundaries: how a line file says where documents begin. Default: by `<d>` lines if the
            first line is one; if not, by `docids` if given; if not, it is one document.
        docids: a file of document id, tab, number of sentences, for a line file.
        allow_empty: sentences may be empty, as in a translation.

    Raises:
        InputError: as `docmt.corpora.read`.
    """
    if kind(path) in READERS:
        return list(read(path, allow_empty=allow_empty))
    boundaries = boundaries or usual_boundaries(path, docids)
    try:
        return list(read(path, boundaries=boundaries, docids=docids, allow_empty=allow_empty))
    except InputError as error:
        if error.cure != CURE_EMPTY:
            raise
        # That cure is for who trains.
        raise InputError(error.problem, path=error.path, line=error.line, cure=A_LINE) from None


def read_positions(path: PathLike) -> list[list[Document]]:
    """What `docmt translate --format jsonl --positions` wrote: for each place in the window, from
    the first, the documents as they were translated there.

    Raises:
        InputError: a line is no such object, or has another number of places than the first.
    """
    rows: list[list[Document]] = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            values = json.loads(line)
            document = Document(str(values["id"]), tuple(map(str, values["source"])))
            rows.append([document.translated(place["target"]) for place in values["positions"]])
        except (ValueError, KeyError, TypeError):
            raise InputError(
                "has no translation for each place in a window", path=str(path), line=number,
                cure="Write it with `docmt translate --format jsonl --positions`",
            ) from None  # fmt: skip
        if len(rows[-1]) != len(rows[0]) or not rows[-1]:
            raise InputError(
                f"has {len(rows[-1])} places in a window, the first line {len(rows[0])}",
                path=str(path), line=number, cure="Score the files of different runs apart",
            )  # fmt: skip
    return [list(place) for place in zip(*rows, strict=True)]


def as_target(document: Document) -> Document:
    """A document to score: what was read from a file of one side is its target side too."""
    return document.translated(document.source) if document.target is None else document


def usual_boundaries(path: PathLike, docids: PathLike | None) -> Boundaries:
    """How a line file says where documents begin, by its first line."""
    # Standard input cannot be read twice; `docmt translate --segmented` writes the marks into it.
    if str(path) == "-" or next(read_lines(path), "").strip() == MARKER:
        return "markers"
    return "none" if docids is None else "docids"
