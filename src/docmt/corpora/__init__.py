"""Parallel corpora: documents read from files and written to them, one file a format.

    .tsv                        a row a sentence pair: document id, source, target
    .jsonl                      a line a document: {"id": ..., "source": [...], "target": [...]}
    .parquet                    a row a document: columns id, source, target
    any other name, or two      line files: a sentence a line, line i beside line i

Text may be compressed (`.gz`, `.xz`). All is streamed: a corpus may be larger than memory. What
would silently spoil a corpus (a lost line, an empty sentence, a document cut in two) is an error
that names the file and the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from docmt.corpora import jsonl, lines, parquet, tsv
from docmt.corpora.checks import some
from docmt.documents import Boundaries, Document
from docmt.errors import InputError
from docmt.files import PathLike

__all__ = ["Boundaries", "read", "write"]

READERS = {".tsv": tsv.read, ".jsonl": jsonl.read, ".parquet": parquet.read}
WRITERS = {".tsv": tsv.write, ".jsonl": jsonl.write, ".parquet": parquet.write}


def read(
    source: PathLike,
    target: PathLike | None = None,
    *,
    boundaries: Boundaries = "markers",
    docids: PathLike | None = None,
    allow_empty: bool = False,
) -> Iterator[Document]:
    """The documents of a corpus, in order; the suffix of `source` says the format.

    Args:
        source: the source side as a line file, or the one file that holds both sides; `-` is
            standard input.
        target: the target side as a line file; without it line files have a source alone.
        boundaries: for line files, how they say where documents begin.
        docids: for line files, the file of document id, tab, number of sentences. Boundaries
            `docids` need it; beside `markers` and `blank` it names the documents, and its counts
            are checked. Without it documents are named `1`, `2` and so on.
        allow_empty: hand through sentence pairs with an empty side, which are errors otherwise
            (not with boundaries `blank`, where an empty line is a boundary).

    Raises:
        InputError: naming file, line and cure. Sides of unequal length or with different
            boundaries, text outside a document, an empty document or sentence, a document id
            that comes twice, counts that do not fit, and everything that cannot be decoded.
    """
    suffix = kind(source)
    if suffix not in READERS:
        return some(lines.read(source, target, boundaries, docids, allow_empty), source)
    refuse_line_settings(source, target, boundaries, docids)
    return some(READERS[suffix](source, allow_empty), source)


def write(
    documents: Iterable[Document],
    source: PathLike,
    target: PathLike | None = None,
    *,
    boundaries: Boundaries = "markers",
    docids: PathLike | None = None,
) -> None:
    """Write documents in the format that the suffix of `source` says.

    All files appear together, or none does. What `read` could not give back unchanged is an
    error, but for what line files cannot hold: the documents' ids where there is no `docids`
    file, and with boundaries `none` also where documents begin.

    Args:
        documents: at least one document.
        source, target, boundaries, docids: as for `read`. Line files of a source alone are
            written where there is no `target`.

    Raises:
        InputError: naming the document and sentence: text the format cannot hold, such as a line
            break; a missing or a left-over target side; a document id that comes twice; or a file
            that cannot be written.
    """
    suffix = kind(source)
    documents = some(documents, source)
    if suffix not in WRITERS:
        lines.write(documents, source, target, boundaries, docids)
        return
    refuse_line_settings(source, target, boundaries, docids)
    WRITERS[suffix](documents, source)


def kind(path: PathLike) -> str:
    """The suffix that says the format, without that of the compression."""
    path = Path(path)
    if path.suffix not in (".gz", ".xz"):
        return path.suffix
    inner = path.with_suffix("").suffix
    if inner == ".parquet":
        cure = "Name it .parquet and do not compress it again"
        raise InputError("a Parquet file is compressed inside", path=path, cure=cure)
    return inner


def refuse_line_settings(
    source: PathLike, target: PathLike | None, boundaries: Boundaries, docids: PathLike | None
) -> None:
    """Raise an error where a file that holds everything itself is given help for line files."""
    given = {"target": target is not None, "docids": docids is not None}
    given["boundaries"] = boundaries != "markers"
    for name, wrong in given.items():
        if wrong:
            raise InputError(
                f"a {kind(source)} file holds both sides and its documents' ids itself",
                path=source,
                cure=f"Leave out {name!r}, which is for line files; in a recipe that extends one "
                f"with it, write {name}: {'markers' if name == 'boundaries' else 'null'}",
            )
