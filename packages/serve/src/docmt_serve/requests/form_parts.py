"""`FormParts`: the parts of a form of the media type `multipart/form-data`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeVar, cast

import anyio
import anyio.to_thread
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import UploadFile

from docmt_serve.requests.byte_budget import HeldBody
from docmt_serve.requests.service_errors import ServiceError

_IN_MEMORY = 1 << 20
"""Maximum bytes of a file kept in memory; a larger file is written to a temporary one."""

_MOST_HEADER = 2048
"""Maximum bytes of a header of a part."""

_SILENT = logging.Logger("form", logging.CRITICAL + 1)
"""Logger of the parser, whose warnings about broken forms would let any client fill a log."""

_PLAIN_ENCODINGS = ("", "7bit", "8bit", "binary")

_INLINE = 4096
"""Maximum bytes of a body parsed on the event loop. A thread takes longer to begin."""

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Limits of the body of a request.

    Attributes:
        text: maximum bytes, apart from a file.
        file: maximum bytes of a file; 0 if the request has none.
        fields: maximum number of fields.
        threads: limits the number of bodies parsed at a time.
    """

    text: int
    file: int
    fields: int
    threads: anyio.CapacityLimiter

    async def run(self, function: Callable[[], R], size: int) -> R:
        """Run a function with a body of so many bytes, in a thread if there are many."""
        if size <= _INLINE:
            return function()
        return await anyio.to_thread.run_sync(function, limiter=self.threads)


class ReceivedFile(UploadFile):
    """An uploaded file.

    Args:
        file: the temporary file.
        name: name of the upload.
        held: the body of the request.
    """

    def __init__(self, file: IO[bytes], name: str, held: HeldBody) -> None:
        super().__init__(file, filename=name)  # type: ignore[arg-type]
        self.held = held


class FormParts:
    """Reads a form piece by piece.

    Args:
        boundary: the boundary of the parts.
        limits: limits of the body.
        held: gets the bytes and the file.
        on_file: called with the fields before a file, and raises an error to refuse the file.

    Raises:
        FormParserError: the boundary is too long.
        ServiceError: there is no boundary.
    """

    def __init__(
        self,
        boundary: bytes,
        limits: BodyLimits,
        held: HeldBody,
        on_file: Callable[[dict[str, Any]], None],
    ) -> None:
        if not boundary:
            raise ServiceError(400, "the form has no boundary")
        self._limits, self._held, self._on_file = limits, held, on_file
        self._values: list[tuple[str, Any]] = []
        self._headers: dict[bytes, bytes] = {}
        self._name, self._value = bytearray(), bytearray()
        self._field = ""
        self._text = bytearray()
        self._parts = self._size = self._file_size = 0
        self._is_file = self._has_ended = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_field": self._read_header_name,
                "on_header_value": self._read_header_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": self._read_data,
                "on_part_end": self._end_part,
                "on_end": self._end,
            },
            max_header_size=_MOST_HEADER,
        )
        self._parser.logger = _SILENT

    def write(self, chunk: bytes) -> None:
        """Read the next piece of the form.

        Raises:
            FormParserError: the form is damaged.
            ServiceError: the form exceeds a limit, or a part is not in UTF-8.
        """
        self._held.take(len(chunk))
        self._parser.write(chunk)
        self._size += len(chunk)
        if self._size - self._file_size > self._limits.text:
            raise ServiceError(413, f"the fields exceed {self._limits.text} bytes")

    def end(self) -> list[tuple[str, Any]]:
        """Names and values of all fields, in order.

        Raises:
            FormParserError: the end of the form is missing.
        """
        if not self._has_ended:
            raise FormParserError("the end is missing")
        if self._held.file is not None:
            self._held.file.seek(0)
        return self._values

    def _begin_part(self) -> None:
        self._parts += 1
        if self._parts > self._limits.fields:
            raise ServiceError(400, f"there are more than {self._limits.fields} values")
        self._headers, self._text, self._is_file = {}, bytearray(), False

    def _read_header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _read_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        self._headers[bytes(self._name).lower()] = bytes(self._value)
        self._name, self._value = bytearray(), bytearray()

    def _end_headers(self) -> None:
        """Begin the content of a part."""
        _, options = parse_options_header(self._headers.get(b"content-disposition"))
        self._field = _text(options.get(b"name"))
        self._is_file = b"filename" in options
        encoding = self._headers.get(b"content-transfer-encoding", b"").strip().lower()
        if encoding.decode("latin-1") not in _PLAIN_ENCODINGS:
            raise ServiceError(415, "a part must have no Content-Transfer-Encoding")
        if self._is_file:
            self._begin_file(_text(options[b"filename"]))
            return
        _, options = parse_options_header(self._headers.get(b"content-type"))
        if options.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8", b"us-ascii"):
            raise ServiceError(415, "each part must be in UTF-8")

    def _begin_file(self, name: str) -> None:
        if not self._limits.file or self._held.file is not None:
            most = "one file" if self._limits.file else "no file"
            raise ServiceError(400, f"the request takes {most}")
        self._on_file(dict(self._values))
        # `HeldBody.release` closes it.
        file = cast("IO[bytes]", SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115
        self._held.file = file
        self._values.append((self._field, ReceivedFile(file, name, self._held)))

    def _read_data(self, data: bytes, start: int, end: int) -> None:
        if self._is_file:
            assert self._held.file is not None
            self._file_size += end - start
            if self._file_size > self._limits.file:
                raise ServiceError(413, f"the file exceeds {self._limits.file} bytes")
            self._held.file.write(data[start:end])
            return
        self._text += data[start:end]

    def _end_part(self) -> None:
        if not self._is_file:
            self._values.append((self._field, _text(bytes(self._text))))

    def _end(self) -> None:
        self._has_ended = True


def _text(value: bytes | None) -> str:
    """A name or a value of a form.

    Raises:
        ServiceError: it is not in UTF-8, or the name is missing.
    """
    if value is None:
        raise ServiceError(400, "a part of the form has no name")
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ServiceError(400, "the form is not valid UTF-8") from None
