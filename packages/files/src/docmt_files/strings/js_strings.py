r"""JavaScript and TypeScript modules of strings, as of vue-i18n; and JSON5.

    export default { key: 'text' };    module.exports = { key: "text" };    const en = { key: `…` };

Values of object literals are translated, with strings in quotation marks of any kind; `${…}` in
templates is code. Values that are functions or other code stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import read_encoded_text
from docmt_files.core.string_literals import (
    CONTROLS,
    UTF_16_ESCAPE,
    Literal,
    escape_as_utf_16,
    escape_controls,
    read_literal,
    utf_16_meaning,
)
from docmt_files.format_registry import plain_suffix
from docmt_files.storage.files import PathLike
from docmt_files.strings.code_values import (
    CODE,
    Frame,
    FrameKind,
    Syntax,
    Token,
    TokenKind,
    Value,
    file_strings,
    find_values,
    left_note,
    make_token,
    unclosed,
)
from docmt_files.strings.message_branches import for_target
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings

_TOKEN = re.compile(
    r"(?P<space>\s++|\ufeff|//[^\r\n]*+|/\*(?s:.*?)\*/|\A#![^\r\n]*+)"
    r"|(?P<string>'(?:[^'\\\r\n]++|\\(?:\r\n|(?s:.)))*+'|\"(?:[^\"\\\r\n]++|\\(?:\r\n|(?s:.)))*+\")"
    r"|(?P<word>#?[A-Za-z_$\x80-\U0010ffff][\w$]*+(?:\??\.[A-Za-z_$][\w$]*+)*+)"
    r"|(?P<number>\.?\d[\w.]*+)|(?P<bad>['\"]|/\*)"
    r"|(?P<sign>=>|===?|!==?|[-+*/%&|^<>]=|\+\+|--|&&|\|\||\?\?|\.\.\.|(?s:.))"
)
_PATTERN = re.compile(r"/(?:[^/\\\[\r\n]++|\\.|\[(?:[^\]\\\r\n]++|\\.)*+\])++/\w*+")
"""A regular expression."""
_BEFORE_PATTERN = frozenset("(,=:[!&|?{};+") | {"=>", "&&", "||", "return", ""}
_IN_TEMPLATE = re.compile(r"[^\\`$]++|\\(?s:.)|(?P<code>\$\{)|\$|(?P<end>`)")
_IN_CODE = re.compile(
    r"[^'\"`{}/]++|'(?:[^'\\\r\n]++|\\(?s:.))*+'|\"(?:[^\"\\\r\n]++|\\(?s:.))*+\"|/\*(?s:.*?)\*/|//[^\r\n]*+|[/'\"]"
    r"|(?P<template>`)|(?P<open>\{)|(?P<close>\})"
)
_MAX_TEMPLATES = 20
"""The most templates in each other."""
_ESCAPE = re.compile(
    rf"\\(?:{UTF_16_ESCAPE}|u\{{[0-9a-fA-F]{{1,6}}\}}|x[0-9a-fA-F]{{2}}|\r\n|(?s:.))"
)
_HEADS = frozenset(("export", "const", "let", "var"))
_NO_DATA = frozenset(("type", "interface", "enum", "function", "class", "declare", "abstract"))
_BEGINNINGS = _HEADS | _NO_DATA | {"import", "async", "if", "for", "return"}


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_encoded_text(path)
    notes = list(left_note(_values(text, path)[1]))
    find = partial(_strings, path=path, only_ascii=_has_escapes(text))
    text = for_target(text, find(text), language, target_language, path)
    return read_strings(
        path,
        text,
        find,
        language,
        notes=notes,
        encode=encode,
        message_language=target_language or language,
    )


def _has_escapes(text: str) -> bool:
    """Return whether a file writes characters beyond ASCII as escapes only."""
    return (
        text.removeprefix("\ufeff").isascii() and re.search(r"\\u[0-9a-fA-F]{4}", text) is not None
    )


def _values(text: str, path: PathLike) -> tuple[list[Value], Sequence[Token]]:
    opens = partial(_opens, is_data=plain_suffix(path) == ".json5")
    syntax = Syntax("+", ":", opens, _name, begins=_begins)
    return find_values(list(_tokens(text, path)), syntax, path, text)


def _tokens(text: str, path: PathLike) -> Iterator[Token]:
    """The tokens of a file."""
    position = end = 0
    last = ""
    while position < len(text):
        kind, position, start = _next(text, position, last, path)
        if kind is not None:
            made = make_token(kind, text, (start, position), end)
            yield made
            last, end = made.text, made.end


def _next(text: str, start: int, last: str, path: PathLike) -> tuple[TokenKind | None, int, int]:
    """The kind of the token at an offset, None for space, its end and its start."""
    if text[start] == "`":
        return "string", _template_end(text, start, path), start
    if text[start] == "/" and last in _BEFORE_PATTERN:
        pattern = _PATTERN.match(text, start)
        if pattern is not None:
            return "number", pattern.end(), start
    match = _TOKEN.match(text, start)
    assert match is not None, "any character is a sign"
    if match["bad"] is not None:
        raise unclosed(text, start, path)
    kinds: tuple[TokenKind, ...] = ("string", "word", "number", "sign")
    return next((kind for kind in kinds if match[kind] is not None), None), match.end(), start


def _template_end(text: str, start: int, path: PathLike, depth: int = 0) -> int:
    """The offset at which a template ends."""
    position = start + 1
    while (match := _IN_TEMPLATE.match(text, position)) is not None:
        position = match.end()
        if match["end"] is not None:
            return position
        if match["code"] is not None:
            position = _code_end(text, position, path, depth)
    raise unclosed(text, start, path)


def _code_end(text: str, start: int, path: PathLike, depth: int) -> int:
    """The offset at which the code in a template ends, after the closing brace."""
    position, braces = start, 1
    while braces and (match := _IN_CODE.match(text, position)) is not None:
        position = match.end()
        if match["template"] is not None:
            if depth == _MAX_TEMPLATES:
                break
            position = _template_end(text, match.start(), path, depth + 1)
        braces += (match["open"] is not None) - (match["close"] is not None)
    if braces:
        raise unclosed(text, start - 2, path)
    return position


def _begins(item: Token) -> bool:
    """Return whether a token begins a statement, as a line end may end the one before."""
    first = item.text.partition(".")[0]
    return item.begins_line and (first in _BEGINNINGS or first in ("module", "exports"))


def _opens(frame: Frame, bracket: str, *, is_data: bool) -> FrameKind:
    """Return what is in brackets that open in a frame; `is_data` for JSON5."""
    last = frame.current[-1] if frame.current else None
    before = last.text if last is not None else ""
    if frame.kind in ("data", "object"):
        is_value = not frame.current and (frame.has_key or frame.kind == "data")
        return _LITERALS.get(bracket, "code") if is_value else "code"
    if frame.kind == "base" and not frame.current:
        return _LITERALS.get(bracket, "code") if is_data else "code"
    if frame.kind == "base" and not _holds_data(frame):
        return "code"
    if frame.kind == "block":
        literal = call = before == "return"
    else:
        literal = before in ("=", "default") or (frame.kind == "call" and before in ("", ","))
        call = before in ("=", "default", "=>") or (
            frame.kind == "base" and last is not None and last.kind == "word"
        )
    if bracket == "(":
        return "call" if call else "code"
    if bracket == "{" and before == "=>" and frame.kind in ("call", "base"):
        return "block"
    return _LITERALS[bracket] if literal else "code"


_LITERALS: dict[str, FrameKind] = {"{": "object", "[": "data"}


def _holds_data(frame: Frame) -> bool:
    """Return whether a statement of a file gives data away, or to a variable."""
    first, *others = (item.text for item in frame.current[:3])
    if first in _HEADS:
        return _NO_DATA.isdisjoint(others)
    return first == "module.exports" or first.startswith("exports.")


def _name(key: Token) -> str:
    return key.text.strip("'\"`") if key.kind == "string" else key.text


def _strings(text: str, *, path: PathLike, only_ascii: bool) -> list[FileString]:
    """The values of a file, in order."""
    escapes = {quote: partial(_escape, quote=quote, only_ascii=only_ascii) for quote in "'\"`"}
    return [
        string
        for value in _values(text, path)[0]
        for string in file_strings(text, value, lambda written: written[0], _read, escapes)
    ]


def _read(text: str, string: Token) -> Literal:
    start, end = string.start + 1, string.end - 1
    if text[start - 1] != "`":
        return read_literal(text, start, end, _ESCAPE, _meaning)
    values: list[str] = []
    offsets: list[int] = []
    position = plain = start
    while position < end:
        match = _IN_TEMPLATE.match(text, position, end)
        assert match is not None, "a template has an end"
        position = match.end()
        if match["code"] is None and position < end:
            continue
        part = read_literal(text, plain, match.start() if match["code"] else end, _ESCAPE, _meaning)
        values.append(part.value)
        offsets += part.offsets[:-1]
        if match["code"] is not None:
            values.append(CODE)
            offsets.append(match.start())
            position = plain = _code_end(text, position, "", 0)
    return Literal("".join(values), [*offsets, end])


def _meaning(escape: str) -> str:
    """Return the character of an escape, nothing for a continued line, or `CODE`."""
    kind = escape[1]
    if kind in "ux" and len(escape) > 2:
        if escape[2] != "{" and kind == "u":
            return utf_16_meaning(escape)
        number = int(escape[2:].strip("{}"), 16)
        return chr(number) if 0 < number <= 0x10FFFF else CODE
    if kind in "\r\n\u2028\u2029":
        return ""
    if kind in "0123456789ux":
        return CODE
    return CONTROLS.get(kind, kind) if kind != "a" else kind


def _escape(text: str, *, quote: str, only_ascii: bool) -> str:
    written = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    if quote == "`":
        written = re.sub(r"\$(?=\{|\Z)", r"\\$", written)
    written = escape_controls(written, "\\x{:02X}")
    return escape_as_utf_16(written, "\\u") if only_ascii else written
