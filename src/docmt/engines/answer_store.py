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
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Self, get_args

from docmt.engines.chat import ChatAnswer, ChatRequest, FinishReason, TokenUsage
from docmt.json_files import json_text, parse_json

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW

_DIGEST_CHARACTERS = 64

_MAX_LINE_BYTES = 16 << 20

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
        descriptor: of the file, which is open for reading and appending.

    Attributes:
        problem: why answers are not kept, if they are not.
    """

    def __init__(self, descriptor: int) -> None:
        self.problem: str | None = None
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._offsets: dict[bytes, int] = {}
        self._synced = time.monotonic()
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            stream.seek(0)
            end = b"\n"
            for offset, line in _lines(stream):
                end = line[-1:]
                with suppress(ValueError):
                    self._offsets[_digest_of(line)] = offset
        if end != b"\n":
            self._write(b"\n")  # ends what a killed process, or a full disk, left

    @classmethod
    def open(cls, path: Path) -> Self | str:
        """Open a file of answers, which is made if it is missing.

        Returns:
            The store, or why there can be none: the file cannot be opened, is not a regular file,
            or belongs to another user.
        """
        try:
            descriptor = os.open(path, _FLAGS, 0o600)
        except OSError as error:
            return f"{path.name} cannot be opened ({error.strerror})"
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
            return cls(descriptor)
        os.close(descriptor)
        return f"{path.name} is not a regular file of this user"

    def __len__(self) -> int:
        return len(self._offsets)

    def find(self, digest: str) -> ChatAnswer | None:
        """The answer to the request with this digest, if it is known."""
        offset = self._offsets.get(bytes.fromhex(digest))
        if offset is None:
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
        if len(line) > _MAX_LINE_BYTES or self.problem is not None:
            return
        with self._lock:
            end = self._write(line)
            if end is not None:
                self._offsets[bytes.fromhex(digest)] = end - len(line)

    def close(self) -> None:
        """Bring all answers to the disk, and close the file."""
        with self._lock:
            if self._descriptor >= 0:
                with suppress(OSError):
                    os.fdatasync(self._descriptor)
                os.close(self._descriptor)
                self._descriptor = -1
                self.problem = "the file is closed"

    def _write(self, line: bytes) -> int | None:
        """Write a line at the end of the file; where it ends, or None if it cannot be written."""
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
    except (ValueError, TypeError):
        return None
    return ChatAnswer(text, reason, usage)
