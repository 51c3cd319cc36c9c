"""`AnswerStore`: answers of a language model in a file, so that no request is sent twice, even if
the process was killed.

The file holds JSON lines: the digest of a request and of all that its answer depends on, the text,
why it ends, and its tokens. Lines are only ever added, each by one write, so that processes may
share the file, and a kill leaves at most a damaged last line. In memory are the digests and where
their lines begin.
"""

from __future__ import annotations

import os
import stat
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, get_args

from docmt.language_models.chat import ChatAnswer, ChatRequest, FinishReason, TokenUsage
from docmt.storage.json_files import json_text, parse_json

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW

_DIGEST_CHARACTERS = 64

_MAX_LINE_BYTES = 16 << 20

_MAX_FILE_BYTES = 1 << 30
"""A file of a gibibyte has the answers for some hundred million words."""

_SYNC_EVERY = 1.0
"""Seconds within which lines reach the disk. A power failure loses the answers of at most as many
seconds; a kill loses none."""


def request_digest(identity: Mapping[str, Any], request: ChatRequest) -> str:
    """A digest of all that an answer depends on.

    Args:
        identity: that of the model.
        request: the request.
    """
    messages = [(message.role, message.content) for message in request.messages]
    values = [dict(identity), messages, request.max_tokens, request.schema, request.seed]
    return sha256(json_text(values).encode("utf-8", "surrogatepass")).hexdigest()


class AnswerStore:
    """Answers in a file. Where they cannot be written any more, such as on a full disk, further
    ones are not kept.

    Args:
        path: the file, which is made for the first answer if it is missing. If it cannot be opened,
            is not a regular file, belongs to another user or is too large, answers are not kept.

    Attributes:
        problem: why answers are not kept, if they are not.
    """

    def __init__(self, path: Path) -> None:
        self.problem: str | None = None
        self._path = path
        self._lock = threading.Lock()
        self._offsets: dict[bytes, int] = {}
        self._synced = time.monotonic()
        self._descriptor: int | None = None
        if os.path.lexists(path):
            self._open()

    def _open(self) -> None:
        """Open the file, and find what is in it."""
        try:
            descriptor = os.open(self._path, _FLAGS, 0o600)
        except OSError as error:
            self.problem = f"{self._path.name} cannot be opened ({error.strerror})"
            return
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            os.close(descriptor)
            self.problem = f"{self._path.name} is not a regular file of this user"
            return
        if status.st_size > _MAX_FILE_BYTES:
            os.close(descriptor)
            self.problem = f"{self._path.name} is larger than {_MAX_FILE_BYTES >> 20:,} MiB"
            return
        self._descriptor = descriptor
        weakref.finalize(self, _finish, descriptor)
        end = b"\n"
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            stream.seek(0)
            for offset, line in _lines(stream):
                end = line[-1:]
                with suppress(ValueError):
                    self._offsets[_digest_of(line)] = offset
        if end != b"\n":
            self._write(b"\n")  # ends what a killed process, or a full disk, left

    def __len__(self) -> int:
        return len(self._offsets)

    def find(self, digest: str) -> ChatAnswer | None:
        """The answer to the request with this digest, if it is known."""
        offset = self._offsets.get(bytes.fromhex(digest))
        if offset is None or self._descriptor is None:
            return None
        with self._lock, os.fdopen(os.dup(self._descriptor), "rb") as stream:
            stream.seek(offset)
            line = stream.readline(_MAX_LINE_BYTES)
        return _answer_of(line)

    def add(self, digest: str, answer: ChatAnswer) -> None:
        """Keep an answer."""
        usage = answer.usage
        tokens = [usage.prompt, usage.cached, usage.completion]
        values = [digest, answer.text, answer.finish_reason, tokens]
        line = json_text(values).encode("utf-8", "surrogatepass") + b"\n"
        if len(line) > _MAX_LINE_BYTES:
            return
        with self._lock:
            if self._descriptor is None and self.problem is None:
                self._open()
            if self.problem is not None:
                return
            end = self._write(line)
            if end is not None:
                self._offsets[bytes.fromhex(digest)] = end - len(line)

    def _write(self, line: bytes) -> int | None:
        """Write a line at the end of the file; where it ends, or None if it cannot be written."""
        assert self._descriptor is not None
        try:
            written = os.write(self._descriptor, line)
            end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
            if time.monotonic() - self._synced >= _SYNC_EVERY:
                os.fdatasync(self._descriptor)
                self._synced = time.monotonic()
        except OSError as error:
            self.problem = f"they cannot be written ({error.strerror})"
            return None
        if written < len(line):
            self.problem = "they cannot be written whole"
            return None
        return end


def _finish(descriptor: int) -> None:
    """Bring all answers to the disk, and close the file."""
    with suppress(OSError):
        os.fdatasync(descriptor)
    os.close(descriptor)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their offsets; of a line that is too long, its parts."""
    offset = 0
    while line := stream.readline(_MAX_LINE_BYTES):
        yield offset, line
        offset += len(line)


def _digest_of(line: bytes) -> bytes:
    """The digest with which a line begins.

    Raises:
        ValueError: it does not begin with one, or does not end.
    """
    if not (line.startswith(b'["') and line[2 + _DIGEST_CHARACTERS :].startswith(b'",')):
        raise ValueError("not a line of a store")
    if not line.endswith(b"]\n"):
        raise ValueError("part of a line")
    return bytes.fromhex(line[2 : 2 + _DIGEST_CHARACTERS].decode("ascii"))


def _answer_of(line: bytes) -> ChatAnswer | None:
    """The answer in a line, or None if it is damaged."""
    try:
        values = parse_json(line.decode("utf-8", "surrogatepass"))
        _, text, reason, (prompt, cached, completion) = values
        if not isinstance(text, str) or reason not in get_args(FinishReason):
            return None
        usage = TokenUsage(int(prompt), int(cached), int(completion))
    except (ValueError, TypeError, OverflowError):
        return None
    return ChatAnswer(text, reason, usage)
