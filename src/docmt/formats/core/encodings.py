"""Text files in UTF-8 or, with a byte order mark, UTF-16, as Excel and Apple's tools write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from docmt.ground.errors import InputError
from docmt.storage.files import PathLike, is_stream, open_binary, read_blocks, read_lines

MAX_CHARACTERS = 10_000_000
"""The most characters of a file with blocks."""

_BYTE_ORDERS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def read_text(path: PathLike) -> str:
    """A whole file in UTF-8, with line ends and byte order mark.

    Raises:
        InputError: the file is too large, or as `read_lines`.
    """
    lines = []
    size = 0
    for line in read_lines(path, MAX_CHARACTERS, keep_ends=True):
        size += len(line)
        if size > MAX_CHARACTERS:
            raise _too_large(path)
        lines.append(line)
    return "".join(lines)


def read_encoded_text(path: PathLike) -> tuple[str, Callable[[str], bytes]]:
    """A whole file with line ends and byte order mark, and a function to encode another text in the
    encoding of the file.

    Args:
        path: the file, or `-` for standard input, which is in UTF-8.

    Raises:
        InputError: the file is too large or not valid in the encoding, or as `read_lines`.
    """
    encoding = _utf_16(path)
    if encoding is None:
        return read_text(path), partial(str.encode, encoding="utf-8")
    data = bytearray()
    for block in read_blocks(path):
        data += block
        if len(data) > 2 * MAX_CHARACTERS:
            raise _too_large(path)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace")
        raise InputError(
            f"invalid UTF-16 ({error.reason})",
            path=path,
            line=before.count("\n") + 1,
            cure="Save the file as UTF-8",
        ) from None
    if "\0" in text:
        raise InputError(
            "holds a NUL character",
            path=path,
            line=text.count("\n", 0, text.index("\0")) + 1,
            cure="Remove it",
        )
    return text, partial(str.encode, encoding=encoding)


def _too_large(path: PathLike) -> InputError:
    return InputError(
        f"has more than {MAX_CHARACTERS:,} characters",
        path=path,
        cure="Divide it into several files",
    )


def _utf_16(path: PathLike) -> str | None:
    """The UTF-16 encoding named by the byte order mark of a file, or None."""
    if str(path) == "-" or is_stream(path):
        return None
    try:
        with open_binary(path) as stream:
            return _BYTE_ORDERS.get(stream.read(2))
    except (OSError, EOFError, ValueError):
        return None  # Whoever reads the file reports it.
