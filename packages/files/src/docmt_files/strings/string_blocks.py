"""Strings of programs as blocks of text with inline codes, for any kind of file.

A string may have placeholders, ICU messages, HTML tags, the numbered tags of react-i18next
(`<0>…</0>`), character references and line breaks. `message_blocks` finds them in the characters of
the string. A map from characters to the file makes parts of the blocks, with each escape as a unit.
`string_kinds` tells strings for people from others.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import escape as escape_html
from html import unescape
from itertools import groupby
from typing import NamedTuple

import regex

from docmt_files.core.inline import Block, Code, Part, Shortcut, Text, has_word, paired, texts_of
from docmt_files.core.protection.placeholders import message_placeholders
from docmt_files.core.scopes import Scope
from docmt_files.markup import html_elements as elements
from docmt_files.markup.html_codes import BETWEEN_KEYS
from docmt_files.markup.html_tokens import attributes, html_tokens
from docmt_files.markup.tag_codes import BLOCK_END, tag_codes
from docmt_files.strings.accelerators import Accelerator
from docmt_files.strings.character_references import REFERENCE, reference_table
from docmt_files.strings.message_format import (
    QUOTES,
    has_message_quotes,
    has_no_apostrophe,
    meaning_of_quotes,
    quoted_names,
    quotes_argument,
    with_message_quotes,
    without_quoted,
)
from docmt_files.strings.string_kinds import is_text

_QUOTES_UNIT = re.compile(rf"{REFERENCE.pattern}|{QUOTES.pattern}")
_MARKUP_CHARACTER = re.compile(r"<(?=[A-Za-z0-9/!?])|&(?=#?\w{1,32};)")
_BREAK = re.compile(r"(?:(?<![ \t])[ \t]+)?(?:\r\n|[\r\n\t\u2028]|(?<![:/\\])\\n)[ \t]*")
_SEPARATOR = re.compile(r"(?<!\s)\s+\|{1,4}\s+")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦–—]|\d{1,3}[.)])\s+(?=\S)")
_ELLIPSIS = re.compile(r"(?<=[\w}>)\]])\s?(?:\.{3}|…)\s*\Z")
"""Three dots after a label, as in `Open...`: the command asks for more. They stay."""
_ENDS = ".:;!?。：；！？"
_GOES_ON = regex.compile(
    r"(?<=\t *)(?<![\r\n]\s*)\p{Ll}|(?:\p{Ll}.*\n\s*){0,3}?\p{Ll}.*[.:;!?…][ \t]*(?:[\r\n]|\Z)"
)
"""A text in lower case behind a tab, or lines in lower case to the end of a sentence."""
_BEFORE_SYNTAX = re.compile(r"'(?=[{}#]|\Z)")
"""An apostrophe that quotes in a message; there, ’ is the one to read."""
_FULL_LINE = 40
"""From how many characters on a line may have been broken because it was full."""


class FileString(NamedTuple):
    """A string in a file.

    Attributes:
        value: the characters of the string.
        offsets: the offset in the file of each character, and of the end.
        escape: writes a text in the way of strings in the file.
        is_text: whether to translate the string if it has letters; None to decide by its look.
        codes: further codes, over the characters of `value`, in order. A pair with a number below
            -1 is a pair of tags of the file, never divided among blocks.
        marker: the mark of shortcuts named by the file, if any.
        accelerator: the mark of a shortcut in the string.
        scope: where the string stands, such as its key.
        message: the ICU message with the string: the string itself, or one with it as a branch.
        is_nested: whether the string is a branch.
    """

    value: str
    offsets: Sequence[int]
    escape: Callable[[str], str]
    is_text: bool | None = None
    codes: tuple[Code, ...] = ()
    marker: str = ""
    accelerator: Accelerator | None = None
    scope: Scope | None = None
    message: str = ""
    is_nested: bool = False


def count_attributes(value: str) -> int:
    """Number of attributes visible to a reader, such as `title`, in the tags of a string. They are
    not translated."""
    if "<" not in value or "=" not in value:
        return 0
    return sum(
        key in elements.READ_ATTRIBUTES_IN_STRING
        and bool(is_text(value[attribute.start : attribute.end]))
        for token in html_tokens(value)
        if token.kind == "start"
        for key, attribute in attributes(value, token).items()
    )


def break_choices(string: FileString, *, doubles_apostrophes: bool = False) -> tuple[bool, ...]:
    """For each line break of a string whether it is within a block: a line has been broken because
    it was full, not to begin another text. See `message_blocks`."""
    made: list[bool] = []
    for _ in _Pieces(string, None, made, _has_quotes(string, doubles_apostrophes)):
        pass
    return tuple(made)


def message_blocks(
    string: FileString, choices: Sequence[bool] | None = None, *, doubles_apostrophes: bool = False
) -> Iterator[Block]:
    """The blocks of a string.

    Args:
        string: the string.
        choices: for each line break whether it is within a block; default: by `break_choices`.
        doubles_apostrophes: whether messages with placeholders in braces have them doubled, as ICU
            reads them, in this file.
    """
    value = string.value
    if not has_word(value):
        return
    message = string.message or value
    has_quotes = _has_quotes(string, doubles_apostrophes)
    pieces = _Pieces(string, choices, [], has_quotes)
    references = reference_table(value)
    scopes = () if string.scope is None else (string.scope,)
    has_tags = False

    def write(text: str, _: bool) -> str:
        if has_quotes:
            text = with_message_quotes(text)
        elif doubles_apostrophes and has_no_apostrophe(message):
            text = text.replace("'", "''")
        elif string.message:
            text = _BEFORE_SYNTAX.sub("\u2019", text)
        if references:
            text = escape_html(text, quote=False).translate(references)
        elif has_tags:
            text = _MARKUP_CHARACTER.sub(lambda match: escape_html(match[0]), text)
        return string.escape(text)

    parts: list[Part] = []
    for part in [*pieces, None]:
        if part is not None:
            parts.append(part)
            has_tags = has_tags or (isinstance(part, Code) and value[part.start] == "<")
        elif parts:
            for parts_of_message in _without_divided_tags(parts):
                if any(isinstance(part, Text) and has_word(part.text) for part in parts_of_message):
                    located = (
                        piece
                        for part in paired(parts_of_message)
                        for piece in _locate(part, string.offsets)
                    )
                    yield Block(tuple(located), write, string.is_nested, scopes=scopes)
            parts = []


def _has_quotes(string: FileString, doubles_apostrophes: bool) -> bool:
    """Return whether a string is a message with quoting apostrophes, or a branch of one."""
    value = string.message or string.value
    return has_message_quotes(value) or (doubles_apostrophes and quotes_argument(value))


def _is_tag(part: Part) -> bool:
    """Return whether a code is a tag of the file itself."""
    return isinstance(part, Code) and part.pair < -1


def _without_divided_tags(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts of a block, divided at tags of the file with partners in other blocks."""
    waiting: list[int] = []
    partners: set[int] = set()
    for index, part in enumerate(parts):
        if isinstance(part, Code) and _is_tag(part):
            if part.kind == "open":
                waiting.append(index)
            elif waiting:
                partners |= {index, waiting.pop()}
    undivided: list[Part] = []
    for index, part in enumerate(parts):
        if _is_tag(part) and index not in partners:
            yield undivided
            undivided = []
        else:
            undivided.append(part)
    yield undivided


