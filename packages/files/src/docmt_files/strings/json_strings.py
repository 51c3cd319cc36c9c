"""JSON files of strings: i18next, Vue, Chrome's `messages.json`, FormatJS, ARB, and any other, also
with comments and commas before a closing bracket, as programs write them (`.jsonc`).

String values with the look of text are translated, in the order of the file; keys, names, URLs,
dates and numbers stay. In files of Chrome, FormatJS or ARB, only the messages are translated, not
the descriptions. Python's parser checks the file; tokens give the places of strings. Escapes are
written in the style of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.encodings import read_encoded_text
from docmt_files.core.scopes import Scope, key_path
from docmt_files.core.string_literals import UTF_16_ESCAPE, Literal, read_literal
from docmt_files.storage.files import PathLike
from docmt_files.storage.json_files import parse_json
from docmt_files.strings.message_branches import for_target
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import plural_note, read_strings
from docmt_files.strings.string_kinds import LANGUAGE_CODE, names_language

JSON_TOKEN = re.compile(r'"((?:[^"\\]++|\\.)*+)"(\s*+:)?|[{}\[\],]')
_COMMENT = re.compile(r'"(?:[^"\\\r\n]++|\\.)*+"|(//[^\r\n]*+|/\*(?s:.*?)(?:\*/|\Z))')
_LAST_COMMA = re.compile(r'"(?:[^"\\\r\n]++|\\.)*+"|(,)(?=\s*+[\]}])')
_ESCAPE = re.compile(rf"\\(?:{UTF_16_ESCAPE}|.)")
_OPTIONAL_ESCAPES = frozenset("/<>&'=")
"""Characters written as escapes by some programs without need."""
_PLURAL_KEY = re.compile(r"(?:.*[_.-])?(?:one|two|few|many|other|zero)", re.DOTALL)
_CHROME_KEYS = frozenset(("message", "description", "placeholders"))


class _Container(NamedTuple):
    """An open object or array.

    Attributes:
        number: the number of objects and arrays begun before it.
        kept: whether strings in it stay untranslated.
        scope: the keys around it.
    """

    number: int
    kept: bool
    scope: Scope | None


class _Value(NamedTuple):
    """A string value: the object or array around it, the key there (empty in an array), the place
    of the string, whether the strings of the object are kept, and the keys around the string."""

    container: int
    key: str
    start: int
    end: int
    kept: bool
    scope: Scope


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_encoded_text(path)
    strict = str if _is_json(text) else _strict
    checked_json(strict(text), path)
    find = partial(_strings, strict=strict)
    text = for_target(text, find(text), language, target_language, path)
    values, keys = _values(strict(text))
    patches = [
        (value.start, value.end, target_language.replace("-", "_"))
        for value in values
        if target_language is not None and value.key == "@@locale" and value.container == 0
    ]
    notes = list(_notes(keys, language, target_language))
    return read_strings(
        path,
        text,
        find,
        language,
        patches=patches,
        notes=notes,
        encode=encode,
        message_language=target_language or language,
    )


def _is_json(text: str) -> bool:
    try:
        parse_json(text.removeprefix("\ufeff"), parse_int=float)
    except json.JSONDecodeError:
        return False
    return True


def _strict(text: str) -> str:
    """A text of the same length, with spaces for comments and for commas before a closing
    bracket."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[1] is None else re.sub(r"[^\r\n]", " ", match[0])

    return _LAST_COMMA.sub(blank, _COMMENT.sub(blank, text))


def checked_json(text: str, path: PathLike) -> Any:
    """The object or array of a JSON text.

    Raises:
        InputError: the text is something else; names the line.
    """
    try:
        value = parse_json(text.removeprefix("\ufeff"), parse_int=float)
    except json.JSONDecodeError as error:
        lines = text.lstrip().count("\n") > 0
        cure = "Fix this line or the one above it"
        if lines and error.msg == "Extra data":
            cure = "If each line is a document, name the file .jsonl"
        raise InputError(
            f"is not valid JSON ({error.msg}, column {error.colno})",
            path=path,
            line=error.lineno or None,
            cure=cure,
        ) from None
    if not isinstance(value, dict | list):
        raise InputError(
            "has a single value, not an object or a list of strings",
            path=path,
            cure="Translate it as plain text: add `file_format=text`",
            parameters=("file_format=text",),
        )
    return value


def _strings(text: str, *, strict: Callable[[str], str]) -> list[FileString]:
    """The string values of a file, in order; `strict` makes the text JSON, in the same places."""
    text = strict(text)
    values, keys = _values(text)
    escape, notes = json_escaper(text), _notes_on(text, values, keys)
    strings = []
    for value in values:
        string = json_literal(text, value.start, value.end)
        kept = (
            value.kept
            or _describes(value.key, keys[value.container])
            or names_language(value.key, string.value)
        )
        scope = value.scope
        if note := notes.get(key_path(scope)) or notes.get(value.container):
            scope = Scope("note", note, scope)
        strings.append(FileString(*string, escape, False if kept else None, scope=scope))
    return strings


