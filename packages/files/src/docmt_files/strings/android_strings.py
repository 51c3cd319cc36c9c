"""String resources of Android: `<string>`, `<string-array>` and `<plurals>`.

All strings are translated as one document, without untranslatable strings and references to other
resources. Android's escapes (`\\n`, `\\'`, `\\@`, `\\u00e9`) are read as their characters;
quotation marks around a string, tags in it and `<xliff:g>` are codes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import Code
from docmt_files.core.scopes import Scope
from docmt_files.core.string_literals import (
    UTF_16_ESCAPE,
    escape_controls,
    read_literal,
    utf_16_meaning,
)
from docmt_files.core.xml_events import XML_SPACE
from docmt_files.storage.files import PathLike
from docmt_files.strings.message_branches import for_target
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import plural_note, read_strings
from docmt_files.strings.xml_strings import (
    CODE,
    InlineElement,
    XmlText,
    kept_sections,
    read_xml,
    section_note,
    xml_string,
)

_PAIR, _PROTECTED, _BREAK = (
    InlineElement("pair"),
    InlineElement("protected"),
    InlineElement("void", text="\n"),
)
_ESCAPE = re.compile(rf"\\(?:{UTF_16_ESCAPE}|[^{CODE}])|\"", re.DOTALL)
_MEANINGS = {"n": "\n", "t": "\t", "\n": " "}
_REFERENCE = re.compile(r"\s*[@?](?:\+?[\w.]+:)?(?:\w+/)?[\w.]+\s*")


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    text, encode = read_xml(path)
    file = XmlText.read(text, path)
    if file.events[0].name != "resources":
        raise InputError(
            "has no <resources>, so it is not a file of Android's strings",
            path=path,
            cure="Name the format that it has with `file_format`",
            parameters=("file_format",),
        )
    plurals = sum(
        event.kind == "start" and event.name == "plurals"
        for event in (file.events[index] for index in file.children(0))
    )
    sections = sum(kept_sections(file, index) for index, _ in _elements(file, 0, None))
    notes = [*plural_note(plurals, language, target_language), *section_note(sections)]
    find = partial(_strings, path=path)
    text = for_target(text, find(text), language, target_language, path)
    message_language = target_language or language
    return read_strings(
        path, text, find, language, notes=notes, encode=encode, message_language=message_language
    )


def _strings(text: str, *, path: PathLike) -> list[FileString]:
    """The strings of a file, in order."""
    file = XmlText.read(text, path)
    strings = []
    for index, scope in _elements(file, 0, None):
        preserve = file.events[index].attributes.get(XML_SPACE) == "preserve"
        string = xml_string(file, index, _inline, preserve=preserve)
        string = _unescaped(string, file.meaning(index))
        strings.append(string._replace(scope=scope))
    return strings


def _elements(
    file: XmlText, parent: int, outer: Scope | None
) -> Iterator[tuple[int, Scope | None]]:
    """The elements with a translatable string, with their keys: names, the quantities of plurals,
    and the indices of the items of arrays."""
    for number, index in enumerate(file.children(parent)):
        event = file.events[index]
        if event.attributes.get("translatable") == "false":
            continue
        attributes = event.attributes
        key = attributes.get("name") or attributes.get("quantity") or str(number)
        note = _note(file, index)
        scope = Scope("key", key, Scope("note", note, outer) if note else outer)
        if event.name in ("string-array", "plurals"):
            yield from _elements(file, index, scope)
        elif event.name == "string" or (event.name == "item" and parent > 0):
            yield index, scope


def _note(file: XmlText, index: int) -> str:
    """The comment before an element, for translators."""
    before = index - 1
    if before > 0 and file.events[before].kind == "text" and not file.events[before].text.strip():
        before -= 1
    event = file.events[before]
    return event.text.strip() if event.kind == "comment" else ""


def _inline(file: XmlText, index: int) -> InlineElement:
    """Return the kind of an element in a string."""
    event = file.events[index]
    if event.local_name == "g" and event.namespace:
        return _PROTECTED
    return _BREAK if event.local_name == "br" else _PAIR


def _unescaped(string: FileString, written: str) -> FileString:
    """A string with Android's escapes read as their characters, and with codes for its quotation
    marks."""
    literal = read_literal(string.value, 0, len(string.value), _ESCAPE, _meaning)

    def moved(code: Code) -> Code:
        start, end = (bisect_left(literal.offsets, offset) for offset in (code.start, code.end))
        return replace(code, start=start, end=end)

    quotes = [match.span() for match in _ESCAPE.finditer(string.value) if match[0] == '"']
    codes = [*string.codes, *(Code(start, end, "void") for start, end in quotes)]
    codes.sort(key=lambda code: code.start)
    return FileString(
        literal.value,
        [string.offsets[offset] for offset in literal.offsets],
        partial(_escape, string.escape),
        False if _REFERENCE.fullmatch(written) else None,
        tuple(map(moved, codes)),
    )


def _meaning(escape: str) -> str:
    if escape.startswith("\\u") and len(escape) > 2:
        return utf_16_meaning(escape)
    return _MEANINGS.get(escape[-1], escape[-1])


def _escape(write: Callable[[str], str], text: str) -> str:
    """A text as it is written in a string."""
    text = text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
    text = text.replace("\n", "\\n").replace("\t", "\\t")
    text = escape_controls(text, "\\u{:04X}")
    return write(f"\\{text}" if text.startswith(("@", "?")) else text)
