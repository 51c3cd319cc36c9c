"""Tab-separated rows, one per sentence pair: document id, source, target. A file has no target side
if all rows lack the third column. There is no header and no quoting, so a sentence may hold any
character except a tab and a line break.

With boundaries `blank` it is a file of WMT, such as News Commentary from version 14 on: rows of two
sentences, in the languages of the file's name (`news-commentary-v15.de-en.tsv.gz`), with a row
without text between documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_files.storage.corpus_checks import CURE_EMPTY, Checks, SentencePair
from docmt_files.storage.files import PathLike, read_lines, write_whole

_COLUMNS = ("document id", "source", "target")

_LANGUAGES = re.compile(r"\.([a-z]{2,3})-([a-z]{2,3})\.tsv\b")
"""The languages of two columns, in the name of a file of WMT."""


def read(path: PathLike, allow_empty: bool) -> Iterator[Document]:
    """Read the documents of a TSV file; see `docmt_nmt.corpora.read`."""
    checks = Checks(path, allow_empty)
    return checks.documents(_pairs(path, checks))


def read_wmt(
    path: PathLike, allow_empty: bool, languages: tuple[str | None, str | None]
) -> Iterator[Document]:
    """Read the documents of a file of WMT, which are numbered; see `docmt_nmt.corpora.read`."""
    checks = Checks(path, allow_empty)
    return checks.documents(_wmt_pairs(path, checks, languages))


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


def _wmt_pairs(
    path: PathLike, checks: Checks, languages: tuple[str | None, str | None]
) -> Iterator[SentencePair]:
    """Yield the rows with text of a file of WMT, each with the number of the document."""
    reverse = _is_reversed(path, checks, languages)
    number, is_open = 0, False
    for line, text in enumerate(read_lines(path), start=1):
        if not text.strip():
            is_open = False
            continue
        row = text.split("\t")
        if len(row) == 1 and checks.allow_empty:
            row.append("")
        if len(row) != 2:
            cure = "Put one tab between the sentences of a pair and none in a sentence"
            cure += f". {CURE_EMPTY}" if len(row) == 1 else ""
            raise checks.error(f"the row has {counted(len(row), 'column')}, not 2", cure, line)
        number += not is_open
        is_open = True
        source, target = reversed(row) if reverse else row
        yield SentencePair(line, source, target, str(number))


def _is_reversed(path: PathLike, checks: Checks, languages: tuple[str | None, str | None]) -> bool:
    """Return whether the first column is the target side, by the languages in the file's name."""
    wanted = [language.lower().split("-")[0] for language in languages if language]
    match = _LANGUAGES.search(Path(path).name)
    if match is None or len(wanted) < 2 or list(match.groups()) == wanted:
        return False
    if list(match.groups()) == wanted[::-1]:
        return True
    problem = f"the name says that its columns are {' and '.join(match.groups())}, but the "
    problem += f"languages are {' and '.join(wanted)}"
    raise checks.error(problem, "Set data.source_language and data.target_language, or rename it")


def write(documents: Iterable[Document], path: PathLike) -> None:
    """Write documents as TSV; see `docmt_nmt.corpora.write`."""
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
