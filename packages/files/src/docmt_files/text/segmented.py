"""Segmented text: one sentence per line. Documents are separated as in the line files of corpora
(`docmt_files.storage.line_files`).

The output has the same lines, with translations in place of sentences; `<d>` lines, empty lines,
white space around sentences, line ends and a byte order mark stay unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from docmt_files.base.documents import MARKER, Boundaries, Document
from docmt_files.base.errors import InputError, name_of
from docmt_files.core.skeleton import NoTextError, Skeleton
from docmt_files.storage.files import PathLike
from docmt_files.storage.line_files import default_boundaries, split_into_documents
from docmt_files.text.plain_text import PlainText, read_plain_text


def read(
    path: PathLike,
    language: str,  # noqa: ARG001 (an argument of every format; here there is nothing to split)
    *,
    boundaries: Boundaries | None = None,
    docids: PathLike | None = None,
    plain_text: bool = False,
) -> tuple[list[Document], Skeleton]:
    """Read a file.

    Documents are named by the docids file, or after the file and numbered from 1 if there may be
    several. A blank line is an empty sentence, unless blank lines are the boundaries.

    Args:
        path: the file, or `-` for standard input.
        language: not used.
        boundaries: the form of boundaries between documents. Default: by `default_boundaries`.
        docids: a file of document ids and sentence counts.
        plain_text: whether to take the file for plain text whatever the name and contents.

    Raises:
        InputError: the file has no sentence, is not plain text, has faulty boundaries (see
            `docmt_nmt.corpora.read`), or has blank lines of unknown meaning.
    """
    text = read_plain_text(path, force=plain_text)
    if not any(line.strip() not in ("", MARKER) for line in text.lines):
        raise NoTextError.of(path)
    if boundaries is None:
        boundaries = default_boundaries(text.lines[0], docids)
        if boundaries == "none":
            _check_no_blank_lines(text.lines, path)
    split = split_into_documents(
        text.lines, name_of(path), boundaries=boundaries, docids=docids, allow_empty=True
    )
    documents = list(_named(split, name_of(path), boundaries, docids))
    gaps = tuple(_gaps(text, boundaries))
    counts = tuple((document.id, len(document)) for document in documents)
    return documents, Skeleton(gaps, counts)


def _named(
    documents: Iterator[Document], name: str, boundaries: Boundaries, docids: PathLike | None
) -> Iterator[Document]:
    """The documents without the white space around their sentences, named after their file unless
    a docids file names them."""
    for number, document in enumerate(documents, start=1):
        document_id = document.id
        if docids is None:
            document_id = name if boundaries == "none" else f"{name}:{number}"
        yield Document(document_id, tuple(sentence.strip() for sentence in document.source))


def _gaps(text: PlainText, boundaries: Boundaries) -> Iterator[str]:
    """Return the text before, between and after the sentences of a file."""
    pending = text.mark
    for line, end in zip(text.lines, text.ends, strict=True):
        sentence = line.strip()
        opens = sentence == MARKER and boundaries == "markers"
        if opens or (not sentence and boundaries == "blank"):
            pending += line + end
            continue
        lead = len(line) - len(line.lstrip())
        yield pending + line[:lead]
        pending = line[lead + len(sentence) :] + end
    yield pending


def _check_no_blank_lines(lines: Sequence[str], path: PathLike) -> None:
    """Refuse blank lines between sentences, which may be the ends of documents."""
    text_lines = [number for number, line in enumerate(lines, start=1) if line.strip()]
    for number, following in pairwise(text_lines):
        if following > number + 1:
            raise InputError(
                "a blank line between sentences, and nothing says whether a document ends there",
                path=path,
                line=number + 1,
                cure="Add `boundaries=blank` if blank lines separate documents, or "
                "`boundaries=none` if the file is one document and a blank line an empty sentence",
                parameters=("boundaries=blank", "boundaries=none"),
            )
