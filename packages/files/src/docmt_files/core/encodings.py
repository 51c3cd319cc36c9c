"""Text files and their encodings: UTF-8, UTF-16 with a byte order mark, and declared encodings.

A file is written in the encoding in which it was read. Labels of encodings come from files, so they
are looked up in a list of encodings of text in which ASCII is one byte per character: other codecs
of Python are slow on hostile input, or not encodings of text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import partial

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, read_bytes, read_lines

MAX_CHARACTERS = 10_000_000
"""The most characters of a file with blocks."""

Encode = Callable[[str], bytes]
"""Encoder of a text in the encoding of a file."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PARTS_OF_ISO_8859 = (*range(1, 12), *range(13, 17))
_CODE_PAGES = (437, 850, 852, 855, 857, 858, 860, 861, 862, 863, 865, 866, 869, 874)
_SINGLE_BYTE = frozenset(
    (
        *(f"iso8859-{part}" for part in _PARTS_OF_ISO_8859),
        *(f"cp{page}" for page in (*_CODE_PAGES, *range(1250, 1259))),
        *("ascii", "koi8-r", "koi8-u", "kz1048", "mac-cyrillic", "mac-greek", "mac-latin2"),
        *("mac-roman", "mac-turkish", "ptcp154", "tis-620"),
    )
)
_MULTI_BYTE = frozenset(
    (
        *("big5", "big5hkscs", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb18030"),
        *("gb2312", "gbk", "shift_jis"),
    )
)
_LABEL = re.compile(r"[\w.:+-]{1,40}", re.ASCII)
_OTHER_LABELS = {
    "dos-874": "cp874",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-8-i": "iso8859-8",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gbk",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-roman": "mac-roman",
    "x-sjis": "cp932",
}
"""Codecs by labels unknown to Python."""

_CURE = "Save the file as UTF-8, for example with iconv, and declare that if it declares another"


def text_codec(label: str) -> str | None:
    """Python's name of an encoding with one byte for each character of ASCII, or None for any
    other encoding and for unknown labels.

    >>> text_codec("Windows-1252"), text_codec("utf-7"), text_codec("punycode")
    ('cp1252', None, None)
    """
    label = label.strip().lower()
    if not _LABEL.fullmatch(label):
        return None
    label = _OTHER_LABELS.get(label, label)
    if label.startswith("x-cp125"):
        label = label.removeprefix("x-")
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return None
    return name if name == "utf-8" or name in _SINGLE_BYTE | _MULTI_BYTE else None


def marked_codec(data: bytes) -> str | None:
    """The encoding named by the byte order mark of a file, or None."""
    return next((codec for mark, codec in _MARKS if data.startswith(mark)), None)


def is_really_utf_8(data: bytes, codec: str) -> bool:
    """Return whether a file is in UTF-8 although it declares an encoding with one byte per
    character: text in such an encoding is no valid UTF-8, unless it is in ASCII."""
    if codec not in _SINGLE_BYTE or data.isascii():
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def decode(data: bytes, codec: str, path: PathLike | None) -> str:
    """The text of a file, with line ends and byte order mark.

    Raises:
        InputError: the file is not valid in the encoding, holds a NUL character or would not be the
            same when encoded again.
    """
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(codec, "replace").removeprefix("\ufeff")
        raise InputError(
            f"invalid {codec.upper()} (byte 0x{data[error.start]:02x} at column "
            f"{len(before) - before.rfind(chr(10))})",
            path=path,
            line=before.count("\n") + 1,
            cure=_CURE,
        ) from None
    if (position := text.find("\0")) >= 0:
        raise InputError(
            "holds a NUL character",
            path=path,
            line=text.count("\n", 0, position) + 1,
            cure="Remove it, or save the file as UTF-8 if it is in another encoding",
        )
    if text.encode(codec) != data:
        raise InputError(
            f"has characters in forms that {codec.upper()} has for compatibility alone, and would "
            "be written in other forms",
            path=path,
            cure=_CURE,
        )
    return text


def is_encodable(text: str, codec: str) -> bool:
    """Return whether an encoding has all characters of a text."""
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def not_read(label: str, path: PathLike | None) -> InputError:
    """The error about a file in an encoding that is not read."""
    return InputError(f"is in the encoding {label}, which is not read", path=path, cure=_CURE)


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


def read_data(path: PathLike) -> bytes:
    """A whole file that may be in any encoding.

    Raises:
        InputError: the file is too large, or as `read_bytes`.
    """
    data = read_bytes(path, 4 * MAX_CHARACTERS)
    if len(data) > 4 * MAX_CHARACTERS:
        raise _too_large(path)
    return data


def read_encoded_text(path: PathLike) -> tuple[str, Encode]:
    """A whole file in UTF-8 or, with its byte order mark, UTF-16, with line ends and mark; and an
    encoder of another text in the encoding of the file.

    Args:
        path: the file, or `-` for standard input.

    Raises:
        InputError: the file is too large or not valid in the encoding, or as `read_bytes`.
    """
    data = read_data(path)
    codec = marked_codec(data) or "utf-8"
    return decode(data, codec, path), partial(str.encode, encoding=codec)


def _too_large(path: PathLike) -> InputError:
    return InputError(
        f"has more than {MAX_CHARACTERS:,} characters",
        path=path,
        cure="Divide it into several files",
    )
