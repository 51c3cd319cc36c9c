"""The encodings of HTML files, found as the HTML standard says: by a byte order mark, the XML
declaration of XHTML, or `<meta>`; and kept in the output."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from html import unescape
from typing import NamedTuple

from docmt_files.core.encodings import (
    Encode,
    decode,
    is_really_utf_8,
    marked_codec,
    not_read,
    read_data,
    text_codec,
)
from docmt_files.core.xml_encodings import XML_HEAD, declared_encoding, with_references
from docmt_files.markup.html_tokens import Attribute, HtmlToken, attributes, html_tokens
from docmt_files.storage.files import PathLike

_HEAD = 1 << 16
"""The bytes of a file searched for a declaration; the standard has 1,024, browsers read on."""

_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_LABEL = re.compile(r"[\w.:+-]+", re.ASCII)
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gbk",
    "big5": "big5hkscs",
}
"""Encodings by those that pages name in their place."""


class DeclaredCharset(NamedTuple):
    """The encoding declared by a `<meta>`: the label, and the range of it in the text."""

    label: str
    start: int
    end: int


class HtmlFile(NamedTuple):
    """A page.

    Attributes:
        text: the text of the page.
        encode: encodes a text in the encoding of the page.
        keeps_charset: whether the declaration of the encoding is right.
    """

    text: str
    encode: Encode
    keeps_charset: bool


def read_html_file(path: PathLike) -> HtmlFile:
    """A page in its encoding.

    Raises:
        InputError: the encoding is not known, or the page is not valid in it.
    """
    data = read_data(path)
    codec = marked_codec(data)
    if codec is not None and codec != "utf-8":
        return HtmlFile(decode(data, codec, path), partial(str.encode, encoding=codec), True)
    label = None if codec else _declared_label(data)
    codec = codec or (_codec(label) if label else "utf-8")
    if codec is None or is_really_utf_8(data, codec):
        if not _is_utf_8_beyond_ascii(data):
            raise not_read(str(label), path)
        codec = "utf-8"
    is_utf_8 = codec == "utf-8"
    return HtmlFile(decode(data, codec, path), partial(with_references, codec=codec), not is_utf_8)


def declared_charset(
    text: str, token: HtmlToken, attributes_of_tag: Mapping[str, Attribute]
) -> DeclaredCharset | None:
    """The encoding declared by a start tag, or None."""
    if token.name != "meta":
        return None
    attribute = attributes_of_tag.get("charset")
    if attribute is not None:
        start, end = attribute.start, attribute.end
        label = text[start:end].strip()
        return DeclaredCharset(label, start, end) if _LABEL.fullmatch(label) else None
    kind, content = attributes_of_tag.get("http-equiv"), attributes_of_tag.get("content")
    if kind is None or content is None:
        return None
    match = _CHARSET.search(text, content.start, content.end)
    if match is None or unescape(text[kind.start : kind.end]).strip().lower() != "content-type":
        return None
    return DeclaredCharset(match[1], *match.span(1))


def _declared_label(data: bytes) -> str | None:
    """The label of the encoding declared by a page, or None."""
    text = data[:_HEAD].decode("latin-1")
    if (label := declared_encoding(text[:XML_HEAD])) is not None:
        return label
    for token in html_tokens(text):
        if token.kind == "start" and token.name == "body":
            break
        if token.kind == "start" and token.name == "meta":
            declared = declared_charset(text, token, attributes(text, token))
            if declared is not None:
                return declared.label
    return None


def _codec(label: str) -> str | None:
    """The codec of a label, as browsers read it; None if it is not known."""
    if label.lower().startswith(("utf-16", "utf16", "ucs-2", "unicode")):
        return "utf-8"  # The declaration would not have been found.
    codec = text_codec(label)
    return None if codec is None else _MEANT.get(codec, codec)


def _is_utf_8_beyond_ascii(data: bytes) -> bool:
    return is_really_utf_8(data, "ascii")
