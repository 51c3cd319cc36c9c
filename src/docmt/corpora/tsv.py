"""Tab-separated rows, one per sentence pair: document id, source, target. A file whose rows all
lack the third column has no target side. There is no header and no quoting, so a sentence may hold
any character except a tab and a line break."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docmt.corpora.corpus_checks import Checks, SentencePair
from docmt.documents import Document
from docmt.files import PathLike, read_lines, write_whole
from docmt.wording import counted

_COLUMNS = ("document id", "source", "target")


def read(path: PathLike, allow_empty: bool) -> Iterator[Document]:
    """Read the documents of a TSV file; see `docmt.corpora.read`."""
    checks = Checks(path, allow_empty)
    return checks.documents(_pairs(path, checks))


def _pairs(path: PathLike, checks: Checks) -> Iterator[SentencePair]:
    """Yield the rows of a file, which all have as many columns as the first: two or three."""
    columns = 0
    for line, text in enumerate(read_lines(path), start=1):
        row = text.split("\t")
        columns = columns or (2 if len(row) == 2 else 3)
        if len(row) != columns:
            expected = "2 or 3" if line == 1 else str(columns)
            raise checks.error(
                f"the row has {counted(len(row), 'column')}, not {expected} "
                f"({', '.join(_COLUMNS[:columns])})",
                "Put one tab between columns and none in a sentence",
                line,
            )
        yield SentencePair(line, row[1], row[2] if columns == 3 else None, row[0])


def write(documents: Iterable[Document], path: PathLike) -> None:
    """Write documents as TSV; see `docmt.corpora.write`."""
    checks = Checks(path, allow_empty=True)
    columns = 0
    with write_whole(path) as stream:
        for document in documents:
            location = checks.check_writable(document)
            sides = [document.source]
            if document.target is not None:
                sides.append(document.target)
            columns = columns or 1 + len(sides)
            if columns != 1 + len(sides):
                cure = "Write .jsonl or .parquet, which can hold both kinds"
                raise checks.error(f"{location}only some of the documents have a target side", cure)
            for number, sentences in enumerate(zip(*sides, strict=True), start=1):
                if any("\t" in text for text in sentences):
                    cure = "Write .jsonl or .parquet, or replace it with a space"
                    raise checks.error(f"{location}sentence {number} holds a tab", cure)
                stream.write("\t".join((document.id, *sentences)).encode() + b"\n")
