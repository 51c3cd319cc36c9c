"""Strings in data of programs: the values in literals of arrays and objects, in PHP and JavaScript.

A file is read as tokens, with brackets in each other. A string is a value if it is all of an item
of a literal, or joined with others there (`'a' . $name . 'b'`). Strings in functions, conditions,
calls and other code are left, as nobody can tell without running it what they are for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.core.inline import Code, has_word
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import Literal
from docmt_files.storage.files import PathLike
from docmt_files.strings.string_blocks import FileString

CODE = "\0"
"""The character for code within a string; no text file has it."""

_MAX_DEPTH = 250
"""The most brackets in each other."""

_CLOSING = {"(": ")", "[": "]", "{": "}"}

TokenKind = OneOf["string", "word", "number", "sign"]
"""Kinds of tokens: a word may be a variable or have members, as in `a.b`."""

FrameKind = OneOf["base", "data", "object", "call", "block", "define", "code"]
"""What is in brackets: `base` is a file, `data` a list of values, perhaps with keys, `object`
values with keys, `call` the arguments of a call around data, `block` statements of which one
returns data, `define` the name and the value of a constant, and `code` anything else."""


class Token(NamedTuple):
    """A token of a program.

    Attributes:
        kind: the kind.
        text: the characters.
        start: the offset in the file at which it starts.
        end: the offset at which it ends.
        begins_line: whether nothing is before it on the line.
    """

    kind: TokenKind
    text: str
    start: int
    end: int
    begins_line: bool


class Value(NamedTuple):
    """A value: the strings joined in it, in order, and the keys around it."""

    strings: tuple[Token, ...]
    scope: Scope


@dataclass(slots=True)
class Frame:
    """Brackets that are open, or the file.

    Attributes:
        kind: what is in it.
        opening: the bracket.
        scope: the keys around it.
        current: the tokens of the present item or statement; of brackets the opening one.
        key: the key of the present item.
        has_key: whether a key is before it.
        index: the number of items before it.
        subscripts: the keys in brackets in a statement, as in `$lang['key'] =`.
    """

    kind: FrameKind
    opening: str = ""
    scope: Scope | None = None
    current: list[Token] = field(default_factory=list)
    key: str = ""
    has_key: bool = False
    index: int = 0
    subscripts: list[str] = field(default_factory=list)


class Syntax(NamedTuple):
    """The syntax of a language.

    Attributes:
        join: joins strings.
        arrow: stands between key and value.
        opens: the kind of brackets, given the frame around them and the opening bracket.
        statement: the values of a finished statement of the file.
        begins: whether a token begins a statement of the file, without a semicolon before it.
        name: the key written as a token.
    """

    join: str
    arrow: str
    opens: Callable[[Frame, str], FrameKind]
    name: Callable[[Token], str]
    statement: Callable[[Frame], Value | None] = lambda _: None
    begins: Callable[[Token], bool] = lambda _: False


def find_values(
    tokens: Sequence[Token], syntax: Syntax, path: PathLike, text: str
) -> tuple[list[Value], Sequence[Token]]:
    """The values in the literals of a file, in order, and other strings in these literals.

    Raises:
        InputError: brackets do not match, or there are too many in each other.
    """
    walk = _Walk(syntax)
    for token in tokens:
        problem = walk.read(token)
        if problem:
            raise _error(problem, token, path, text)
    walk.end_item()
    if len(walk.frames) > 1:
        raise _error("a bracket is not closed", tokens[-1], path, text)
    return walk.values, walk.left


def _error(problem: str, token: Token, path: PathLike, text: str) -> InputError:
    line = text.count("\n", 0, token.start) + 1
    return InputError(problem, path=path, line=line, cure="Check that the program can be read")


class _Walk:
    """Goes through the tokens of a file."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.frames = [Frame("base")]
        self.values: list[Value] = []
        self.left: list[Token] = []

    def read(self, token: Token) -> str:
        """Read a token; returns a problem, or nothing."""
        frame = self.frames[-1]
        sign = token.text if token.kind == "sign" else ""
        if sign in ("(", "[", "{"):
            return self._open(frame, token)
        if sign in (")", "]", "}"):
            if _CLOSING.get(frame.opening) != sign:
                return "a bracket is closed that was not opened"
            if sign == "]" and [item.kind for item in frame.current] == ["string"]:
                self.frames[-2].subscripts.append(self.syntax.name(frame.current[0]))
            self.end_item()
            self.frames.pop()
            if sign == "}" and self.frames[-1].kind in ("base", "block") and frame.kind == "code":
                self.frames[-1].current = []
        elif (sign == ";" and frame.kind in ("base", "block")) or (
            sign == "," and frame.kind not in ("base", "block", "code")
        ):
            self.end_item()
        elif sign == self.syntax.arrow and not frame.has_key and frame.kind in ("data", "object"):
            is_name = len(frame.current) == 1 and frame.current[0].kind != "sign"
            frame.key = self.syntax.name(frame.current[0]) if is_name else ""
            frame.has_key, frame.current = True, []
        else:
            if frame.kind == "base" and self.syntax.begins(token):
                self.end_item()
            if frame.kind == "code" and token.kind == "string":
                self._leave(token)
            frame.current.append(token)
        return ""

    def _open(self, frame: Frame, token: Token) -> str:
        if len(self.frames) > _MAX_DEPTH:
            return f"has more than {_MAX_DEPTH} brackets in each other"
        kind = "code" if frame.kind == "code" else self.syntax.opens(frame, token.text)
        frame.current.append(token)
        scope = frame.scope
        if frame.kind in ("data", "object"):
            scope = Scope("key", self._name(frame), scope)
        elif frame.kind == "base":
            for key in frame.subscripts:
                scope = Scope("key", key, scope)
        self.frames.append(Frame(kind, token.text, scope))
        return ""

    def _name(self, frame: Frame) -> str:
        return frame.key if frame.has_key else str(frame.index)

    def _leave(self, token: Token) -> None:
        """Count a string in code within a literal."""
        if any(frame.kind in ("data", "object") for frame in self.frames):
            self.left.append(token)

    def end_item(self) -> None:
        """End the present item or statement of the innermost frame."""
        frame = self.frames[-1]
        strings = [token for token in frame.current if token.kind == "string"]
        if frame.kind == "base":
            value = self.syntax.statement(frame)
            if value is not None:
                self.values.append(value)
        elif frame.kind == "define" and strings and frame.index == 0:
            frame.key, frame.has_key = self.syntax.name(strings[0]), True
        elif strings and (frame.kind == "data" or frame.has_key):
            if is_joined(frame.current, self.syntax.join):
                scope = Scope("key", self._name(frame), frame.scope)
                self.values.append(Value(tuple(strings), scope))
            else:
                for token in strings:
                    self._leave(token)
        frame.current, frame.subscripts = [], []
        frame.has_key = frame.has_key and frame.kind == "define"
        frame.index += 1


