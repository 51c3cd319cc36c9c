"""Translations and references read from files, which hold one side alone or both."""

from __future__ import annotations

from collections.abc import Sequence

from docmt.corpora import CURE_EMPTY, CURE_EMPTY_DOCUMENT, is_line_file, read
from docmt.documents import Boundaries, Document
from docmt.errors import InputError
from docmt.files import PathLike, parse_json, read_lines

_CURE_EMPTY_TRANSLATION = (
    "If it is an empty translation, keep it: it cannot be told from a blank line between "
    "documents. Translate with --format jsonl, or from a file with <d> lines, and score that"
)
_CURE_EMPTY_LINE = (
    "Files to score have one sentence per line, as `docmt translate --segmented` writes them; if "
    "blank lines separate documents, add --boundaries blank"
)


def read_translations(
    path: PathLike,
    *,
    boundaries: Boundaries | None = None,
    docids: PathLike | None = None,
    allow_empty: bool = True,
) -> list[Document]:
    """Read the documents of a file; their target sides are what is scored.

    Args:
        path: a line file, `.tsv`, `.jsonl` or `.parquet`; `-` is standard input.
        boundaries: how a line file shows where documents begin. Default: by
            `docmt.corpora.default_boundaries`.
        docids: for a line file, a file of document ids and sentence counts.
        allow_empty: whether sentences may be empty, as in a translation.

    Raises:
        InputError: as `docmt.corpora.read`.
    """
    if not is_line_file(path):
        documents = list(read(path, allow_empty=allow_empty))
    else:
        try:
            documents = list(
                read(path, boundaries=boundaries, docids=docids, allow_empty=allow_empty)
            )
        except InputError as error:
            # These cures are for training data.
            cures = {CURE_EMPTY: _CURE_EMPTY_LINE}
            if boundaries == "blank" and allow_empty:
                cures[CURE_EMPTY_DOCUMENT] = _CURE_EMPTY_TRANSLATION
            if error.cure not in cures:
                raise
            raise InputError(
                error.problem, path=error.path, line=error.line, cure=cures[error.cure]
            ) from None
    return [_with_target(document) for document in documents]


def read_references(
    paths: Sequence[PathLike], *, boundaries: Boundaries, docids: PathLike | None = None
) -> list[list[Document]]:
    """Read further references, each from a file of its own.

    Args:
        paths: the files.
        boundaries, docids: of those that are line files; as for `read_translations`.

    Raises:
        InputError: as `docmt.corpora.read`.
    """
    return [
        read_translations(path, boundaries=boundaries, docids=docids, allow_empty=False)
        for path in paths
    ]


def read_positions(path: PathLike) -> list[list[Document]]:
    """Read what `docmt translate --format jsonl --positions` wrote: for each position in the
    window, from the first, the documents as they were translated there.

    Raises:
        InputError: a line is not such an object, or its number of positions differs from that of
            the first line.
    """
    lines: list[list[Document]] = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            values = parse_json(line)
            document = Document(str(values["id"]), tuple(map(str, values["source"])))
            lines.append(
                [document.translated(position["target"]) for position in values["positions"]]
            )
        except (ValueError, KeyError, TypeError):
            raise InputError(
                "has no translation for each position in a window", path=str(path), line=number,
                cure="Write it with `docmt translate --format jsonl --positions`",
            ) from None  # fmt: skip
        if len(lines[-1]) != len(lines[0]) or not lines[-1]:
            raise InputError(
                f"has {len(lines[-1])} positions in a window, the first line {len(lines[0])}",
                path=str(path), line=number, cure="Score the files of different runs separately",
            )  # fmt: skip
    return [list(documents) for documents in zip(*lines, strict=True)]


def _with_target(document: Document) -> Document:
    """A document whose target side is what a file of one side holds."""
    return document.translated(document.source) if document.target is None else document
