"""ICU messages with a choice among texts: `{n, plural, one {# file} other {# files}}`, `select` and
`selectordinal`, also in each other.

The branches of a message are strings of their own within the code of the message. `#`, and the
argument in braces, stand for the number of a branch: an example number takes their place in the
sentence. `for_target` gives the messages of a file the categories of a target language.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.core.encodings import MAX_CHARACTERS
from docmt_files.core.inline import Code
from docmt_files.core.patches import Patch, apply_patches
from docmt_files.core.protection.placeholders import has_branches, message_placeholders
from docmt_files.core.scopes import Scope
from docmt_files.storage.files import PathLike
from docmt_files.strings.message_format import has_message_quotes, without_quoted
from docmt_files.strings.plural_branches import branches_for, examples
from docmt_files.strings.string_blocks import FileString

_HEAD = re.compile(
    r"\{\s*(?P<argument>\w{1,64})\s*,\s*(?P<kind>plural|selectordinal|select)\s*,\s*"
    r"(?P<offset>offset:\s*\d{1,9}\s+)?"
)
_SELECTOR = re.compile(r"\s*(=\d{1,9}|[\w-]{1,64})\s*(?=\{)")
_END = re.compile(r"\s*\}")
_BRACES = re.compile(r"[{}]")
_NUMBER = r"''|'#[^']*'|(?<!&)#|\{{\s*{}\s*(?:,\s*number[^{{}}]*)?\}}"
_MAX_DEPTH = 20
"""Deeper messages in messages stay as they are."""
_MAX_GROWING_DEPTH = 3
"""Deeper ones get no further branches, of which there could be millions."""


class _Branch(NamedTuple):
    """A branch of a message.

    Attributes:
        name: a category, a number (`=1`), or a value of `select`.
        gap: the range before the name, from the end of the branch before.
        text: the range between the braces.
    """

    name: str
    gap: tuple[int, int]
    text: tuple[int, int]


class _Message(NamedTuple):
    """A message in a string.

    Attributes:
        start, end: the range of the message.
        argument: the name of the argument that chooses.
        kind: `plural`, `selectordinal` or `select`.
        has_offset: whether `#` is less than the argument.
        branches: the branches, in order.
    """

    start: int
    end: int
    argument: str
    kind: str
    has_offset: bool
    branches: list[_Branch]

    @property
    def is_plural(self) -> bool:
        """Whether a number chooses."""
        return self.kind != "select"


class _Number(NamedTuple):
    """The number of a branch: the name of the argument, and an example."""

    argument: str
    example: str


_Choose = Callable[[list[str], bool], list[tuple[str, str]]]
"""The branches for a target language, given those of a message, and whether numbers are ordinal."""


def _messages(value: str, message: str) -> Iterator[_Message]:
    """The messages in a string that are outside of others; `message` is the string, or the message
    of which it is a branch."""
    masked = without_quoted(value) if has_message_quotes(message) else value
    for start, end in message_placeholders(masked):
        head = _HEAD.match(masked, start, end)
        branches = None if head is None else _branches(masked, head.end(), end)
        if head is not None and branches:
            yield _Message(start, end, head[1], head[2], head[3] is not None, branches)


def _branches(masked: str, position: int, end: int) -> list[_Branch] | None:
    """The branches of a message from the first selector to the end; None if it has another form."""
    found = []
    while (selector := _SELECTOR.match(masked, position, end)) is not None:
        depth = 0
        for brace in _BRACES.finditer(masked, selector.end(), end):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                text = selector.end() + 1, brace.start()
                found.append(_Branch(selector[1], (position, selector.start(1)), text))
                position = brace.end()
                break
        else:
            return None
    return found if _END.fullmatch(masked, position, end) else None


def count_kept(value: str, *, all_kinds: bool) -> int:
    """Number of messages of a string whose texts are not translated: all of them, or those of
    another form than the messages here, such as `choice`."""
    ranges = message_placeholders(value)
    messages = sum(has_branches(value[start:end]) for start, end in ranges)
    return messages if all_kinds else messages - len(list(_messages(value, value)))


def with_branches(string: FileString, language: str) -> list[FileString]:
    """A string, and the branches of its messages as further strings.

    Args:
        string: the string.
        language: the code of the language whose numbers stand for placeholders.
    """
    if string.is_text is False or not _may_branch(string.value):
        return [string]
    whole = string._replace(message=string.value)
    return [whole, *_branch_strings(whole, language, None, 1)]


def _may_branch(value: str) -> bool:
    return "{" in value and ("plural" in value or "select" in value)


def _branch_strings(
    string: FileString, language: str, number: _Number | None, depth: int
) -> Iterator[FileString]:
    """The branches of the messages in a string, each followed by those within."""
    for message in _messages(string.value, string.message):
        examples_by_name: dict[str, str] = {}
        if message.is_plural:
            examples_by_name = examples(language, ordinal=message.kind == "selectordinal")
        for branch in message.branches:
            own = number
            if message.is_plural:
                default = branch.name.removeprefix("=") if "=" in branch.name else ""
                example = examples_by_name.get(branch.name, default)
                own = _Number(message.argument, "" if message.has_offset else example)
            inner = _branch_string(string, branch, own)
            yield inner
            if depth < _MAX_DEPTH:
                yield from _branch_strings(inner, language, own, depth + 1)


def _branch_string(string: FileString, branch: _Branch, number: _Number | None) -> FileString:
    """A branch as a string."""
    start, end = branch.text
    value = string.value[start:end]
    codes = [
        replace(code, start=code.start - start, end=code.end - start)
        for code in islice(string.codes, _index(string.codes, start), _index(string.codes, end))
        if code.end <= end and not code.words
    ]
    codes += _number_codes(value, string.message, number)
    return string._replace(
        value=value,
        offsets=string.offsets[start : end + 1],
        codes=tuple(sorted(codes, key=lambda code: code.start)),
        scope=Scope("key", branch.name, string.scope),
        accelerator=None,
        is_nested=True,
    )


def _index(codes: Sequence[Code], offset: int) -> int:
    """The index of the first code from an offset on."""
    return bisect_left(codes, offset, key=lambda code: code.start)


def _number_codes(value: str, message: str, number: _Number | None) -> list[Code]:
    """The placeholders for the number of a branch. If there is one, outside of further messages,
    the example stands for it in the sentence."""
    if number is None:
        return []
    inner = [(each.start, each.end) for each in _messages(value, message)]
    spans = [
        match.span()
        for match in re.finditer(_NUMBER.format(re.escape(number.argument)), value)
        if match[0] != "''" and not any(start <= match.start() < end for start, end in inner)
    ]
    words = number.example if len(spans) == 1 else ""
    return [Code(*span, "protected", words=words) for span in spans]


def for_target(
    text: str,
    strings: Sequence[FileString],
    language: str,
    target_language: str | None,
    path: PathLike,
) -> str:
    """A file in which messages have the categories of a target language.

    Args:
        text: the file.
        strings: the strings of the file, in order.
        language: the code of the source language.
        target_language: the code of the target language; if None, nothing changes.
        path: names the file in errors.

    Raises:
        InputError: the file would become larger than files may be.
    """
    if target_language is None:
        return text

    def choose(own: list[str], is_ordinal: bool) -> list[tuple[str, str]]:
        return branches_for(own, language, target_language, ordinal=is_ordinal)

    patches: list[Patch] = []
    growth = 0
    for string in strings:
        if string.is_text is not False and _may_branch(string.value):
            start, end = string.offsets[0], string.offsets[-1]
            new = _expanded(text, string._replace(message=string.value), choose, 1)
            if new != text[start:end]:
                patches.append((start, end, new))
                growth += len(new) - (end - start)
        if len(text) + growth > MAX_CHARACTERS:
            raise InputError(
                f"has more than {MAX_CHARACTERS:,} characters with the plural forms of "
                f"{target_language}",
                path=path,
                cure="Divide it into several files",
            )
    return apply_patches(text, patches)


def _expanded(text: str, string: FileString, choose: _Choose, depth: int) -> str:
    """The characters of the file for a string, with other branches in its messages."""
    made = []
    position = 0

    def raw(start: int, end: int) -> str:
        return text[string.offsets[start] : string.offsets[end]]

    for message in _messages(string.value, string.message) if depth <= _MAX_GROWING_DEPTH else ():
        own = {branch.name: branch for branch in message.branches}
        if len(own) < len(message.branches):
            continue
        first_gap = message.branches[0].gap
        made.append(raw(position, first_gap[0]))
        position = message.branches[-1].text[1] + 1
        chosen = [(name, name) for name in own]
        if message.is_plural:
            chosen = choose(list(own), message.kind == "selectordinal")
        for number, (name, origin) in enumerate(chosen):
            branch = own[origin]
            start, end = branch.text
            inner = string._replace(
                value=string.value[start:end], offsets=string.offsets[start : end + 1]
            )
            made += [
                raw(*(branch.gap if number else first_gap)),
                name,
                raw(branch.gap[1] + len(origin), start),
                _expanded(text, inner, choose, depth + 1),
                raw(end, end + 1),
            ]
    return "".join([*made, raw(position, len(string.value))])
