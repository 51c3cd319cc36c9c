"""Paragraphs of runs, as office files have them, as text with inline codes.

In these files formatting is not a pair of tags around words: a paragraph is a row of runs, each
with its text and its properties. So it is read as items (text with its properties, what stands
between, hyperlinks and the like around others), and these are written as a line of characters in
which codes stand for all that is not text. `BlockSkeleton` works on these lines. A line that
has changed is written as runs again: text with the properties that the codes before it give.
`docmt.formats.office.office_lines` finds the lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from docmt.formats.core.blocks import Blocks
from docmt.formats.core.inline import Block, Code, CodeKind, Part, Text, has_word
from docmt.formats.core.protected import protect

ItemKind = Literal["text", "void", "protected", "open", "close", "end"]
"""`open` and `close` are the ends of what is around other items; `end` ends a block."""

BLANKS = 3
"""From how many blanks with properties of their own on they are a form to fill in."""

PARAGRAPH_END = "\x1e"
"""The end of a line of a paragraph. Neither this nor what delimits codes is in any XML."""

_TOKEN = re.compile("\x02([^\x03]*)\x03|([^\x02\x1e]+)")
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Atom(NamedTuple):
    """A range of the file that is written as it stands.

    Attributes:
        start: the offset at which it starts.
        end: the offset at which it ends.
        properties: those of the run in which it stands; None outside of runs.
    """

    start: int
    end: int
    properties: str | None = None


class Item(NamedTuple):
    """A part of a paragraph.

    Attributes:
        kind: what it is.
        text: what it means; of a code, what the sentence has in its place.
        properties: of text, those of its run.
        atoms: of a code, what is written.
        literal: of a code that is a character of text, this.
    """

    kind: ItemKind
    text: str = ""
    properties: str = ""
    atoms: tuple[Atom, ...] = ()
    literal: str = ""


class RunCode(NamedTuple):
    """A code in a line. One of formatting gives the properties of the text up to its partner, as
    does one of a container, in which text has properties of its own.

    Attributes:
        kind: what it is; `end` ends a block.
        item: what is written for it; None for formatting alone.
        properties: those of the text after it.
    """

    kind: CodeKind | Literal["end"]
    item: Item | None = None
    properties: str = ""


@dataclass(slots=True)
class Paragraph:
    """A paragraph of a part.

    Attributes:
        part: the index of its part.
        start: the offset at which what is written for it starts.
        end: the offset at which it ends.
        items: what it holds.
        mark: the properties that its text has if nothing else is said.
        spell: writes it.
        twin: the paragraph that has the same text, and whose translation it gets.
        line: its text with codes; this and what follows is found by `encode_paragraph`.
        codes: its codes by their keys in the line.
        base: the properties of its text before the first code.
    """

    part: int
    start: int
    end: int
    items: list[Item]
    spell: Speller
    mark: str = ""
    twin: Paragraph | None = None
    line: str = ""
    codes: dict[str, RunCode] = field(default_factory=dict)
    base: str = ""


class Written(NamedTuple):
    """A stretch of a paragraph as it is written: text or an atom.

    Attributes:
        text: text.
        properties: its properties.
        atom: what is written in its place.
    """

    text: str
    properties: str
    atom: Atom | None = None


Speller = Callable[[Sequence[Written], Callable[[int, int], str]], str]
"""Writes a paragraph, given its stretches and a function for ranges of the file."""


def twins(paragraph: Paragraph, other: Paragraph) -> bool:
    """Return whether two paragraphs have the same text and codes of the same kinds in the same
    places."""
    mine, theirs = tokens(paragraph.line), tokens(other.line)
    if len(mine) != len(theirs):
        return False
    return all(
        a == b
        if isinstance(a, str) and isinstance(b, str)
        else not isinstance(a, str)
        and not isinstance(b, str)
        and paragraph.codes[a.key].kind == other.codes[b.key].kind
        for a, b in zip(mine, theirs, strict=True)
    )


def find_blocks(text: str, paragraphs: Sequence[Paragraph], kept: Sequence[str] = ()) -> Blocks:
    """The blocks of the lines of these paragraphs."""
    lines = text.split(PARAGRAPH_END)
    if len(lines) != len(paragraphs) + 1:
        return Blocks([])
    blocks: list[Block] = []
    position = 0
    for line, paragraph in zip(lines, paragraphs, strict=False):
        blocks += _blocks_of(line, position, paragraph)
        position += len(line) + 1
    return Blocks(blocks, kept=tuple(kept))


def written(paragraph: Paragraph, line: str) -> list[Written]:
    """The stretches of a paragraph with this line, which has its codes or those of its twin."""
    source = paragraph.twin or paragraph
    names: dict[str, list[str]] = {}
    if source is not paragraph:
        pairs = zip(tokens(source.line), tokens(paragraph.line), strict=True)
        for theirs, mine in pairs:
            if not isinstance(theirs, str) and not isinstance(mine, str):
                names.setdefault(theirs.key, []).append(mine.key)
    out: list[Written] = []
    current = paragraph.base
    outer: list[str] = []
    for token in tokens(line):
        if isinstance(token, str):
            out.append(Written(token, current))
            continue
        key = token.key
        if key in names:
            key = names[key].pop(0) if len(names[key]) > 1 else names[key][0]
        code = paragraph.codes[key]
        if code.kind == "close":
            current = outer.pop()
        elif code.kind == "open":
            outer.append(current)
            current = code.properties
        if code.item is not None:
            out.append(Written(code.item.literal, current))
            out += (Written("", "", atom) for atom in code.item.atoms)
        if code.kind == "end":
            current = code.properties
    assert not outer, "pairs are nested"
    return list(_merged(out))


def _merged(stretches: Iterable[Written]) -> Iterator[Written]:
    """Stretches with adjacent texts of equal properties as one."""
    last: Written | None = None
    for stretch in stretches:
        if stretch.atom is None and not stretch.text:
            continue
        if (
            last is not None
            and last.atom is None
            and stretch.atom is None
            and last.properties == stretch.properties
        ):
            last = Written(last.text + stretch.text, last.properties)
            continue
        if last is not None:
            yield last
        last = stretch
    if last is not None:
        yield last


class Token(NamedTuple):
    """A code in a line."""

    key: str


def tokens(line: str) -> list[str | Token]:
    """The texts and codes of a line."""
    return [
        match[2] if match[2] is not None else Token(match[1]) for match in _TOKEN.finditer(line)
    ]


def _blocks_of(line: str, position: int, paragraph: Paragraph) -> Iterator[Block]:
    """The blocks of a line that starts at an offset."""
    parts: list[Part] = []
    pairs: list[int] = []
    for match in _TOKEN.finditer(line):
        start, end = position + match.start(), position + match.end()
        if match[2] is not None:
            parts.append(Text(start, end, match[2]))
            continue
        code = paragraph.codes.get(match[1])
        if code is None or code.kind == "end":
            yield from _block(parts)
            parts = []
        elif code.kind == "open":
            pairs.append(len(parts))
            parts.append(Code(start, end, "open", pairs[-1]))
        elif code.kind == "close":
            kind: CodeKind = "close" if pairs else "void"
            parts.append(Code(start, end, kind, pairs.pop() if pairs else -1))
        else:
            text = code.item.text if code.item else ""
            parts.append(Code(start, end, code.kind, text=text))
    yield from _block(parts)


def _block(parts: Sequence[Part]) -> Iterator[Block]:
    """The parts as a block, if they have text."""
    if any(isinstance(part, Text) and has_word(part.text) for part in parts):
        yield Block(tuple(protect(parts)), _escape)


def _escape(text: str, _: bool) -> str:
    """Text without what no XML can hold."""
    return _NO_TEXT.sub("\ufffd", text)