def _notes_on(text: str, values: list[_Value], keys: list[dict[str, None]]) -> dict[str | int, str]:
    """The descriptions of messages: by the path of a key in ARB, where `@key` has the description,
    and by the number of the object that has a message and the description."""
    notes: dict[str | int, str] = {}
    for value in values:
        if value.key != "description":
            continue
        described, note = value.scope.outer, json_literal(text, value.start, value.end).value
        if described is not None and described.value.startswith("@"):
            notes[key_path(Scope("key", described.value[1:], described.outer))] = note
        elif _describes(value.key, keys[value.container]):
            notes[value.container] = note
    return notes


def _values(text: str) -> tuple[list[_Value], list[dict[str, None]]]:
    """The string values of a file, in order; and the keys of each object or array."""
    values: list[_Value] = []
    keys: list[dict[str, None]] = []
    stack: list[_Container] = []
    key = ""
    item: list[int | None] = []
    """For each open array the index of the present item, None for an object."""

    def scope() -> Scope | None:
        """The keys around the next value."""
        if not stack:
            return None
        name = key if item[-1] is None else str(item[-1])
        return Scope("key", name, stack[-1].scope)

    for match in JSON_TOKEN.finditer(text):
        sign = match[0]
        if sign in ("{", "["):
            # Under `@` and a key, ARB has descriptions of messages, JSON-LD types.
            kept = bool(stack) and (stack[-1].kept or key.startswith("@"))
            stack.append(_Container(len(keys), kept, scope()))
            item.append(0 if sign == "[" else None)
            keys.append({})
            key = ""
        elif sign in ("}", "]"):
            stack.pop()
            item.pop()
        elif sign == ",":
            if (index := item[-1]) is not None:
                item[-1] = index + 1
        elif match[2] is not None:
            key = json_literal(text, *match.span(1)).value
            keys[stack[-1].number][key] = None
        else:
            kept = stack[-1].kept or key.startswith("@")
            around = scope()
            assert around is not None, "the text is an object or array"
            values.append(_Value(stack[-1].number, key, *match.span(1), kept, around))
    return values, keys


def json_literal(text: str, start: int, end: int) -> Literal:
    """A string of a JSON text, given the range between its quotation marks."""
    return read_literal(text, start, end, _ESCAPE, _meaning)


def _meaning(escape: str) -> str:
    """Return the characters of an escape; both halves of a surrogate pair are one character."""
    meant: str = json.loads(f'"{escape}"')
    return meant


def _describes(key: str, siblings: dict[str, None]) -> bool:
    """Return whether the string of a key describes the message beside it: in files of Chrome and
    FormatJS, where messages are objects."""
    if "defaultMessage" in siblings:
        return key != "defaultMessage"
    if "message" in siblings and _CHROME_KEYS.issuperset(siblings):
        return key != "message"
    # The placeholders of Chrome.
    return "content" in siblings and {"content", "example"}.issuperset(siblings)


def json_escaper(text: str) -> Callable[[str], str]:
    """A writer of strings in the style of the file: all characters unescaped, or with escapes for
    the characters never found unescaped in the file."""
    escapes = set(_ESCAPE.findall(text))
    meant = set(map(_meaning, escapes))
    bare = _ESCAPE.sub("", text)
    special = {
        _meaning(escape): escape
        for escape in escapes
        if _meaning(escape) in _OPTIONAL_ESCAPES and _meaning(escape) not in bare
    }
    only_ascii = text.removeprefix("\ufeff").isascii() and not all(map(str.isascii, meant))
    upper = any(escape[2:].upper() == escape[2:] != escape[2:].lower() for escape in escapes)

    def escape(value: str) -> str:
        written = json.dumps(value, ensure_ascii=only_ascii)[1:-1]
        if only_ascii and upper:
            written = re.sub(r"\\u([0-9a-f]{4})", lambda m: f"\\u{m[1].upper()}", written)
        for character, escape_sequence in special.items():
            written = written.replace(character, escape_sequence)
        return written

    return escape


def _notes(
    keys: list[dict[str, None]], language: str, target_language: str | None
) -> Iterator[str]:
    """Return further notes for the user: a key with the name of the language, and additional plural
    forms of the target language."""
    if keys and len(keys[0]) == 1:
        (only,) = keys[0]
        if LANGUAGE_CODE.fullmatch(only) and primary_language(only) == primary_language(language):
            yield f"the key {only!r} names the source language, and is kept"
    stems = {
        (index, key[: key.rfind("other")])
        for index, keys_of_object in enumerate(keys)
        for key in keys_of_object
        if key.endswith("other")
        and _PLURAL_KEY.fullmatch(key)
        and f"{key.removesuffix('other')}one" in keys_of_object
    }
    yield from plural_note(len(stems), language, target_language)
