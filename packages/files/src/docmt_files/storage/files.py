"""Reading and writing files without losing anything: lines are decoded strictly and have a length
limit, compressed files are streamed, and output appears whole or not at all.
"""

from __future__ import annotations

import errno
import gzip
import lzma
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from operator import methodcaller
from pathlib import Path
from typing import IO, cast

from docmt_files.base.errors import InputError
from docmt_files.base.system_calls import write_to_disk
from docmt_files.storage.temporary_files import (
    create_hidden_directory,
    create_hidden_file,
    hidden_path,
)
from docmt_files.storage.text_bound import TextBound

MAX_LINE_BYTES = 1_000_000
"""The most bytes on a line; a longer one is not a sentence but a file without line breaks."""

MAX_FILE_BYTES = 1 << 28
"""Maximum size of a file read as a whole, 256 MiB."""

COPY_AGAIN = "Copy it again from where it came from"
"""The cure for a damaged file."""

COPY_RUN_AGAIN = "Copy the run directory again"
"""The cure for a damaged file of a run."""

PathLike = str | os.PathLike[str]
"""Name of a file; where a docstring says so, `-` is standard input or output."""


def resolved(path: PathLike) -> Path:
    """An absolute path without links; a circular link stays."""
    return Path(os.path.realpath(path))


def check_not_an_input(output: PathLike | None, inputs: Iterable[PathLike | None]) -> None:
    """Refuse to write to an input file.

    Args:
        output: a file to write, if it is one.
        inputs: input files; None and `-` stand for no file.

    Raises:
        InputError: it is one of them.
    """
    if output is None or str(output) == "-":
        return
    read = {resolved(path) for path in inputs if path is not None and str(path) != "-"}
    if resolved(output) in read:
        raise InputError(
            "is an input and would be overwritten",
            path=output,
            cure="Choose another `output`",
            parameters=("output",),
        )


def open_binary(path: PathLike) -> IO[bytes]:
    """Open a file for reading; `.gz` and `.xz` are decompressed as they are read, `-` is
    standard input.

    Raises:
        InputError: the file is missing, a directory, or may not be read.
    """
    if str(path) == "-":
        return sys.stdin.buffer
    with reporting_open_errors(path):
        raw = Path(path).open("rb")  # noqa: SIM115 (the caller closes it)
    suffix = Path(path).suffix
    if suffix == ".gz":
        return cast(IO[bytes], gzip.open(raw))
    if suffix == ".xz":
        return cast(IO[bytes], lzma.open(raw))
    return raw


