"""Strings in YAML files: where they are, how they are read, and when they need quotation marks.

ruamel.yaml's parser gives the scalars with their places. Aliases are never expanded. `read_scalar`
maps the characters of a scalar of any style to the file, by the folding rules of YAML 1.2
(chapters 7.3 and 8.1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, MappingStartEvent, NodeEvent, ScalarEvent
from ruamel.yaml.reader import ReaderError

from docmt_files.base.errors import InputError
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import CONTROLS, Literal, escape_controls, read_literal
from docmt_files.storage.files import PathLike

_MAX_DEPTH = 250
"""The most collections in each other."""

_BREAK = r"(?:\r\n|\r|\n)"
_FOLD = rf"[ \t]*{_BREAK}(?:[ \t]*{_BREAK})*[ \t]*"
_BREAKS = re.compile(_BREAK)
_PROPERTY = re.compile(r"(?:[&!][^\s,\[\]{}]*+(?:[ \t]+|[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)\s*))++")
"""An anchor or a tag before a scalar."""
_HEADER = re.compile(rf"[|>][-+0-9]*[ \t]*(?:#[^\r\n]*)?{_BREAK}")
_ESCAPES = {**CONTROLS, "0": "\0", "e": "\x1b", "N": "\x85", "_": "\xa0", "L": "\u2028"}
_ESCAPES["P"] = "\u2029"
_UNITS = {
    "": re.compile(_FOLD),
    "'": re.compile(rf"''|{_FOLD}"),
    '"': re.compile(
        r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|x[0-9a-fA-F]{2}"
        rf"|u[0-9a-fA-F]{{4}}|U[0-9a-fA-F]{{8}}|{_BREAK}[ \t]*|[^\r\n])|{_FOLD}"
    ),
}
_NOT_STRING = re.compile(
    r"~|null|true|false|yes|no|on|off|y|n|<<|=|[-+.]?\d[\d_,.:xXoOa-fA-F]*(?:[eE][-+]?\d+)?"
    r"|[-+]?\.(?:inf|nan)|\d{4}-\d\d?-\d\d?(?:[Tt \t].*)?",
    re.IGNORECASE,
)
"""Plain scalars that YAML 1.1 or 1.2 reads as something else than a string."""
_NOT_PLAIN = re.compile(
    r"[-?:](?:\s|\Z)|[,\[\]{}#&*!|>'\"%@`:\s]|(?:---|\.\.\.)"  # at the beginning
    r"|.*(?::(?:\s|\Z)|\s#|\s\Z|[\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff])",
    re.DOTALL,
)
_NOT_IN_FLOW = re.compile(r".*[,\[\]{}]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string that is a value in a mapping or an item of a sequence.

    Attributes:
        start: the offset in the file at which it starts, after anchor and tag.
        end: the offset at which it ends.
        style: its quotation mark, `|` or `>`, or "" for a plain scalar.
        value: the characters.
        in_flow: whether it is in brackets or braces.
        scope: the keys around it.
        owner: the number of the collection that it is in.
    """

    start: int
    end: int
    style: str
    value: str
    in_flow: bool
    scope: Scope
    owner: int


class Key(NamedTuple):
    """A key of a mapping: its name, the range of the file, and the number of the mapping."""

    name: str
    start: int
    end: int
    owner: int


class Scalars(NamedTuple):
    """The strings and keys of a file.

    Attributes:
        strings: strings, in order.
        keys: keys, in order. Mapping 0 is the outermost of the first document.
        ambiguous: plain words that YAML 1.1 reads as true, false or null and YAML 1.2 as strings.
    """

    strings: list[Scalar]
    keys: list[Key]
    ambiguous: int


@dataclass(slots=True)
class _Collection:
    """An open mapping or sequence, with the key or index of the next value."""

    number: int
    is_mapping: bool
    in_flow: bool
    is_key: bool
    scope: Scope | None
    name: str = ""
    index: int = 0
    awaits_value: bool = False