class _Pieces:
    """The parts of a string, over its own characters, with None at the end of a block.

    Args:
        string: the string.
        choices: for each line break whether it is within a block; None to find out.
        made: gets these choices.
        has_quotes: whether the string is a message with quoting apostrophes.
    """

    def __init__(
        self, string: FileString, choices: Sequence[bool] | None, made: list[bool], has_quotes: bool
    ) -> None:
        self.string = string
        self.value = string.value
        self.choices = choices
        self.made = made
        self.has_quotes = has_quotes
        self.line = 0

    def __iter__(self) -> Iterator[Part | None]:
        position = 0
        if lead := _ITEM.match(self.value):
            position = self.line = lead.end()
        for code in _codes(self.value, self.string.codes, self.has_quotes):
            if code.start < position:
                continue
            yield from self._texts(position, code.start)
            position = code.end
            yield None if code.kind == "void" and code.text == BLOCK_END else code
        ellipsis = _ELLIPSIS.search(self.value, position)
        yield from self._texts(position, ellipsis.start() if ellipsis else len(self.value))

    def _texts(self, start: int, end: int) -> Iterator[Part | None]:
        """A range without placeholders and tags: texts, line breaks as codes, and None where a
        block ends."""
        position = start
        while position < end:
            match = _BREAK.search(self.value, position, end)
            stop = match.start() if match else end
            for index, (first, last) in enumerate(_split_at_bars(self.value, position, stop)):
                if index:
                    yield None
                yield from self._with_accelerator(first, last)
            if match is None:
                return
            position = match.end()
            lead = _ITEM.match(self.value, position)
            if self._is_within(stop, position, lead is not None):
                yield Code(stop, position, "void", text=" ")
            else:
                yield None
                position = lead.end() if lead else position
            self.line = position

    def _with_accelerator(self, start: int, end: int) -> Iterator[Text]:
        """A text with the character of a shortcut as a unit."""
        mark = self.string.accelerator
        if mark is not None and start <= mark.start and mark.end <= end:
            yield from _units(self.value, start, mark.start, self.has_quotes)
            sign = Code(mark.sign, mark.sign + 1, "void")
            yield Shortcut(mark.start, mark.end, mark.text, sign, mark.letter)
            start = mark.end
        yield from _units(self.value, start, end, self.has_quotes)

    def _is_within(self, start: int, end: int, is_item: bool) -> bool:
        """Return whether a line break is within a block."""
        number = len(self.made)
        if self.choices is not None:
            within = number < len(self.choices) and self.choices[number]
        else:
            before = self.value[self.line : start].rstrip()
            after = self.value[end : end + 1]
            is_full = len(before) >= _FULL_LINE and before[-1] not in _ENDS
            goes_on = (after.isalpha() and is_full) or _GOES_ON.match(self.value, end) is not None
            within = bool(before) and not is_item and goes_on
        self.made.append(within)
        return within


