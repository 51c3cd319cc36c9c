"""`FileJournal`: what a long translation has found so far, in a hidden file beside its output, so
that the same translation goes on where it was interrupted.

The file holds JSON lines: first the fingerprint of the translation (the run, the input and the
settings), then a line for each value that the translator keeps, such as a batch of instances, in
order. These depend on nothing else, so a resumed translation equals an uninterrupted one bit for
bit. A line that is cut
off, or a journal of another translation, is discarded.
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

from filelock import lock_descriptor

from docmt.formats.core.skeleton import name_of
from docmt.ground.errors import InputError
from docmt.storage.files import PathLike, is_stream
from docmt.storage.json_files import parse_json
from docmt.storage.locks import is_open_on

_MAX_LINE_BYTES = 1 << 26
"""More than the hypotheses of a batch take."""

_OPEN = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class FileJournal:
    """The journal of the translation of one file. Where it cannot be kept (an output that is not a
    file, a full disk), translation goes on without it. Its lock shows other processes that this one
    writes the output.

    Args:
        output: the file that the translation is written to.

    Attributes:
        path: the hidden file; None if the output is a stream.
        resumed: the number of values that were taken from the journal.
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
        """Read what an interrupted translation left, if it was the same one.

        Args:
            fingerprint: says which translation it is.

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
        """Return the next value that was kept, or None if there are no more."""
        if not self._stored:
            return None
        self.resumed += 1
        return self._stored.popleft()

    def discard(self) -> None:
        """Forget what was kept, as it is not of this translation, and keep nothing more."""
        self.resumed = 0
        self.remove()
        self.path = None

    def add(self, value: Any) -> None:
        """Keep a value, which JSON can represent."""
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
        """True if there is a file with something in it."""
        return self._descriptor is not None and os.fstat(self._descriptor).st_size > 0

    def close(self) -> None:
        """Leave the file for the next attempt, unless there is nothing in it."""
        if self._descriptor is not None:
            if not self.is_kept and self.path is not None:
                with suppress(OSError):
                    self.path.unlink()
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int | None:
        """Open and lock the file, if it can be kept."""
        if self.path is None:
            return None
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        return open_locked(self.path, _OPEN | os.O_CREAT, self._output)

    def remove(self) -> None:
        """Remove the file, because all is translated or it is of no use."""
        self._stored.clear()
        if self._descriptor is not None:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
        self.close()

    def _take_line(self, line: bytes, is_first: bool) -> bool:
        """Read a line of the file; whether it is of this translation."""
        try:
            values = parse_json(line)
        except ValueError:
            return False
        if is_first:
            return bool(values == self._fingerprint)
        self._stored.append(values)
        return True


def whole_lines(descriptor: int) -> Iterator[bytes]:
    """The lines of an open file from its beginning, up to one that is cut off or longer than any
    that docmt writes."""
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        stream.seek(0)
        while (line := stream.readline(_MAX_LINE_BYTES)).endswith(b"\n"):
            yield line


def open_locked(path: Path, flags: int, output: PathLike) -> int | None:
    """Open and lock a file that only this process and user write; None if that cannot be.

    Args:
        path: the file.
        flags: how to open it.
        output: what is written while it is locked.

    Raises:
        InputError: another process has locked it.
    """
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError:
        return None
    status = os.fstat(descriptor)
    is_own_file = (
        stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_uid == os.geteuid()
    )
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
            path=name_of(output),
            cure="Wait until it ends, or choose another `output`",
            parameters=("output",),
        )
    return None