def is_joined(tokens: Sequence[Token], join: str) -> bool:
    """Return whether tokens are strings and names with a sign that joins them between."""
    return len(tokens) % 2 == 1 and all(
        (token.kind == "sign" and token.text == join) if index % 2 else token.kind != "sign"
        for index, token in enumerate(tokens)
    )


def file_strings(
    text: str,
    value: Value,
    style: Callable[[str], str],
    read: Callable[[str, Token], Literal],
    escapes: Mapping[str, Callable[[str], str]],
) -> Iterator[FileString]:
    """The strings of a value: one if all are in the same style, with the code between them.

    Args:
        text: the file.
        value: the value.
        style: the style of a string, given its beginning.
        read: the characters of a string, with `CODE` for code within.
        escapes: writers of texts, by style.
    """
    styles = [style(item.text) for item in value.strings]
    literals = [read(text, item) for item in value.strings]
    if len(set(styles)) > 1:
        for name, literal in zip(styles, literals, strict=True):
            yield FileString(*literal, escapes[name], codes=_codes(literal), scope=value.scope)
        return
    characters, offsets = literals[0].value, list(literals[0].offsets)
    void = []
    for before, item, literal in zip(value.strings, value.strings[1:], literals[1:], strict=False):
        if not re.search(r"\w", text[before.end : item.start]):
            void.append(len(characters))
        characters += CODE + literal.value
        offsets += literal.offsets
    whole = Literal(characters, offsets)
    codes = _codes(whole, void)
    yield FileString(*whole, escapes[styles[0]], codes=codes, scope=value.scope)


def _codes(literal: Literal, void: Sequence[int] = ()) -> tuple[Code, ...]:
    """The code in a string."""
    places = (index for index, character in enumerate(literal.value) if character == CODE)
    return tuple(
        Code(place, place + 1, "void" if place in void else "protected") for place in places
    )


def left_note(left: Sequence[Token]) -> Iterator[str]:
    """The note on strings with words in code."""
    count = sum(has_word(token.text[1:-1]) for token in left)
    if count:
        yield (f"{counted(count, 'string')} in code, such as a call or a condition, not translated")


def unclosed(text: str, start: int, path: PathLike) -> InputError:
    """The error about a string or a comment without an end."""
    return InputError(
        f"{text[start : start + 20].splitlines()[0]!r} begins a string or a comment without an end",
        path=path,
        line=text.count("\n", 0, start) + 1,
        cure="Check that the program can be read",
    )


def make_token(kind: TokenKind, text: str, span: tuple[int, int], end: int) -> Token:
    """A token.

    Args:
        kind: the kind.
        text: the file.
        span: the range of the token.
        end: the offset at which the token before it ended; 0 for none.
    """
    between = text[end : span[0]]
    return Token(kind, text[slice(*span)], *span, not end or "\n" in between or "\r" in between)