def _codes(value: str, given: Sequence[Code], has_quotes: bool) -> list[Code]:
    """The placeholders and tags of a string; outer ones come before nested ones. A tag at the end
    of a block is a void code with `BLOCK_END` as its text."""
    ranges = message_placeholders(without_quoted(value) if has_quotes else value)
    if has_quotes:
        ranges += quoted_names(value)
    inner = [Code(start, end, "protected") for start, end in ranges]
    if "<" in value:
        inner += tag_codes(value)
    codes = [*given, *(code for code in inner if not _divides_tags(code, given))]
    codes.sort(key=lambda code: code.start)
    outer: list[Code] = []
    for code in codes:
        if outer and code.start < outer[-1].end:
            continue
        if outer and _are_keys(value, outer[-1], code):
            outer[-1] = replace(outer[-1], end=code.end)
        else:
            outer.append(code)
    return outer


def _are_keys(value: str, code: Code, after: Code) -> bool:
    """Return whether two codes are protected elements written together."""
    return (
        code.kind == after.kind == "protected"
        and value[code.start] == value[after.start] == "<"
        and BETWEEN_KEYS.fullmatch(value, code.end, after.start) is not None
    )


def _divides_tags(code: Code, tags: Sequence[Code]) -> bool:
    """Return whether a range has a tag of the file without its partner."""
    depth = 0
    for index in range(bisect_left(tags, code.start, key=lambda tag: tag.start), len(tags)):
        if tags[index].start >= code.end or depth < 0:
            break
        if _is_tag(tags[index]):
            depth += 1 if tags[index].kind == "open" else -1
    return depth != 0


def _split_at_bars(value: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges between bars, used by Vue between plural forms and by pages in titles."""
    position = start
    for match in _SEPARATOR.finditer(value, start, end):
        yield position, match.start()
        position = match.end()
    yield position, end


def _units(value: str, start: int, end: int, has_quotes: bool) -> Iterator[Text]:
    """A text, with character references, doubled apostrophes and quoted braces read as
    characters."""

    def meaning(match: re.Match[str]) -> str:
        return meaning_of_quotes(match[0]) if match[0][0] == "'" else unescape(match[0])

    return texts_of(value, start, end, _QUOTES_UNIT if has_quotes else REFERENCE, meaning)


def _locate(part: Part, offsets: Sequence[int]) -> Iterator[Part]:
    """A part of a string as parts of the file: runs of unescaped characters, and each escape as a
    unit."""
    start, end = offsets[part.start], offsets[part.end]
    if isinstance(part, Code):
        yield replace(part, start=start, end=end)
    elif isinstance(part, Shortcut):
        mark = replace(part.mark, start=offsets[part.mark.start], end=offsets[part.mark.end])
        yield replace(part, start=start, end=end, mark=mark)
    elif len(part.text) != part.end - part.start:
        yield Text(start, end, part.text)
    else:
        indices = range(part.start, part.end)
        for plain, group in groupby(indices, key=lambda i: offsets[i + 1] - offsets[i] == 1):
            run = list(group)
            for first, last in [(run[0], run[-1])] if plain else zip(run, run, strict=True):
                characters = part.text[first - part.start : last + 1 - part.start]
                yield Text(offsets[first], offsets[last + 1], characters)
