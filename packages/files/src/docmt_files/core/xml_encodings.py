"""The encodings of XML files: found as the XML specification says (appendix F), by the first bytes
and the declaration, and kept in the output."""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby

from docmt_files.base.errors import InputError
from docmt_files.core.encodings import (
    decode,
    is_encodable,
    is_really_utf_8,
    marked_codec,
    not_read,
    text_codec,
)
from docmt_files.storage.files import PathLike

XML_HEAD = 1024
"""The first bytes of a file, in which the encoding is declared."""

_DECLARED = re.compile(r"\ufeff?<\?xml[^>]*?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*[\"']([\w.:+-]+)")
_UTF_16 = frozenset(("utf-16", "utf16", "ucs-2", "iso-10646-ucs-2"))
_WHOLE = re.compile(r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|(<!\[CDATA\[.*?(?:\]\]>|\Z))", re.DOTALL)
_UTF_32 = (b"\0\0\xfe\xff", b"\xff\xfe\0\0", b"\0\0\0<", b"<\0\0\0")
_EBCDIC = b"\x4c\x6f\xa7\x94"


def declared_encoding(text: str) -> str | None:
    """The label of the encoding in the XML declaration of a text, or None."""
    match = _DECLARED.match(text)
    return match[1] if match else None


def decode_xml(data: bytes, path: PathLike | None = None) -> str:
    """The text of a file, with its byte order mark.

    Args:
        data: the file.
        path: names the file in errors.

    Raises:
        InputError: the encoding is not known, or the file is not valid in it.
    """
    codec = _codec(data, path)
    if is_really_utf_8(data, codec):
        label = declared_encoding(data[:XML_HEAD].decode("latin-1"))
        raise _contradiction("UTF-8", label, path)
    return decode(data, codec, path)


def encode_xml(text: str, like: bytes) -> bytes:
    """A text in the encoding of a file read by `decode_xml`. References stand for characters that
    the encoding does not have.

    Args:
        text: the text.
        like: the file, or the first `XML_HEAD` bytes of it.
    """
    return with_references(text, _codec(like, None))


def with_references(text: str, codec: str) -> bytes:
    """A text in XML in an encoding, with references for characters that the encoding does not have;
    a section of characters (CDATA) is interrupted for a reference."""
    if is_encodable(text, codec):
        return text.encode(codec)
    pieces = []
    position = 0
    for match in _WHOLE.finditer(text):
        if match[1] is not None:
            pieces.append(text[position : match.start()])
            for has, characters in groupby(match[1], partial(is_encodable, codec=codec)):
                run = "".join(characters)
                references = "".join(f"&#{ord(character)};" for character in run)
                pieces.append(run if has else f"]]>{references}<![CDATA[")
            position = match.end()
    return "".join([*pieces, text[position:]]).encode(codec, "xmlcharrefreplace")


def _codec(data: bytes, path: PathLike | None) -> str:
    """The codec of a file, by its beginning."""
    if data.startswith(_UTF_32):
        raise not_read("UTF-32", path)
    if data.startswith(_EBCDIC):
        raise not_read("EBCDIC", path)
    codec = marked_codec(data)
    if codec is None and data[1:2] == b"\0":
        codec = "utf-16-le"
    elif codec is None and data[:1] == b"\0":
        codec = "utf-16-be"
    label = declared_encoding(data[:XML_HEAD].decode(codec or "latin-1", "ignore"))
    if label is None:
        return codec or "utf-8"
    declared = text_codec(label)
    if codec is None:
        if declared is not None:
            return declared
        if _is_utf_16(label):
            raise _contradiction("UTF-8", label, path)
        raise not_read(label, path)
    if declared == codec or (codec.startswith("utf-16") and _is_utf_16(label)):
        return codec
    raise _contradiction(codec.upper(), label, path)


def _is_utf_16(label: str) -> bool:
    name = label.lower().replace("_", "-")
    return name.removesuffix("le").removesuffix("be").removesuffix("-") in _UTF_16


def _contradiction(actual: str, label: str | None, path: PathLike | None) -> InputError:
    return InputError(
        f"is read as {actual} but declares the encoding {label}",
        path=path,
        cure="Save the file as UTF-8, and let its first line declare that",
    )
