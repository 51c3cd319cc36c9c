r"""INI files of strings: `KEY="value"` of Joomla and `key = value` of others, in sections.

Values are translated; keys, sections, comments and all else stay. In quotation marks, a quotation
mark is `\"` or, in Joomla, `"_QQ_"`. Without them a value ends before a semicolon with a space
before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import read_encoded_text
from docmt_files.core.inline import has_word
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import read_literal
from docmt_files.storage.files import PathLike
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings

_LINE = re.compile(
    r"[^\S\r\n]*+(?:[;#][^\r\n]*+|\[(?P<section>[^\]\r\n]*+)\][^\r\n]*+"
    r"|(?P<key>[^=\r\n]*+)=[^\S\r\n]*+(?:"
    r"\"(?P<double>(?:[^\"\\\r\n]++|\\\"|\\(?!\")|\"_QQ_\")*+)\"(?=[^\S\r\n]*+(?:[;#][^\r\n]*+)?(?:[\r\n]|\Z))"
    r"|'(?P<single>[^'\r\n]*+)'(?=[^\S\r\n]*+(?:[;#][^\r\n]*+)?(?:[\r\n]|\Z))"
    r"|(?P<bare>(?:(?![^\S\r\n];)[^\r\n])*+))[^\r\n]*+|(?P<other>[^\r\n]*+))(?:\r\n|\r|\n|\Z)"
)
_QUOTES = re.compile(r'\\"|"_QQ_"')
_NOTHING = re.compile(r"(?!)")
_SETTING = re.compile(r"(?i:true|false|yes|no|on|off|none|null|default|auto)")
_ENDS = re.compile(r"\\+(?=\"|\Z)")
"""Backslashes that would escape the quotation mark after them."""


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001 (a file does not name its language)
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_encoded_text(path)
    others = sum(has_word(match["other"] or "") for match in _lines(text))
    notes = [f"{counted(others, 'line')} without a key not translated"] if others else []
    quote = '"_QQ_"' if '"_QQ_"' in text else '\\"'
    find = partial(_strings, in_double=partial(_in_double, quote=quote))
    return read_strings(path, text, find, language, notes=notes, encode=encode)


def _lines(text: str) -> Iterator[re.Match[str]]:
    """The lines of a file, without its byte order mark."""
    return _LINE.finditer(text, int(text.startswith("\ufeff")))


def _strings(text: str, *, in_double: Callable[[str], str]) -> list[FileString]:
    """The values of a file, in order."""
    strings = []
    section: Scope | None = None
    for match in _lines(text):
        if match["section"] is not None:
            section = Scope("key", match["section"].strip())
        if match["key"] is None:
            continue
        scope = Scope("key", match["key"].strip(), section)
        if match["double"] is not None:
            literal = read_literal(text, *match.span("double"), _QUOTES, lambda _: '"')
            strings.append(FileString(*literal, in_double, scope=scope))
        elif match["single"] is not None:
            literal = read_literal(text, *match.span("single"), _NOTHING, str)
            strings.append(FileString(*literal, _in_single, scope=scope))
        else:
            start, end = match.span("bare")
            end -= len(match["bare"]) - len(match["bare"].rstrip())
            literal = read_literal(text, start, end, _NOTHING, str)
            kept = False if _SETTING.fullmatch(literal.value) else None
            strings.append(FileString(*literal, _bare, kept, scope=scope))
    return strings


def _in_double(text: str, *, quote: str) -> str:
    return _ENDS.sub("\ufffd", text).replace('"', quote)


def _in_single(text: str) -> str:
    return text.replace("'", "\u2019")


def _bare(text: str) -> str:
    """A text without quotation marks around it, and without the beginning of a comment."""
    text = re.sub(r"\s+;", ";", text)
    text = re.sub(r"\A;", ",", text)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        opening, closing = "“”" if text[0] == '"' else "‘’"
        return f"{opening}{text[1:-1]}{closing}"
    return text
