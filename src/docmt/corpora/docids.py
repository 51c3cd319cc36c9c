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
    """A line of a docids file.

    Attributes:
        line: the line number, from 1.
        id: the document's id.
        sentences: how many sentences the document has.
    """

    line: int
    id: str
    sentences: int


def read(path: PathLike) -> Iterator[Entry]:
    """The entries of a docids file, in order.

    Raises:
        InputError: a line is not an id, a tab and a number above 0, or an id is repeated.
    """
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
