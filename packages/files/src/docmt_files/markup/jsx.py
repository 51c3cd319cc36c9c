"""JSX in Markdown: modules (`import`, `export`), elements and expressions (`{…}`), as of MDX.

They are found before Markdown is parsed, and masked: each is as many characters that no text has,
so the parser takes it for a word, or for a line of its own, and all offsets stay. Code blocks, code
spans and formulas have no JSX. What JavaScript is in the braces is not parsed: strings, templates
and comments are skipped, and braces counted.

A Markdown file has JSX if its name ends in `.mdx`, if it imports or exports, or if it has an
element of a component: one with an end or with an expression, whose name begins with a capital.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import unescape
from itertools import islice
from typing import Literal, NamedTuple

from docmt_files.core.inline import Block, Code, has_letter, texts_of
from docmt_files.core.protection.placeholders import protect
from docmt_files.markup.jsx_scanner import JsxRange, JsxScanner, JsxValue

_MAY_HAVE_JSX = re.compile(r"<[A-Z]|^(?:import|export)\b", re.MULTILINE)
_SPACE = re.compile(r"\{\s*(['\"`])\s*\1\s*\}")
_NO_WORD = re.compile(r"\{\s*(?:(?:/\*.*\*/|//.*)\s*|#[\w-]*)?\}", re.DOTALL)
"""An expression that stands for no word: a comment, nothing, or the name of a heading."""
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPE = re.compile(r"\\(['\"`\\])")
_NAME = re.compile(r"[^\s]*[_/.:@#$][^\s]*|[a-z]+(?:[A-Z]\w*)+")
"""A value that is a path, an address or a name of a program."""
_MASKS = (*range(0x2E00, 0x2E40), *range(0xE000, 0xF8FF))
"""Characters for masks: rare punctuation, which the marks around a tag are read by, or others."""


class Jsx(NamedTuple):
    """The JSX of a file.

    Attributes:
        masked: the text with masks, of the same length.
        ranges: what is masked, by the offset at which it begins.
        mask: matches a mask.
        is_mdx: whether lines are read as by MDX, without indented code and HTML.
    """

    masked: str
    ranges: Mapping[int, JsxRange] = {}
    mask: re.Pattern[str] = re.compile(r"(?!)")
    is_mdx: bool = False

    def code(self, start: int, end: int, pairs: dict[str, int]) -> Code:
        """The code of a mask within text; a number stands for the name of a pair."""
        found = self.ranges[start]
        if found.kind in ("open", "close"):
            kind: Literal["open", "close"] = "open" if found.kind == "open" else "close"
            return Code(start, end, kind, pairs.setdefault(f"<{found.name}", len(pairs)))
        if found.kind == "void":
            return Code(start, end, "void", text="\n" if found.name == "br" else "")
        if found.kind == "expression" and _SPACE.fullmatch(found.text):
            return Code(start, end, "void", text=" ")
        is_word = found.kind != "comment" and _NO_WORD.fullmatch(found.text) is None
        return Code(start, end, "protected" if is_word else "void")

    def values(self, text: str, start: int, end: int) -> Iterator[Block]:
        """The blocks of texts in the elements in a range of a text, such as labels."""
        for mask in self.mask.finditer(self.masked, start, end):
            for value in self.ranges[mask.start()].values:
                yield from _value_block(text, value)

    def is_line(self, start: int, end: int) -> bool:
        """Return whether a range of a line is nothing but JSX."""
        position = start
        while match := self.mask.match(self.masked, position, end):
            position = match.end()
            while position < end and self.masked[position] in " \t":
                position += 1
        return start < position == end

    def is_element(self, start: int, end: int) -> bool:
        """Return whether a range of a line is an element that is a block, with text."""
        first = self.ranges.get(start)
        if first is None or first.kind not in ("open", "void") or not first.is_block:
            return False
        *_, last = self.mask.finditer(self.masked, start, end)
        return last.end() == end


def find_jsx(text: str, *, is_mdx: bool) -> Jsx:
    """The JSX of a file.

    Args:
        text: the file.
        is_mdx: whether the name says that it has JSX.
    """
    if not (is_mdx or _MAY_HAVE_JSX.search(text)):
        return Jsx(text)
    ranges = list(JsxScanner(text).ranges())
    has_modules = any(each.kind == "module" for each in ranges)
    if not (is_mdx or has_modules or _has_components(ranges)):
        return Jsx(text)
    first, rest = islice((c for c in map(chr, _MASKS) if c not in text), 2)
    pieces: list[str] = []
    position = 0
    for each in ranges:
        pieces += [text[position : each.start], first, rest * (each.end - each.start - 1)]
        position = each.end
    masked = "".join((*pieces, text[position:]))
    mask = re.compile(f"{first}{rest}*")
    is_indented = re.search(rf"^(?: {{4}}|\t)\s*(?:{mask.pattern}\s*)+$", masked, re.MULTILINE)
    is_mdx = is_mdx or has_modules or is_indented is not None
    return Jsx(masked, {each.start: each for each in ranges}, mask, is_mdx)


def _has_components(ranges: Sequence[JsxRange]) -> bool:
    """Return whether elements of components are among what may be JSX."""
    closed = {each.name for each in ranges if each.kind == "close"}
    return any(
        each.is_component and (each.kind == "void" or each.name in closed or "={" in each.text)
        for each in ranges
    )


def _value_block(text: str, value: JsxValue) -> Iterator[Block]:
    """The block of a text in an element, unless it is a name."""
    characters = text[value.start : value.end]
    if not has_letter(characters) or _NAME.fullmatch(characters.strip()):
        return
    unit = _ESCAPE if value.is_code else _REFERENCE
    meaning = _meaning_in_code if value.is_code else _meaning
    parts = tuple(protect(list(texts_of(text, value.start, value.end, unit, meaning))))
    escape = _escape_in_code if value.is_code else _escape
    yield Block(parts, partial(escape, value.quote), nested=True)


def _meaning(match: re.Match[str]) -> str:
    return unescape(match[0])


def _meaning_in_code(match: re.Match[str]) -> str:
    return match[1]


def _escape(quote: str, text: str, _: bool) -> str:
    """A text in quotation marks, as the value of an attribute."""
    text = re.sub(r"&(?=#?\w{1,32};)", "&amp;", text)
    return text.replace(quote, "&quot;" if quote == '"' else "&apos;")


def _escape_in_code(quote: str, text: str, _: bool) -> str:
    """A text in quotation marks, as a string of JavaScript."""
    text = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return text.replace("${", "\\${") if quote == "`" else text
