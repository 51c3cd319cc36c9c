"""Segmented text: one sentence per line, and a `<d>` line before each document if there are
several.

The output has the same lines, with translations in place of sentences; `<d>` lines, empty lines and
indentation stay as they are. Only white space after sentences is lost, and every line ends in a
line feed."""

from __future__ import annotations

from docmt.documents import MARKER, Document
from docmt.files import PathLike, read_lines
from docmt.formats.skeleton import Skeleton, name_of, no_text


def read(
    path: PathLike,
    language: str,  # noqa: ARG001 (an argument of every format; here there is nothing to split)
) -> tuple[list[Document], Skeleton]:
    """Read a file.

    Documents are named after the file, and numbered from 1 if there are `<d>` lines. Two `<d>`
    lines without a sentence between them do not make a document.

    Args:
        path: the file, or `-` for standard input.
        language: not used.

    Raises:
        InputError: the file has no sentence, or is not plain text.
    """
    chunks: list[list[str]] = [[]]
    gaps: list[str] = []
    pending = ""
    has_markers = False
    for line in read_lines(path):
        sentence = line.strip()
        if sentence and sentence != MARKER:
            chunks[-1].append(sentence)
            gaps.append(pending + line[: line.index(sentence)])
            pending = "\n"
            continue
        pending += line + "\n"
        if sentence:
            has_markers = True
            chunks.append([])
    if not gaps:
        raise no_text(path)
    name = name_of(path)
    documents = [
        Document(f"{name}:{number}" if has_markers else name, tuple(sentences))
        for number, sentences in enumerate(filter(None, chunks), start=1)
    ]
    counts = tuple((document.id, len(document)) for document in documents)
    return documents, Skeleton((*gaps, pending), counts)