def read_scalars(text: str, path: PathLike) -> Scalars:
    """The strings and keys of a YAML file.

    Raises:
        InputError: the text is not valid YAML, too deeply nested, or has a single value.
    """
    found = Scalars([], [], 0)
    stack: list[_Collection] = []
    numbers = ambiguous = 0
    for event in _events(text, path):
        if not isinstance(event, NodeEvent):
            if type(event).__name__.endswith(("MappingEndEvent", "SequenceEndEvent")):
                stack.pop()
            continue
        role = _advance(stack, event)
        if isinstance(event, ScalarEvent):
            start, end = _range(text, event)
            if role == "key":
                found.keys.append(Key(event.value, start, end, stack[-1].number))
            elif role == "value" and _is_string(event):
                last = stack[-1]
                scope = Scope("key", last.name, last.scope)
                style = event.style or ""
                found.strings.append(
                    Scalar(start, end, style, event.value, last.in_flow, scope, last.number)
                )
            elif role == "value":
                ambiguous += bool(re.fullmatch(r"(?i:yes|no|on|off|y|n)", event.value))
        elif not isinstance(event, AliasEvent):
            if len(stack) >= _MAX_DEPTH:
                raise InputError(
                    f"has more than {_MAX_DEPTH} lists and tables in each other",
                    path=path,
                    line=event.start_mark.line + 1,
                    cure="Check that it is a file of strings",
                )
            outer = stack[-1] if stack else None
            around = None if outer is None else Scope("key", outer.name, outer.scope)
            is_key = role == "key" or (outer is not None and outer.is_key)
            in_flow = bool(getattr(event, "flow_style", False))
            is_mapping = isinstance(event, MappingStartEvent)
            stack.append(_Collection(numbers, is_mapping, in_flow, is_key, around))
            numbers += 1
    if not numbers:
        raise InputError(
            "has a single value, not a table or a list of strings",
            path=path,
            cure="Translate it as plain text: add `file_format=text`",
            parameters=("file_format=text",),
        )
    return found._replace(ambiguous=ambiguous)


def _advance(stack: list[_Collection], event: NodeEvent) -> str:
    """Move the innermost collection on by a node; returns "key", "value" or "" for a node in a key
    and for a whole document."""
    if not stack:
        return ""
    last = stack[-1]
    if last.is_mapping and not last.awaits_value:
        last.awaits_value = True
        last.name = event.value if isinstance(event, ScalarEvent) else ""
        return "" if last.is_key else "key"
    if not last.is_mapping:
        last.name, last.index = str(last.index), last.index + 1
    last.awaits_value = False
    return "" if last.is_key else "value"


def _is_string(event: ScalarEvent) -> bool:
    """Return whether a scalar is a string: in quotes, or plain with the look of no other type."""
    if event.tag is not None:
        return str(event.tag) == "tag:yaml.org,2002:str"
    return bool(event.style) or not (not event.value or _NOT_STRING.fullmatch(event.value))


def _range(text: str, event: ScalarEvent) -> tuple[int, int]:
    """The range of a scalar without anchor and tag."""
    start, end = event.start_mark.index, event.end_mark.index
    if event.tag is not None or event.anchor is not None:
        match = _PROPERTY.match(text, start, end)
        start = match.end() if match else start
    return start, end


def _events(text: str, path: PathLike) -> Iterator[Any]:
    """The events of ruamel.yaml's parser."""
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(
            f"is not valid YAML: {error.problem or error.context}",
            path=path,
            line=mark.line + 1 if mark else None,
            cure="Fix this line or the one above it",
        ) from None
    except ReaderError as error:
        raise InputError(
            f"has a character that YAML does not allow (U+{ord(text[error.position]):04X})",
            path=path,
            line=text.count("\n", 0, error.position) + 1,
            cure="Remove it, or write it as an escape in double quotation marks",
        ) from None
    # Besides its own errors, ruamel.yaml raises errors of values.
    except (YAMLError, ValueError, ArithmeticError, LookupError, TypeError) as error:
        raise _not_valid(error, path) from None
    except (AttributeError, AssertionError) as error:
        raise _not_valid(error, path) from None