@contextmanager
def reporting_open_errors(path: PathLike) -> Iterator[None]:
    """Turn the operating system's refusal to open a file into an `InputError` naming the file."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("no such file", path=str(path), cure="Check the path") from None
    except IsADirectoryError:
        raise InputError("is a directory", path=str(path), cure="Name a file in it") from None
    except PermissionError:
        raise InputError("may not be read", path=str(path), cure="Change its permissions") from None
    except UnicodeEncodeError:
        problem = "cannot be the name of a file (half of a surrogate pair)"
        raise InputError(problem, path=str(path), cure="Check the path") from None
    except OSError as error:
        problem = f"cannot be opened ({error.strerror or error})"
        raise InputError(problem, path=str(path), cure="Check what it is") from None


def read_bytes(path: PathLike, most: int = MAX_FILE_BYTES) -> bytes:
    """All content of a file of at most so many bytes, decompressed as by `open_binary`.

    Raises:
        InputError: the file is missing, a directory, too large or may not be read, or a compressed
            file is damaged or holds far more than it can of text.
    """
    content = bytearray()
    for block in read_blocks(path):
        content += block
        if len(content) > most:
            problem = f"holds more than {most >> 20:,} MiB"
            raise InputError(problem, path=path, cure="Divide it into several files")
    return bytes(content)


def read_lines(
    path: PathLike, max_bytes: int = MAX_LINE_BYTES, *, keep_ends: bool = False
) -> Iterator[str]:
    """The lines of a UTF-8 text file without their line ends, one at a time.

    A byte order mark at the start and a carriage return at the end of a line are not text.

    Args:
        path: the file, or `-` for standard input.
        keep_ends: whether to leave the byte order mark and the line ends where they are.

    Raises:
        InputError: a line is not valid UTF-8, holds a NUL byte or is too long, a compressed file is
            damaged or holds far more than it can of text, or there are empty lines without end; the
            error names the line.
    """
    name = str(path)
    lines = _parts_of_text(path, methodcaller("readline", max_bytes + 2), lines=True)
    for number, raw in enumerate(lines, 1):
        text = _decode_line(raw, name, number, max_bytes)
        yield raw.decode("utf-8") if keep_ends else text


def read_blocks(path: PathLike, size: int = 1 << 16) -> Iterator[bytes]:
    """The content of a text file in blocks of the given size, for a parser without lines.

    Raises:
        InputError: the file cannot be read, or a compressed file is damaged or holds far more than
            it can of text.
    """
    yield from _parts_of_text(path, methodcaller("read", size), lines=False)


def _parts_of_text(
    path: PathLike, read: Callable[[IO[bytes]], bytes], *, lines: bool
) -> Iterator[bytes]:
    """The lines or blocks of a text file, as `read` takes them from it; errors number lines."""
    bound = TextBound(path)
    with open_binary(path) as stream:
        for number in count(1):
            line = number if lines else None
            try:
                part = read(stream)
            except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
                raise _damaged(str(path), line, error) from None
            if not part:
                return
            bound.check(part, line)
            yield part


def _damaged(name: str, line: int | None, error: Exception) -> InputError:
    """The error about a file that cannot be read or decompressed."""
    packed = name.endswith((".gz", ".xz"))
    cure = "Copy or compress the file again" if packed else COPY_AGAIN
    problem = f"cannot be {'decompressed' if packed else 'read'} ({error})"
    return InputError(problem, path=name, line=line, cure=cure)


def _decode_line(raw: bytes, name: str, number: int, max_bytes: int) -> str:
    """The bytes of a line as text; `name` and `number` are for the error message."""
    line = raw.removesuffix(b"\n").removesuffix(b"\r")
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    if len(line) > max_bytes:
        raise InputError(
            f"the line is longer than {max_bytes:,} bytes",
            path=name,
            line=number,
            cure="Check the line ends; a line holds one sentence (in JSON lines, one document)",
        )
    if b"\0" in line:
        raise InputError(
            "the line holds a NUL byte",
            path=name,
            line=number,
            cure="Remove it, or save the file as UTF-8 if it is UTF-16",
        )
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"invalid UTF-8 (byte 0x{line[error.start]:02x} at column {error.start + 1})",
            path=name,
            line=number,
            cure="Save the file as UTF-8, for example with iconv",
        ) from None


@contextmanager
def write_whole(path: PathLike) -> Iterator[IO[bytes]]:
    """Write a file that appears under the final name only when it is complete.

    The bytes go to a hidden file next to it, which is synced and renamed at the end, and removed on
    an error. `.gz` and `.xz` are compressed (reproducibly, without a time stamp); `-` is standard
    output. A link stays a link, and the file behind it is written. A pipe or a device cannot be
    replaced, and is written directly."""
    with write_together([path]) as (stream,):
        yield stream


@contextmanager
def write_together(paths: Sequence[PathLike]) -> Iterator[list[IO[bytes]]]:
    """Write several files as `write_whole` does; none appears before all are complete."""
    targets = [None if is_stream(path) else _behind_link(path) for path in paths]
    parts: dict[Path, Path] = {}
    try:
        with ExitStack() as stack:
            yield [
                stack.enter_context(
                    _open_stream(path) if target is None else _open_part(target, parts)
                )
                for path, target in zip(paths, targets, strict=True)
            ]
        for target, part in parts.items():
            with reporting_write_errors(target):
                part.replace(target)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def is_stream(path: PathLike) -> bool:
    """Return whether a path is standard output, a pipe or a device, which a file cannot replace."""
    return str(path) == "-" or is_special(path)


def is_special(path: PathLike) -> bool:
    """Return whether a path is a pipe, a device or a socket, which may have no end."""
    path = Path(path)
    return path.exists() and not path.is_file() and not path.is_dir()


def _behind_link(path: PathLike) -> Path:
    """The file behind a link; any other path unchanged."""
    path = Path(path)
    return resolved(path) if path.is_symlink() else path


@contextmanager
def _open_stream(path: PathLike) -> Iterator[IO[bytes]]:
    """Open standard output, a pipe or a device."""
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with reporting_write_errors(Path(path)), Path(path).open("wb") as stream:
        yield stream


@contextmanager
def _open_part(path: Path, parts: dict[Path, Path]) -> Iterator[IO[bytes]]:
    """Create and open the hidden file for `path`, and enter it into `parts`; it is synced to the
    disk at the end."""
    with reporting_write_errors(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        path.parent.mkdir(parents=True, exist_ok=True)
        parts[path], raw = create_hidden_file(path)
        with raw:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                    yield cast(IO[bytes], packed)
            elif path.suffix == ".xz":
                with lzma.open(raw, "wb") as packed_xz:
                    yield cast(IO[bytes], packed_xz)
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())


def write_text(path: PathLike, text: str) -> None:
    """Write a UTF-8 file whole or not at all."""
    with write_whole(path) as out:
        out.write(text.encode("utf-8"))


@contextmanager
def whole_path(path: PathLike) -> Iterator[Path]:
    """Write a file with a library that needs a path. Yields the hidden path to write to, which
    becomes `path` at the end and is removed on an error."""
    path = Path(path)
    part: Path | None = None
    try:
        with reporting_write_errors(path):
            part, raw = create_hidden_file(path)
            raw.close()
            yield part
            write_to_disk(part)
            part.replace(path)
            write_to_disk(path.parent)
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


@contextmanager
def whole_directory(path: PathLike, *, replace: bool = True) -> Iterator[Path]:
    """Fill a directory that appears under the final name only when it is complete.

    Yields the directory to fill. An existing directory of the same name is replaced at the end, by
    two renames; on an error nothing is left behind and the existing directory stays. A link stays a
    link, and the directory behind it is replaced.

    Args:
        replace: whether to replace a directory with contents; an empty one is always replaced.

    Raises:
        InputError: it cannot be written.
    """
    path = resolved(path)
    part: Path | None = None
    try:
        with reporting_write_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            part = create_hidden_directory(path)
            yield part
            for file in part.rglob("*"):
                write_to_disk(file)
            write_to_disk(part)
            _put_in_place(part, path, replace=replace)
            write_to_disk(path.parent)
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)


def _put_in_place(part: Path, path: Path, *, replace: bool) -> None:
    """Give a directory the final name. A process killed in between leaves either the replaced
    directory whole, as `.NAME.….old`, or the new directory under the final name."""
    if not replace or not path.is_dir():
        part.rename(path)  # over an empty directory too, but over nothing else
        return
    old = hidden_path(path, "old")
    path.rename(old)
    part.rename(path)
    # From here on it is incomplete, and must not be taken for the directory.
    old.rename(part)
    shutil.rmtree(part)


@contextmanager
def reporting_write_errors(path: Path) -> Iterator[None]:
    """Turn the operating system's refusal to write (no space, no permission) into an `InputError`
    naming the file."""
    try:
        yield
    except OSError as error:
        if error.errno is None or isinstance(error, BrokenPipeError):
            raise
        cure = "Free space or choose another location; nothing was changed there"
        if isinstance(error, FileExistsError | NotADirectoryError):
            cure = "There is a file where a folder is needed; choose another location"
        raise InputError(f"cannot be written ({error.strerror})", path=path, cure=cure) from error
