"""`FinishedFiles`: the finished files of a folder, so the same command does not translate them
again after an interruption or a failure.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from docmt.translating.journal import open_locked, whole_lines
from docmt_files.base.errors import InputError
from docmt_files.base.system_calls import open_flags
from docmt_files.storage.json_files import parse_json
from docmt_files.storage.stored_files import open_stored

_NAME = ".docmt.unfinished"


class FinishedFiles:
    """A hidden file in the output folder with a line for each finished file: the path, a digest of
    the input and the settings, a digest of the content, and the counts. If the hidden file cannot
    be written, files are translated again.

    Args:
        folder: the output folder, which exists.

    Raises:
        InputError: another process translates into the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: dict[str, list[Any]] = {}
        flags = open_flags("O_RDWR", "O_CREAT", "O_APPEND", "O_NOFOLLOW")
        self._descriptor = open_locked(folder / _NAME, flags, folder)
        if self._descriptor is None:
            return
        for line in whole_lines(self._descriptor):
            with suppress(ValueError, TypeError):
                path, *values = parse_json(line)
                self._lines[str(path)] = values

    def find(self, path: Path, made_from: str) -> tuple[int, ...] | None:
        """The counts of a finished and unchanged file, or None.

        Args:
            path: the path in the output folder.
            made_from: a digest of the input and the settings.
        """
        match self._lines.get(str(path)):
            case [before, digest, [int(), int(), int(), int()] as counts] if (
                before == made_from and digest == _digest(self._folder / path)
            ):
                return tuple(counts)
        return None

    def add(self, path: Path, made_from: str, counts: tuple[int, ...]) -> None:
        """Record a finished file."""
        if self._descriptor is None:
            return
        line = json.dumps([str(path), made_from, _digest(self._folder / path), counts])
        with suppress(OSError):
            os.write(self._descriptor, line.encode() + b"\n")

    def close(self, *, remove: bool) -> None:
        """Leave the hidden file for the next attempt, or remove it after the last file."""
        if self._descriptor is None:
            return
        if remove:
            with suppress(OSError):
                (self._folder / _NAME).unlink()
        os.close(self._descriptor)
        self._descriptor = None


def _digest(path: Path) -> str:
    """A digest of a regular file; empty for any other path or an unreadable file."""
    try:
        with open_stored(path) as stream:
            return file_digest(stream, "sha256").hexdigest()
    except (InputError, OSError):
        return ""


def digest_of(blocks: Iterable[bytes]) -> str:
    """A digest of the blocks of a file."""
    digest = sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()
