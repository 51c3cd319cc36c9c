"""`AnswerStore`: answers of a language model in a file. No request is sent twice, even after the
process was killed.

The file holds JSON lines: the digest of a request and of everything else the answer depends on, the
text, the reason why the answer ends, and the tokens. Lines are only appended, each by one write. So
processes may share the file, and a killed process leaves at most a damaged last line. Memory holds
the digests and the offsets of their lines.
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

from docmt_files.base.system_calls import is_own, open_flags
from docmt_files.storage.json_files import json_text, parse_json
from docmt_llm.chat_model import ChatAnswer, ChatRequest, FinishReason, TokenUsage

_FLAGS = open_flags("O_RDWR", "O_CREAT", "O_APPEND", "O_NONBLOCK", "O_CLOEXEC", "O_NOFOLLOW")

_DIGEST_CHARACTERS = 64

_MAX_LINE_BYTES = 16 << 20

_MAX_FILE_BYTES = 1 << 30
"""A gibibyte holds the answers for about a hundred million words."""

_SYNC_EVERY = 1.0
"""Seconds between flushes to the disk. A power failure loses the answers of this time at most; a
kill loses none."""


def request_digest(identity: Mapping[str, Any], request: ChatRequest) -> str:
    """A digest of everything an answer depends on.

    Args:
        identity: the identity of the model.
        request: the request.
    """
    messages = [
        (message.role, message.content, *(message.languages or ())) for message in request.messages
    ]
    values = [dict(identity), messages, request.max_tokens, request.schema, request.seed]
    if request.fields:
        values.append(dict(request.fields))
    return sha256(json_text(values).encode("utf-8", "surrogatepass")).hexdigest()


class AnswerStore:
    """Answers in a file. After a failed write, as on a full disk, no further answers are stored.

    Args:
        path: the file. A missing file is made for the first answer. No answers are stored if the
            file cannot be opened, is not a regular file, belongs to another user or is too large.

    Attributes:
        problem: the reason why no answers are stored, or None.
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
        """Open the file, and index the answers in it."""
        try:
            descriptor = os.open(self._path, _FLAGS, 0o600)
        except OSError as error:
            self.problem = f"{self._path.name} cannot be opened ({error.strerror})"
            return
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not is_own(status):
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
        """The stored answer to the request with this digest, or None."""
        offset = self._offsets.get(bytes.fromhex(digest))
        if offset is None or self._descriptor is None:
            return None
        with self._lock, os.fdopen(os.dup(self._descriptor), "rb") as stream:
            stream.seek(offset)
            line = stream.readline(_MAX_LINE_BYTES)
        return _answer_of(line)

    def add(self, digest: str, answer: ChatAnswer) -> None:
        """Store an answer."""
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
        """Append a line to the file, and return the offset after the line; None if it cannot be
        written."""
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
    """Flush all answers to the disk, and close the file."""
    with suppress(OSError):
        os.fdatasync(descriptor)
    os.close(descriptor)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their offsets; an oversized line in parts."""
    offset = 0
    while line := stream.readline(_MAX_LINE_BYTES):
        yield offset, line
        offset += len(line)


def _digest_of(line: bytes) -> bytes:
    """The digest at the beginning of a line.

    Raises:
        ValueError: the line does not begin with a digest, or is incomplete.
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
