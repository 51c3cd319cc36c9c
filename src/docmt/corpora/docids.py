"""The docids file of line files: for each document one line with its id, a tab, and its number of
sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docmt.corpora.corpus_checks import Checks
from docmt.files import PathLike, read_lines


class Entry(NamedTuple):
    """Id and number of sentences of a document, on a line of the file."""

    line: int
    id: str
    sentences: int


def read(path: PathLike) -> Iterator[Entry]:
    """Yield the entries of a docids file; any other line, or a repeated id, is an error."""
    checks = Checks(path)
    for line, text in enumerate(read_lines(path), start=1):
        match = re.fullmatch(r"([^\t]*)\t([1-9][0-9]{0,8})", text)
        if match is None:
            raise checks.error(
                f"{text[:80]!r} is not a document id, a tab and a number of sentences above 0",
                "Write one such line for each document",
                line,
            )
        checks.check_id(match[1], line)
        yield Entry(line, match[1], int(match[2]))
