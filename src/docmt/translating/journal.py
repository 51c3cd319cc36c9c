"""`Journal`: what a long translation has found so far, in a hidden file beside its output, so that
the same translation goes on where it was interrupted.

The file holds JSON lines: first the fingerprint of the translation (the run, the input and the
settings), then a line for each batch of instances in the order of the search. Batches depend on
nothing else, so a resumed translation equals an uninterrupted one bit for bit. A line that is cut
off, or a journal of another translation, is discarded.
"""

from __future__ import annotations

import json
import os
import stat
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

from docmt.decoding.beam_search import Hypothesis
from docmt.documents import Document
from docmt.files import PathLike, is_stream
from docmt.recipes import dump
from docmt.runs import Run

_OPEN = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

_Batch = list[list[Hypothesis]]
"""For each instance of a batch its hypotheses, best first."""


class Journal:
    """The journal of the translation of one file. Where it cannot be kept (an output that is not a
    file, a full disk, another process with the same output), translation goes on without it.

    Args:
        output: the file that the translation is written to.

    Attributes:
        path: the hidden file; None if the output is a stream.
        resumed: the number of batches that were taken from the journal.
    """

    def __init__(self, output: PathLike) -> None:
        self.path = None
        if not is_stream(output):
            self.path = Path(output).with_name(f".{Path(output).name}.unfinished")
        self.resumed = 0
        self._descriptor: int | None = None
        self._fingerprint = ""
        self._stored: deque[_Batch] = deque()

    def begin(self, fingerprint: str) -> None:
        """Read what an interrupted translation left, if it was the same one.

        Args:
            fingerprint: says which translation it is.
        """
        self._fingerprint = fingerprint
        self._descriptor = None if self.path is None else open_locked(self.path, _OPEN)
        if self._descriptor is None:
            return
        with os.fdopen(os.dup(self._descriptor), "rb") as stream:
            end = 0
            for number, line in enumerate(stream):
                if not line.endswith(b"\n") or not self._take_line(line, number == 0):
                    break
                end += len(line)
        with suppress(OSError):
            os.ftruncate(self._descriptor, end)

    def next(self, sizes: Sequence[int]) -> _Batch | None:
        """The hypotheses of the next batch, or None if it must be searched.

        Args:
            sizes: the number of sentences of each instance of the batch.
        """
        if not self._stored:
            return None
        batch = self._stored.popleft()
        fits = len(batch) == len(sizes) and all(
            hypotheses and all(len(h.sentences) == size for h in hypotheses)
            for hypotheses, size in zip(batch, sizes, strict=True)
        )
        if not fits:
            self.remove()
            self.path = None
            return None
        self.resumed += 1
        return batch

    def add(self, batch: Sequence[Sequence[Hypothesis]]) -> None:
        """Keep the hypotheses of the batch that was searched last."""
        if self.path is None:
            return
        lines: list[Any] = [[[_values(hypothesis) for hypothesis in one] for one in batch]]
        try:
            if self._descriptor is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._descriptor = open_locked(self.path, _OPEN | os.O_CREAT)
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
        """Whether there is a file."""
        return self._descriptor is not None

    def close(self) -> None:
        """Leave the file for the next attempt."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def remove(self) -> None:
        """Remove the file, because all is translated or it is of no use."""
        self._stored.clear()
        if self._descriptor is not None and self.path is not None:
            with suppress(OSError):
                self.path.unlink()
        self.close()

    def _take_line(self, line: bytes, is_first: bool) -> bool:
        """Read a line of the file; whether it is of this translation."""
        try:
            values = json.loads(line)
            if is_first:
                return bool(values == self._fingerprint)
            self._stored.append([[_hypothesis(*each) for each in one] for one in values])
        except (ValueError, TypeError, RecursionError):
            return False
        return True


def open_locked(path: Path, flags: int) -> int | None:
    """Open and lock a file that only this process and user write; None if that cannot be."""
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError:
        return None
    status = os.fstat(descriptor)
    own = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_uid == os.geteuid()
    try:
        locked = own and lock_descriptor(descriptor, blocking=False)
    except OSError:
        locked = own  # This file system has no locks.
    if locked:
        return descriptor
    os.close(descriptor)
    return None


def _values(hypothesis: Hypothesis) -> list[Any]:
    """A hypothesis as plain values."""
    return [
        hypothesis.sentences,
        hypothesis.log_probabilities,
        hypothesis.truncated,
        hypothesis.score,
    ]


def _hypothesis(
    sentences: list[list[int]], log_probabilities: list[float], truncated: list[bool], score: float
) -> Hypothesis:
    """The hypothesis that `_values` gave."""
    return Hypothesis(
        tuple(tuple(map(int, sentence)) for sentence in sentences),
        tuple(map(float, log_probabilities)),
        tuple(map(bool, truncated)),
        float(score),
    )


def fingerprint(identity: Sequence[str], documents: Sequence[Document]) -> str:
    """A digest of a translation: what translates, and what is translated."""
    digest = sha256(json.dumps([_version(), *identity]).encode())
    for document in documents:
        values = [document.id, document.source, document.target]
        digest.update(json.dumps(values).encode())
    return digest.hexdigest()


def _version() -> str:
    """The version of docmt, where it is installed."""
    try:
        return version("docmt")
    except PackageNotFoundError:
        return ""


def run_identity(run: Run) -> list[str]:
    """What tells a run from others: its recipe and text pipeline, and the size and time of its
    weights, which take long to read."""
    status = run.weights.stat()
    weights = f"{status.st_size} {status.st_mtime_ns}"
    text = [
        f"{path.name} {sha256(path.read_bytes()).hexdigest()}"
        for path in sorted((run.directory / "text").rglob("*"))
        if path.is_file()
    ]
    return [dump(run.recipe), weights, *text]
