"""`TextBound`: the limits on the contents of a text file."""

from __future__ import annotations

import os
from math import inf
from pathlib import Path

from docmt_files.base.errors import InputError

MAX_EMPTY_LINES = 100_000
"""The most empty lines in a row; no text has more."""

MAX_EXPANSION, MIN_EXPANDED_BYTES = 200, 1 << 20
"""Maximum number of bytes from one byte of a compressed file, and the minimum size for this check.
Text is compressed to a third or a tenth of the size."""


class TextBound:
    """Rejects files that would occupy a reader for hours without text: line breaks alone, or a
    small compressed file of a huge one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._empty = self._bytes = 0
        self._most_bytes = inf
        if Path(path).suffix in (".gz", ".xz") and Path(path).is_file():
            compressed = Path(path).stat().st_size
            self._most_bytes = max(MAX_EXPANSION * compressed, MIN_EXPANDED_BYTES)

    def check(self, raw: bytes, number: int | None = None) -> None:
        """Take note of a line, or of a block."""
        self._empty = self._empty + 1 if raw.isspace() else 0
        self._bytes += len(raw)
        if self._empty > MAX_EMPTY_LINES:
            problem = f"more than {MAX_EMPTY_LINES:,} empty lines in a row"
            raise InputError(problem, path=self._path, line=number, cure="Remove them")
        if self._bytes > self._most_bytes:
            raise InputError(
                f"is compressed to less than 1/{MAX_EXPANSION} of its size, so it can hardly be "
                "text",
                path=self._path,
                line=number,
                cure="Check what it holds; if it is right, decompress it first",
            )