def _not_valid(error: Exception, path: PathLike) -> InputError:
    reason = " ".join(str(error).split()) or "it cannot be parsed"
    return InputError(
        f"is not valid YAML: {reason}", path=path, cure="Check the file, for example with yamllint"
    )


def read_scalar(text: str, start: int, end: int, scalar: Scalar) -> Literal | None:
    """The characters of a scalar with their places, without line breaks at the end of a block; None
    for a form that is not read.

    Args:
        text: the file.
        start: the offset at which the scalar now starts.
        end: the offset at which it now ends.
        scalar: the scalar as it was in the file.
    """
    if scalar.style in ("|", ">"):
        return _read_block(text, start, end, scalar)
    quotes = len(scalar.style)
    return read_literal(text, start + quotes, end - quotes, _UNITS[scalar.style], _meaning)


def is_read(literal: Literal | None, scalar: Scalar) -> bool:
    """Return whether the characters of a scalar are those that the parser gives."""
    if literal is None:
        return False
    value = scalar.value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if scalar.style in ("|", ">"):
        return value.rstrip("\n ") == literal.value.rstrip(" ")
    return value == literal.value


def _meaning(unit: str) -> str:
    """Return the characters of an escape or of line breaks in a scalar."""
    if unit == "''":
        return "'"
    if not unit.startswith("\\"):
        count = len(_BREAKS.findall(unit))
        return "\n" * (count - 1) or " "
    kind = unit[1]
    if kind in "xU" or (kind == "u" and len(unit) == 6):
        code = int(unit[2:], 16)
        return chr(code) if code <= 0x10FFFF else "\ufffd"
    if kind == "u":
        units = unit.replace("\\u", "")
        return bytes.fromhex(units).decode("utf-16-be", "surrogatepass")
    return "" if kind in "\r\n" else _ESCAPES.get(kind, kind)


def _read_block(text: str, start: int, end: int, scalar: Scalar) -> Literal | None:
    header = _HEADER.match(text, start, end)
    if header is None:
        return None
    # The first line with text says how far lines are indented.
    value = scalar.value.lstrip("\n")
    line = re.compile(r"(?:[ ]*(?:\r\n|\r|\n))*( *)").match(text, header.end(), end)
    assert line is not None
    indent = len(line[1]) - (len(value) - len(value.lstrip(" ")))
    if indent < 0:
        return None
    body = text[header.end() : end]
    first = header.end() + min(indent, len(body) - len(body.lstrip(" ")))
    last = header.end() + len(body.rstrip(" \t\r\n"))
    return read_literal(text, first, max(first, last), *_block_units(scalar.style, indent))


@lru_cache(maxsize=64)
def _block_units(style: str, indent: int) -> tuple[re.Pattern[str], Callable[[str], str]]:
    """A pattern of line breaks in a block scalar, and their meaning."""
    one = rf"{_BREAK} {{0,{indent}}}"
    if style == "|":
        return re.compile(one), lambda _: "\n"

    def folded(unit: str) -> str:
        count = len(_BREAKS.findall(unit))
        return "\n" * (count - 1) or " "

    return re.compile(rf"(?:{one})+"), folded


def needs_quotes(value: str, *, in_flow: bool) -> bool:
    """Return whether a string would be read as something else without quotation marks.

    >>> [needs_quotes(text, in_flow=False) for text in ("a: b", "no", "%{n} files", "one, two")]
    [True, True, True, False]
    """
    return bool(
        not value
        or _NOT_PLAIN.match(value)
        or _NOT_STRING.fullmatch(value)
        or (in_flow and _NOT_IN_FLOW.match(value))
    )


def escape_double(text: str) -> str:
    """A text in double quotation marks."""
    written = text.replace("\\", "\\\\").replace('"', '\\"')
    return re.sub(
        "[\x80-\x9f\u2028\u2029\ufeff\ufffe\uffff]",
        lambda match: f"\\u{ord(match[0]):04X}",
        escape_controls(written, "\\x{:02X}"),
    )
