"""`FileJournal`: the intermediate results of a long translation, in a hidden file beside the
output, so the same translation resumes after an interruption.

The file holds JSON lines: first the fingerprint of the translation (the run, the input and the
settings), then, in order, a line for each value kept by the translator, such as a batch of
instances. The values depend on nothing else, so a resumed translation equals an uninterrupted one
bit for bit. A truncated line, or a journal of another translation, is discarded.
"""

from __future__ import annotations

import json
import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from docmt_files.base.errors import InputError
from docmt_files.base.system_calls import is_own, open_flags
from docmt_files.storage.files import PathLike, is_stream
from docmt_files.storage.json_files import parse_json
from docmt_files.storage.locks import is_open_on

_MAX_LINE_BYTES = 1 << 26
"""More than the hypotheses of a batch need."""

_OPEN = open_flags("O_RDWR", "O_NOFOLLOW", "O_CLOEXEC")


class FileJournal:
    """The journal of the translation of one file. If it cannot be written (an output other than a
    file, a full disk), translation goes on without it. A lock on the journal keeps other processes
    from writing the same output.

    Args:
        output: the output file of the translation.

    Attributes:
        path: the hidden file; None if the output is a stream.
        resumed: the number of values read from the journal.
    """

    def __init__(self, output: PathLike) -> None:
        self.path, self._output = None, output
        if not is_stream(output):
            self.path = Path(output).with_name(f".{Path(output).name}.unfinished")
        self.resumed = 0
        self._descriptor: int | None = None
        self._fingerprint = ""
        self._stored: deque[Any] = deque()

    def begin(self, fingerprint: str) -> None:
        """Read the values of an interrupted translation, if it was the same one.

        Args:
            fingerprint: identifies the translation.

        Raises:
            InputError: another process translates into the same output.
        """
        self._fingerprint = fingerprint
        self._descriptor = self._open()
        if self._descriptor is None:
            return
        end = 0
        for number, line in enumerate(whole_lines(self._descriptor)):
            if not self._take_line(line, number == 0):
                break
            end += len(line)
        with suppress(OSError):
            os.ftruncate(self._descriptor, end)

    def next(self) -> Any | None:
        """Return the next value, or None if there are no more."""
        if not self._stored:
            return None
        self.resumed += 1
        return self._stored.popleft()

    def discard(self) -> None:
        """Discard values of another translation, and keep nothing more."""
        self.resumed = 0
        self.remove()
        self.path = None

    def add(self, value: Any) -> None:
        """Keep a JSON value."""
        if self.path is None:
            return
        lines: list[Any] = [value]
        try:
            if self._descriptor is None:
                self._descriptor = self._open()
                if self._descriptor is None:
                    self.path = None
                    return
                os.ftruncate(self._descriptor, 0)
            if os.fstat(self._descriptor).st_size == 0:
                lines.insert(0, self._fingerprint)
            with open(self._descriptor, "ab", closefd=False) as stream:
                stream.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        except OSError:
            # Without space the output cannot be written either, and says so.
            self.remove()
            self.path = None

    @property
    def is_kept(self) -> bool:
        """True if the file exists and is not empty."""
        return self._descriptor is not None and os.fstat(self._descriptor).st_size > 0

    def close(self) -> None:
        """Leave the file for the next attempt, unless it is empty."""
        if self._descriptor is not None:
            if not self.is_kept and self.path is not None:
                with suppress(OSError):
                    self.path.unlink()
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int | None:
        """Open and lock the file, if possible."""
        if self.path is None:
            return None
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        return open_locked(self.path, _OPEN | os.O_CREAT, self._output)

    def remove(self) -> None:
        """Remove the file, after the translation is finished or if the file is of no use."""
        self._stored.clear()
        if self._descriptor is not None:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
        self.close()

    def _take_line(self, line: bytes, is_first: bool) -> bool:
        """Read a line of the file; return whether it belongs to this translation."""
        try:
            values = parse_json(line)
        except ValueError:
            return False
        if is_first:
            return bool(values == self._fingerprint)
        self._stored.append(values)
        return True


def whole_lines(descriptor: int) -> Iterator[bytes]:
    """The lines of an open file from the beginning, up to a truncated or oversized line."""
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        stream.seek(0)
        while (line := stream.readline(_MAX_LINE_BYTES)).endswith(b"\n"):
            yield line


def open_locked(path: Path, flags: int, output: PathLike) -> int | None:
    """Open and lock a file, written only by this process and user; None if this is not possible.

    Args:
        path: the file.
        flags: the flags of `os.open`.
        output: the output protected by the lock.

    Raises:
        InputError: another process has locked the file.
    """
    from filelock import lock_descriptor  # slow to import, and streams have no journal

    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError:
        return None
    status = os.fstat(descriptor)
    is_own_file = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and is_own(status)
    try:
        locked = is_own_file and lock_descriptor(descriptor, blocking=False)
    except OSError:
        locked = is_own_file  # This file system has no locks.
    if locked and is_open_on(path, descriptor):
        return descriptor
    os.close(descriptor)
    if locked:  # Whoever had locked it has removed it meanwhile.
        return open_locked(path, flags, output)
    if is_own_file:
        raise InputError(
            "another process is translating into it",
            path=output,
            cure="Wait until it ends, or choose another `output`",
            parameters=("output",),
        )
    return None
