"""`Download`: a file from a URL or a path, whole and checked. An interrupted download goes on where
it ended."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import urlsplit

from docmt_files.base.errors import ErrorKind, InputError, UnavailableError, printable
from docmt_files.storage.files import reporting_open_errors, reporting_write_errors
from docmt_files.storage.stored_files import open_stored

if TYPE_CHECKING:
    from httpx2 import Response

MAX_DOWNLOAD_BYTES = 1 << 30
"""Maximum size of a file, 1 GiB; the largest models of Firefox have 60 MB."""

_CHUNK = 1 << 18
_TIMEOUT = 30.0

Progress = Callable[[int], None]
"""Called with the number of bytes that have come."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file to be fetched.

    Attributes:
        place: a URL, or the path of a file. With the suffix `.gz` it is decompressed.
        size: bytes of the file as it is used, if they are known.
        sha256: hash of the file as it is used, if it is known.
    """

    place: str
    size: int | None = None
    sha256: str | None = None

    def to(self, path: Path, progress: Progress | None = None) -> str:
        """Fetch the file, and check size and hash.

        Args:
            path: where to write it. What an interrupted download left beside it is gone on with.
            progress: called with the number of bytes that have come.

        Returns:
            The SHA-256 of the file, in hexadecimal.

        Raises:
            InputError: the place cannot be reached, the file is cut off, too large or another one
                than the size and the hash say, or cannot be written. Only the beginning of an
                interrupted download is kept.
        """
        part = path.with_name(f".{path.name}.part")
        with reporting_write_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._fetch(part, progress)
                found = self._unpack(part, path)
            except OSError:
                # A disk without room gets it back.
                part.unlink(missing_ok=True)
                raise
        return found

    def _fetch(self, part: Path, progress: Progress | None) -> None:
        """Write the file as it comes, after what is there of it."""
        with part.open("ab") as out:
            offset = out.tell()
            with _opened(self.place, offset) as (chunks, goes_on):
                if offset and not goes_on:
                    out.truncate(0)
                    offset = 0
                for chunk in chunks:
                    out.write(chunk)
                    offset += len(chunk)
                    if offset > MAX_DOWNLOAD_BYTES:
                        part.unlink(missing_ok=True)
                        raise _wrong(self.place, f"has more than {MAX_DOWNLOAD_BYTES >> 20} MiB")
                    if progress is not None:
                        progress(len(chunk))

    def _unpack(self, part: Path, path: Path) -> str:
        """Write the file as it is used, if it is the right one."""
        digest, size = hashlib.sha256(), 0
        most = self.size or MAX_DOWNLOAD_BYTES
        unpacked = path.with_name(f".{path.name}.unpacked")
        try:
            with self._reading(part) as source, unpacked.open("wb") as out:
                while chunk := source.read(_CHUNK):
                    size += len(chunk)
                    if size > most:
                        raise _wrong(
                            self.place, f"is larger than the {most:,} bytes it should have"
                        )
                    digest.update(chunk)
                    out.write(chunk)
            if self.size is not None and size != self.size:
                raise _wrong(self.place, f"has {size:,} bytes, and should have {self.size:,}")
            if self.sha256 is not None and digest.hexdigest() != self.sha256:
                problem = f"has the SHA-256 {digest.hexdigest()}, and should have {self.sha256}"
                raise _wrong(self.place, problem, "other-hash")
            unpacked.replace(path)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise _wrong(self.place, f"is damaged or cut off ({error})") from None
        finally:
            part.unlink(missing_ok=True)
            unpacked.unlink(missing_ok=True)
        return digest.hexdigest()

    def _reading(self, part: Path) -> BinaryIO:
        is_gzip = urlsplit(self.place).path.endswith(".gz")
        return cast(BinaryIO, gzip.open(part, "rb")) if is_gzip else part.open("rb")


def read_small(place: str, most: int) -> bytes:
    """The content of a URL or a file, of at most so many bytes.

    Raises:
        InputError: it cannot be reached or read, or is larger.
    """
    content = bytearray()
    with _opened(place, 0) as (chunks, _):
        for chunk in chunks:
            content += chunk
            if len(content) > most:
                raise _wrong(place, f"has more than {most >> 20} MiB")
    return bytes(content)


def _wrong(place: str, problem: str, kind: ErrorKind = "") -> InputError:
    cure = "Try again, or use another registry"
    return InputError(problem, path=place, cure=cure, kind=kind)


@contextmanager
def _opened(place: str, offset: int) -> Iterator[tuple[Iterator[bytes], bool]]:
    """Open a URL or a file from an offset. Yields the chunks, and whether they begin there: a
    server may send the whole file."""
    if not place.startswith(("http://", "https://")):
        with open_stored(place) as file, reporting_open_errors(place):
            file.seek(offset)
            yield iter(lambda: file.read(_CHUNK), b""), True
        return
    import httpx2

    host = urlsplit(place).netloc
    headers = {"Accept-Encoding": "identity"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
    try:
        with (
            httpx2.Client(timeout=_TIMEOUT, follow_redirects=True) as client,
            client.stream("GET", place, headers=headers) as response,
        ):
            if response.status_code == 416:
                # All of it is there already.
                yield iter(()), True
                return
            _check_status(response, place)
            yield response.iter_raw(), response.status_code == 206
    except (httpx2.TransportError, httpx2.InvalidURL, httpx2.TooManyRedirects) as error:
        reason = printable(" ".join(str(error).split())) or type(error).__name__
        raise UnavailableError(
            f"{host} cannot be reached ({reason})",
            cure="Check the network, and run the same command again, which goes on from here; "
            "without network, name a mirror or a copy as `registry`",
            parameters=("registry",),
        ) from None


def _check_status(response: Response, place: str) -> None:
    """Require an answer with content."""
    if response.status_code in (200, 206):
        return
    with suppress(Exception):
        response.read()
    raise InputError(
        f"cannot be had: HTTP status {response.status_code}",
        path=place,
        cure="Try again later, or use another registry",
    )
