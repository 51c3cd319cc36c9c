"""Segmented text: a sentence a line, and a `<d>` line before each document if there are several.

The same lines come out: a translation in place of each sentence, and `<d>` lines, empty lines and
indentation as they were. Only the white space after sentences is lost, and every line ends in a
line feed.
"""

from __future__ import annotations

from docmt.documents import MARKER, Document
from docmt.files import PathLike, read_lines
from docmt.formats.skeleton import Skeleton, name_of, no_text


def read(
    path: PathLike,
    language: str,  # noqa: ARG001 (every format has it; here there is nothing to split)
) -> tuple[list[Document], Skeleton]:
    """Read a file, `-` for standard input.

    Documents are named after the file, and numbered from 1 if there are `<d>` lines. Two of these
    without a sentence between them make no document.

    Raises:
        InputError: there is no sentence in it, or it is no plain text.
    """
    documents: list[list[str]] = [[]]
    gaps: list[str] = []
    pending = ""
    marked = False
    for line in read_lines(path):
        sentence = line.strip()
        if sentence and sentence != MARKER:
            documents[-1].append(sentence)
            gaps.append(pending + line[: line.index(sentence)])
            pending = "\n"
            continue
        pending += line + "\n"
        if sentence:
            marked = True
            documents.append([])
    if not gaps:
        raise no_text(path)
    filled = [sentences for sentences in documents if sentences]
    read_documents = [
        Document(f"{name_of(path)}:{number}" if marked else name_of(path), tuple(sentences))
        for number, sentences in enumerate(filled, start=1)
    ]
    counts = tuple((document.id, len(document)) for document in read_documents)
    return read_documents, Skeleton((*gaps, pending), counts)
