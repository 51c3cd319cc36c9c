r"""PHP files of strings: Laravel, phpBB, CodeIgniter, OpenCart, Moodle and others.

    <?php return ['key' => 'text'];          $lang['key'] = 'text';          define('KEY', 'text');

Strings in single and double quotation marks, heredoc and nowdoc are read; variables in them are
codes. `|` divides the plural forms of Laravel.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import read_encoded_text
from docmt_files.core.inline import Code
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import Literal, escape_controls, read_literal
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
    is_joined,
    left_note,
    make_token,
    unclosed,
)
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import plural_note, read_strings

_OPENING = re.compile(r"<\?(?:php\b|=)?")
_BREAK = r"(?:\r\n|\r|\n)"
_HEREDOC = re.compile(
    rf"<<<[ \t]*(?P<quote>[\"']?)(?P<label>[A-Za-z_]\w*)(?P=quote)(?P<break>{_BREAK})"
    rf"(?:(?P<body>(?s:.*?)){_BREAK})??(?P<indent>[ \t]*)(?P=label)\b"
)
_TOKEN = re.compile(
    r"(?P<space>\s++|(?://|#(?!\[))(?:(?!\?>)[^\r\n])*+|/\*(?s:.*?)\*/)"
    rf"|(?P<heredoc>{_HEREDOC.pattern})"
    r"|(?P<string>'(?:[^'\\]++|\\(?s:.))*+'|\"(?:[^\"\\]++|\\(?s:.))*+\")"
    r"|(?P<word>\$*[A-Za-z_\\\x80-\U0010ffff][\w\\]*+(?:(?:\?->|->|::)\$?\w++)*+)"
    r"|(?P<number>\d[\w.]*+)|(?P<close>\?>)|(?P<bad>['\"`]|/\*|<<<[ \t]*[\"']?[A-Za-z_])"
    r"|(?P<sign>=>|===?|!==?|\.=|\.\.\.|(?s:.))"
)
_MERGERS = ("array_merge", "array_replace", "array_replace_recursive")
_BEFORE_DATA = ("=", "=>", "return", "")
_VARIABLE = r"\{\$[^{}]*\}|\$\{[^{}]*\}|\$[A-Za-z_]\w*(?:\[[^\]\s\"'$]*\]|->[A-Za-z_]\w*)?"
_ESCAPE = r"\\(?:u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[nrtvef\\$])"
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "e": "\x1b", "f": "\f"}
_UNITS = {"'": re.compile(r"\\[\\']"), '"': re.compile(rf'{_ESCAPE}|\\"|{_VARIABLE}')}
_NAMES = re.compile(r"(?<![\w:]):[A-Za-z_]\w*")
"""Placeholders of Laravel."""
_RANGE = r"\s*(?:\{\d+\}|\[(?:\d+|\*)\s*,\s*(?:\d+|\*)\])\s*"
_FORMS = re.compile(rf"\A{_RANGE}|\s*\|(?:{_RANGE}|\s*)")
"""What divides the plural forms of Laravel, with the numbers that a form is for."""


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_encoded_text(path)
    values, left = _values(text, path)
    plurals = sum("|" in token.text for value in values for token in value.strings)
    notes = [*left_note(left), *plural_note(plurals, language, target_language)]
    return read_strings(
        path, text, partial(_strings, path=path), language, notes=notes, encode=encode
    )


def _values(text: str, path: PathLike) -> tuple[list[Value], Sequence[Token]]:
    syntax = Syntax(".", "=>", _opens, _name, _statement)
    return find_values(list(_tokens(text, path)), syntax, path, text)


def _tokens(text: str, path: PathLike) -> Iterator[Token]:
    """The tokens between `<?php` and `?>`, which ends a statement."""
    opening = _OPENING.search(text)
    if opening is None:
        raise InputError(
            "has no PHP", path=path, line=1, cure="Begin the file with <?php, or name it otherwise"
        )
    position, end = opening.end(), 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None, "any character is a sign"
        start, position = match.span()
        if match["bad"] is not None:
            raise unclosed(text, start, path)
        if match["close"] is not None:
            opening = _OPENING.search(text, position)
            position = opening.end() if opening else len(text)
            yield Token("sign", ";", start, match.end(), False)
        elif match["space"] is None:
            yield make_token(_kind(match), text, match.span(), end)
            end = position


def _kind(match: re.Match[str]) -> TokenKind:
    if match["heredoc"] is not None or match["string"] is not None:
        return "string"
    return "word" if match["word"] is not None else "number" if match["number"] else "sign"


def _opens(frame: Frame, bracket: str) -> FrameKind:
    """Return what is in brackets that open in a frame."""
    before = [item.text.lower() for item in frame.current]
    last = before[-1] if before else ""
    if bracket == "[":
        return "data" if last in _BEFORE_DATA and _holds_data(frame) else "code"
    if bracket != "(" or not _holds_data(frame):
        return "code"
    if last == "array" or last in _MERGERS:
        around = before[-2] if len(before) > 1 else ""
        return "data" if around in _BEFORE_DATA else "code"
    return "define" if before == ["define"] and frame.kind == "base" else "code"


def _holds_data(frame: Frame) -> bool:
    """Return whether an array in a frame is data: it is an item, or the statement gives it away or
    to a variable."""
    if frame.kind != "base":
        return frame.kind == "data"
    first = frame.current[0].text if frame.current else ""
    return first.startswith("$") or first.lower() in ("return", "const", "define")


def _name(key: Token) -> str:
    return key.text.strip("'\"") if key.kind == "string" else key.text


def _statement(frame: Frame) -> Value | None:
    """The value of `$lang['key'] = 'text'` or `const KEY = 'text'`."""
    signs = [item.text for item in frame.current]
    if "=" not in signs or not _holds_data(frame):
        return None
    at = signs.index("=")
    value = frame.current[at + 1 :]
    strings = tuple(item for item in value if item.kind == "string")
    if not strings or not is_joined(value, "."):
        return None
    scope: Scope | None = None
    for name in frame.subscripts or [signs[at - 1]]:
        scope = Scope("key", name, scope)
    assert scope is not None
    return Value(strings, scope)


def _strings(text: str, *, path: PathLike) -> list[FileString]:
    """The values of a file, in order."""
    strings = []
    for value in _values(text, path)[0]:
        for string in file_strings(text, value, _style, _read, _ESCAPES):
            names = (Code(*match.span(), "protected") for match in _NAMES.finditer(string.value))
            forms = (
                Code(*match.span(), "void", text="\n\n") for match in _FORMS.finditer(string.value)
            )
            codes = sorted((*string.codes, *forms, *names), key=lambda code: code.start)
            strings.append(string._replace(codes=tuple(codes)))
    return strings


def _style(written: str) -> str:
    """Return the style of a string: its quotation mark, `<` for heredoc or `<'` for nowdoc."""
    if written[0] != "<":
        return written[0]
    return "<'" if written[3:].lstrip(" \t").startswith("'") else "<"


def _read(text: str, string: Token) -> Literal:
    style = _style(string.text)
    if style in ("'", '"'):
        return read_literal(text, string.start + 1, string.end - 1, _UNITS[style], _meaning)
    match = _HEREDOC.match(text, string.start)
    assert match is not None
    start, end = match.span("body") if match["body"] is not None else (match.end("break"),) * 2
    indent = rf"[ \t]{{0,{len(match['indent'])}}}"
    first = re.compile(indent).match(text, start, end)
    assert first is not None
    units = rf"{_BREAK}{indent}" if style == "<'" else rf"{_BREAK}{indent}|{_ESCAPE}|{_VARIABLE}"
    return read_literal(text, first.end(), end, re.compile(units), _meaning)


def _meaning(unit: str) -> str:
    """Return the character of an escape, a line break of an indented line, or `CODE`."""
    if unit[0] in "\r\n":
        return "\n"
    if unit[0] != "\\":
        return CODE
    kind = unit[1]
    if kind in "ux" and len(unit) > 2:
        number = int(unit[2:].strip("{}"), 16)
    elif kind.isdigit():
        number = int(unit[1:], 8) & 0xFF
    else:
        return _CONTROLS.get(kind, kind)
    # The bytes of a character may be written one by one, which no character is for.
    is_character = 0 < number < 0x80 or (kind == "u" and number <= 0x10FFFF)
    return chr(number) if is_character and not 0xD800 <= number < 0xE000 else CODE


def _in_single(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _in_heredoc(text: str) -> str:
    written = text.replace("\\", "\\\\").replace("$", "\\$")
    # Before a variable a brace would begin code.
    written = re.sub(r"\{\Z", r"\\x7B", written)
    return escape_controls(written, "\\x{:02X}")


def _in_double(text: str) -> str:
    return _in_heredoc(text).replace('"', '\\"')


_ESCAPES: dict[str, Callable[[str], str]] = {
    "'": _in_single,
    '"': _in_double,
    "<": _in_heredoc,
    "<'": str,
}
