"""Paragraphs of runs, as in office files, as text with inline codes.

Formatting in these files is not a pair of tags around words: a paragraph is a row of runs, each
with text and properties. So a paragraph is read as items (text with its properties, codes between,
hyperlinks and the like around others), and the items are written as a line of characters with codes
for everything but text. `BlockSkeleton` works on these lines. A changed line is written as runs
again: text with the properties given by the codes before it. `docmt_files.office.office_lines`
finds the lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from docmt_files.core.blocks import Blocks
from docmt_files.core.inline import Block, Code, CodeKind, Part, Text, has_word
from docmt_files.core.protection.placeholders import protect
from docmt_files.core.scopes import Scope

ItemKind = Literal["text", "void", "protected", "open", "close", "end"]
"""`open` and `close` are the ends of an element around other items; `end` ends a block."""

BLANKS = 3
"""From how many blanks with properties of their own on they are a form to fill in."""

PARAGRAPH_END = "\x1e"
"""The end of a line of a paragraph. This character and the delimiters of codes are not allowed in
XML."""

_TOKEN = re.compile("\x02([^\x03]*)\x03|([^\x02\x1e]+)")
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Atom(NamedTuple):
    """A range of the file, copied as it is.

    Attributes:
        start: the offset at which it starts.
        end: the offset at which it ends.
        properties: the properties of the run around it; None outside of runs.
    """

    start: int
    end: int
    properties: str | None = None


class Item(NamedTuple):
    """A part of a paragraph.

    Attributes:
        kind: the kind of item.
        text: the meaning of text; of a code, the text of the sentence in its place.
        properties: of text, the properties of the run.
        atoms: of a code, the ranges to copy.
        literal: of a code for a character of text, the character.
    """

    kind: ItemKind
    text: str = ""
    properties: str = ""
    atoms: tuple[Atom, ...] = ()
    literal: str = ""


def split_at_tabs(text: str, properties: str) -> Iterator[Item]:
    """The text of a run; a tab ends a block."""
    for index, piece in enumerate(text.split("\t")):
        if index:
            yield Item("end", literal="\t")
        if piece:
            yield Item("text", piece, properties)


class RunCode(NamedTuple):
    """A code in a line. A formatting code gives the properties of the text up to its partner, and
    so does a code of a container with properties of its own.

    Attributes:
        kind: the kind of code; `end` ends a block.
        item: the item to write; None for formatting alone.
        properties: the properties of the text after it.
    """

    kind: CodeKind | Literal["end"]
    item: Item | None = None
    properties: str = ""


@dataclass(slots=True)
class Paragraph:
    """A paragraph of a part.

    Attributes:
        part: the index of the part.
        start: the offset at which the range to replace starts.
        end: the offset at which the range ends.
        items: the items of the paragraph.
        mark: the default properties of the text.
        spell: writes the paragraph.
        twin: the paragraph with the same text, and with the translation to use.
        scopes: where it stands.
        run_scope: finds the scope of text from its properties, such as a style of characters.
        line: the text with codes; this field and the ones below are set by `encode_paragraph`.
        codes: the codes by their keys in the line.
        base: the properties of text before the first code.
    """

    part: int
    start: int
    end: int
    items: list[Item]
    spell: Speller
    mark: str = ""
    twin: Paragraph | None = None
    scopes: list[Scope] = field(default_factory=list)
    run_scope: Callable[[str], Scope | None] = lambda _: None
    line: str = ""
    codes: dict[str, RunCode] = field(default_factory=dict)
    base: str = ""


class Written(NamedTuple):
    """A stretch of a paragraph in the output: text or an atom.

    Attributes:
        text: the text.
        properties: the properties of the text.
        atom: the atom in place of text.
    """

    text: str
    properties: str
    atom: Atom | None = None


Speller = Callable[[Sequence[Written], Callable[[int, int], str]], str]
"""Writes a paragraph, given the stretches and a function for ranges of the file."""


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
    """The stretches of a paragraph with this line and the codes of the paragraph or of its twin."""
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
    """The blocks of a line starting at an offset."""
    parts: list[Part] = []
    pairs: list[int] = []
    scopes = tuple(paragraph.scopes)
    if (own := paragraph.run_scope(paragraph.base)) is not None:
        scopes = tuple(own.within(scope) for scope in scopes or (None,))
    for match in _TOKEN.finditer(line):
        start, end = position + match.start(), position + match.end()
        if match[2] is not None:
            parts.append(Text(start, end, match[2]))
            continue
        code = paragraph.codes.get(match[1])
        if code is None or code.kind == "end":
            yield from _block(parts, scopes)
            parts = []
        elif code.kind == "open":
            pairs.append(len(parts))
            scope = paragraph.run_scope(code.properties)
            parts.append(Code(start, end, "open", pairs[-1], scope=scope))
        elif code.kind == "close":
            kind: CodeKind = "close" if pairs else "void"
            parts.append(Code(start, end, kind, pairs.pop() if pairs else -1))
        else:
            text = code.item.text if code.item else ""
            parts.append(Code(start, end, code.kind, text=text))
    yield from _block(parts, scopes)


def _block(parts: Sequence[Part], scopes: tuple[Scope, ...]) -> Iterator[Block]:
    """The parts as a block, if they have text."""
    if any(isinstance(part, Text) and has_word(part.text) for part in parts):
        yield Block(tuple(protect(parts)), _escape, scopes=scopes)


def _escape(text: str, _: bool) -> str:
    """Text without characters XML cannot hold."""
    return _NO_TEXT.sub("\ufffd", text)
