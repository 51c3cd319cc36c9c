"""`FinishedFiles`: which files of a folder have been translated, so that the same command does not
translate them again after an interruption, or when one of them has failed.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from docmt.translating.journal import open_locked

_NAME = ".docmt.unfinished"


class FinishedFiles:
    """A hidden file in the output folder with a line for each file that has been written: its path,
    a digest of what it was made from and by, one of what it holds, and its counts. Where it cannot
    be kept, files are translated again.

    Args:
        folder: the output folder, which exists.

    Raises:
        InputError: another process translates into it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: dict[str, list[Any]] = {}
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        self._descriptor = open_locked(folder / _NAME, flags, folder)
        if self._descriptor is None:
            return
        with os.fdopen(os.dup(self._descriptor), "rb") as stream:
            stream.seek(0)
            for line in stream:
                with suppress(ValueError, TypeError, RecursionError):
                    path, *values = json.loads(line)
                    self._lines[str(path)] = values

    def find(self, path: Path, made_from: str) -> tuple[int, ...] | None:
        """The counts of a file that has been written already and is as it was written.

        Args:
            path: its path in the output folder.
            made_from: a digest of what it is made from and by.
        """
        values = self._lines.get(str(path))
        if not values or len(values) != 3 or values[0] != made_from:
            return None
        if values[1] != _digest(self._folder / path):
            return None
        return tuple(map(int, values[2]))

    def add(self, path: Path, made_from: str, counts: tuple[int, ...]) -> None:
        """Keep that a file has been written."""
        if self._descriptor is None:
            return
        line = json.dumps([str(path), made_from, _digest(self._folder / path), counts])
        with suppress(OSError):
            os.write(self._descriptor, line.encode() + b"\n")

    def close(self, *, remove: bool) -> None:
        """Leave the file for the next attempt, or remove it, because all is translated."""
        if self._descriptor is None:
            return
        if remove:
            with suppress(OSError):
                (self._folder / _NAME).unlink()
        os.close(self._descriptor)
        self._descriptor = None


def _digest(path: Path) -> str:
    """A digest of a file, or nothing if it cannot be read."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
