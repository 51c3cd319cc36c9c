"""Tab-separated rows, one a sentence pair: document id, source, target. A file whose rows all
lack the third column is a source alone. There is no header and nothing is quoted, so a sentence
may hold any character but a tab and a line break.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docmt.corpora.checks import Checks
from docmt.documents import Document
from docmt.files import PathLike, read_lines, write_whole
from docmt.wording import counted

COLUMNS = ("document id", "source", "target")


def read(path: PathLike, allow_empty: bool) -> Iterator[Document]:
    """The documents of a TSV file; see `docmt.corpora.read`.

    Raises:
        InputError: besides what every format refuses, a row without three columns (or two, if the
            first row has two), and a document whose rows do not stand together.
    """
    checks = Checks(path, allow_empty)
    current, source, target = "", list[str](), list[str]()
    for line, (id, *sentences) in enumerate(rows(path, checks), start=1):
        if line == 1 or id != current:
            if source:
                yield Document(current, tuple(source), tuple(target) or None)
            checks.id(id, line)
            current, source, target = id, [], []
        checks.pair(sentences[0], sentences[1] if len(sentences) == 2 else None, line)
        source.append(sentences[0])
        target += sentences[1:]
    if source:
        yield Document(current, tuple(source), tuple(target) or None)


def rows(path: PathLike, checks: Checks) -> Iterator[list[str]]:
    """The rows of a file, all of as many columns as the first, which has two or three."""
    columns = 0
    for line, text in enumerate(read_lines(path), start=1):
        row = text.split("\t")
        columns = columns or (2 if len(row) == 2 else 3)
        if len(row) != columns:
            raise checks.error(
                f"the row has {counted(len(row), 'column')}, not {columns} "
                f"({', '.join(COLUMNS[:columns])})",
                "Put one tab between columns and none into a sentence",
                line,
            )
        yield row


def write(documents: Iterable[Document], path: PathLike) -> None:
    """Write documents as TSV; see `docmt.corpora.write`."""
    checks = Checks(path, allow_empty=True)
    columns = 0
    with write_whole(path) as stream:
        for document in documents:
            place = checks.writable(document)
            sides = [document.source]
            if document.target is not None:
                sides.append(document.target)
            columns = columns or 1 + len(sides)
            if columns != 1 + len(sides):
                cure = "Write .jsonl or .parquet, which can hold both kinds"
                raise checks.error(f"{place}only some of the documents have a target side", cure)
            for number, sentences in enumerate(zip(*sides, strict=True), start=1):
                if any("\t" in text for text in sentences):
                    cure = "Write .jsonl or .parquet, or replace it by a space"
                    raise checks.error(f"{place}sentence {number} holds a tab", cure)
                stream.write("\t".join((document.id, *sentences)).encode() + b"\n")
