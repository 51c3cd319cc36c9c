"""The docids file that may lie beside line files: a line for each document, its id, a tab, its
number of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docmt.corpora.checks import Checks
from docmt.files import PathLike, read_lines


class Entry(NamedTuple):
    """A line of a docids file.

    Attributes:
        line: its number in the file.
        id: the document's id.
        sentences: the document's sentences.
    """

    line: int
    id: str
    sentences: int


def read(path: PathLike) -> Iterator[Entry]:
    """The entries of a docids file, in order.

    Raises:
        InputError: a line that is not an id, a tab and a number above 0, or an id that comes twice.
    """
    checks = Checks(path)
    for line, text in enumerate(read_lines(path), start=1):
        found = re.fullmatch(r"([^\t]*)\t([1-9][0-9]{0,8})", text)
        if found is None:
            raise checks.error(
                f"{text[:80]!r} is not a document id, a tab and a number of sentences above 0",
                "Write one such line for each document",
                line,
            )
        checks.id(found[1], line)
        yield Entry(line, found[1], int(found[2]))
