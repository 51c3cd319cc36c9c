"""Apple's `.stringsdict` files: strings with plural forms, device forms and widths, as XML property
lists.

The texts of rules and the strings that join them are translated; keys and types stay. A rule by
number gets the categories of the target language: `plural_branches` has the texts of new ones.
`zero` stays in every language, because Apple's systems show it for 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import Code
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.scopes import Scope
from docmt_files.storage.files import PathLike, read_bytes
from docmt_files.strings.plural_branches import CATEGORIES, branches_for, examples
from docmt_files.strings.string_blocks import FileString
from docmt_files.strings.string_files import read_strings
from docmt_files.strings.xml_strings import InlineElement, XmlText, read_xml, xml_string

_TYPES = frozenset(("NSStringFormatSpecTypeKey", "NSStringFormatValueTypeKey"))
_VARIABLE = re.compile(r"%(?:\d{1,2}\$)?#@\w{1,64}@")
_NUMBER = re.compile(r"%(?:\d{1,2}\$)?(?:arg\b|[-+# 0]?\d{0,3}(?:hh?|ll?|[qjzt])?[diouxX](?!\w))")


class _Entry(NamedTuple):
    """An entry of a dictionary: the element of its key, the key, and the element of the value."""

    element: int
    key: str
    value: int


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    if read_bytes(path).startswith(b"bplist"):
        raise InputError(
            "is a binary property list", path=path, cure="Convert it: plutil -convert xml1 FILE"
        )
    text, encode = read_xml(path)
    file = XmlText.read(text, path)
    if file.events[0].name != "plist":
        raise InputError(
            f"has <{file.events[0].name}> in the place of <plist>, so it is not a property list",
            path=path,
            cure="Name the format that it has with `file_format`",
            parameters=("file_format",),
        )
    patches = sorted(_plural_patches(file, language, target_language))
    prepared = apply_patches(text, patches)
    find = partial(_strings, path=path, language=target_language or language)
    return read_strings(path, prepared, find, language, encode=encode)


def _entries(file: XmlText, dictionary: int) -> Iterator[_Entry]:
    """The entries of a dictionary."""
    children = list(file.children(dictionary))
    for key, value in zip(children[::2], children[1::2], strict=False):
        if file.events[key].name == "key":
            yield _Entry(key, file.meaning(key), value)


def _dictionaries(
    file: XmlText, parent: int, outer: Scope | None
) -> Iterator[tuple[int, Scope | None]]:
    """The dictionaries of a file in order, with the keys around each."""
    for index in file.children(parent):
        if file.events[index].name == "dict":
            yield from _nested(file, index, outer)


def _nested(
    file: XmlText, dictionary: int, outer: Scope | None
) -> Iterator[tuple[int, Scope | None]]:
    yield dictionary, outer
    for entry in _entries(file, dictionary):
        if file.events[entry.value].name == "dict":
            yield from _nested(file, entry.value, Scope("key", entry.key, outer))


def _is_plural(file: XmlText, dictionary: int) -> bool:
    """Return whether a dictionary has texts by number."""
    return any(
        entry.key == "NSStringFormatSpecTypeKey"
        and file.meaning(entry.value).strip() == "NSStringPluralRuleType"
        for entry in _entries(file, dictionary)
    )


def _plural_patches(file: XmlText, language: str, target_language: str | None) -> Iterator[Patch]:
    """The patches that give rules by number the categories of the target language."""
    for dictionary, _ in _dictionaries(file, 0, None):
        if not _is_plural(file, dictionary):
            continue
        own = {e.key: e for e in _entries(file, dictionary) if e.key in CATEGORIES}
        branches = branches_for(list(own), language, target_language, kept=("zero",))
        for name in own.keys() - {name for name, _ in branches}:
            start = file.events[own[name].element].start - len(file.indent(own[name].element))
            yield start, file.end(own[name].value), ""
        if new := [name for name, _ in branches if name not in own]:
            element, _, value = own["other"]
            start = file.events[element].start
            rest = file.text[file.content(element)[1] : file.end(value)] + file.indent(element)
            yield start, start, "".join(f"<key>{name}{rest}" for name in new)


def _strings(text: str, *, path: PathLike, language: str) -> list[FileString]:
    """The strings of a file, in order."""
    file = XmlText.read(text, path)
    strings = []
    for dictionary, scope in _dictionaries(file, 0, None):
        numbers = examples(language) if _is_plural(file, dictionary) else {}
        for entry in _entries(file, dictionary):
            if file.events[entry.value].name == "string" and entry.key not in _TYPES:
                string = xml_string(file, entry.value, _inline, preserve=True)
                codes = [*apple_codes(string.value, numbers.get(entry.key, "")), *string.codes]
                key = Scope("key", entry.key, scope)
                codes.sort(key=lambda code: code.start)
                strings.append((entry.value, string._replace(codes=tuple(codes), scope=key)))
    return [string for _, string in sorted(strings, key=lambda pair: pair[0])]


def apple_codes(value: str, example: str) -> list[Code]:
    """The variables (`%#@files@`) and numbers of a string, as codes in order. Where there is one
    number, the example stands for it in the sentence."""
    numbers = list(_NUMBER.finditer(value))
    words = example if len(numbers) == 1 else ""
    codes = [Code(*match.span(), "protected") for match in _VARIABLE.finditer(value)]
    codes += [Code(*match.span(), "protected", words=words) for match in numbers]
    return sorted(codes, key=lambda code: code.start)


def _inline(_: XmlText, __: int) -> InlineElement:
    """Property lists have no elements in strings."""
    return InlineElement("pair")
