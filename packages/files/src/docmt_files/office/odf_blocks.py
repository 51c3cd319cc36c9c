"""The blocks of the XML of OpenDocument files (ODF 1.2 and 1.3).

Blocks are paragraphs, headings, and titles and descriptions of objects and tables. Tabs divide a
paragraph, because tabs stand between columns. The two ends of a range, such as a bookmark, are a
pair around the words in it. Adjacent spans of the same look are one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from docmt_files.base.messages import Message
from docmt_files.base.wording import counted
from docmt_files.core.blocks import Blocks
from docmt_files.core.inline import Block, Code, Part, has_word
from docmt_files.core.protection.placeholders import protect
from docmt_files.core.scopes import value_in_scopes
from docmt_files.core.xml_events import XmlEvent, attribute_texts, attribute_value_range
from docmt_files.office import odf_names as names
from docmt_files.office.odf_paragraphs import Paragraph, Style, collapsed, plain
from docmt_files.office.odf_scopes import OdfScopes
from docmt_files.storage.characters import escape_attribute

_Role = Literal["container", "block", "pair", "ruby", "base", "object"]
_INLINE = ("block", "pair", "base")
"""The roles of elements with text as part of a block."""


def find_blocks(text: str, events: Sequence[XmlEvent]) -> Blocks:
    """The blocks of a part of an OpenDocument file, and notes on text left untranslated.

    Args:
        text: the text of the part.
        events: the events of the text, from `read_events`.
    """
    finder = _Finder(text, headings(events))
    for event in events:
        finder.read(event)
    hidden = sum(
        any(value_in_scopes(scope, "hidden") is not None for scope in block.scopes)
        for block in finder.blocks
    )
    notes = list(finder.notes())
    if hidden:
        text = f"{counted(hidden, 'hidden paragraph')}, translated like the rest"
        notes.append(Message(text, kind="hidden"))
    return Blocks(finder.blocks, kept=tuple(notes))


def headings(events: Sequence[XmlEvent]) -> frozenset[str]:
    """The texts of the headings of a part, for their entries in tables of contents."""
    texts = []
    parts: list[str] = []
    depth = notes = 0
    for event in events:
        step = {"start": 1, "end": -1}.get(event.kind, 0)
        depth += step if event.name == names.HEADING else 0
        notes += step if event.name == names.NOTE else 0
        if event.kind == "text" and depth and not notes:
            parts.append(event.text)
        elif step and event.name in names.SPACES:
            parts.append(" ")
        elif step < 0 and event.name == names.HEADING and not depth:
            texts.append(plain("".join(parts)))
            parts = []
    return frozenset(texts)


@dataclass(slots=True)
class _Open:
    """An open element, with the data needed at its end."""

    role: _Role
    start: int = 0
    skips_paragraphs: bool = False
    attributes: list[Block] = field(default_factory=list)
    base_end: int = -1


class _Finder:
    """Goes through the events of a part."""

    def __init__(self, text: str, headings: frozenset[str]) -> None:
        self.text, self.headings = text, headings
        self.scopes = OdfScopes()
        self.blocks: list[Block] = []
        self.open: list[_Open] = []
        self.paragraphs: list[Paragraph] = []
        self.skipped = 0
        """Number of open elements within an unread element, itself included."""
        self.leaf: _Leaf | None = None
        self.index = 0
        """Number of open elements of the kind "body of an index"."""
        self.styles: dict[str, Style] = {}
        self.style: list[object] | None = None
        self.counts: Counter[str] = Counter()

    def notes(self) -> Iterator[str]:
        """Return notes on possible text left untranslated."""
        if count := self.counts["comment"]:
            yield f"{counted(count, 'comment')} not translated"
        if count := self.counts["deletion"]:
            yield f"{counted(count, 'tracked deletion')} kept, not translated"
        if count := self.counts["ruby"]:
            yield f"{counted(count, 'ruby text')} kept above translated words"
        if count := self.counts["formula"]:
            yield (
                f"{counted(count, 'cell')} with formulas keep their results until the "
                "spreadsheet is calculated again"
            )
        if count := self.counts["pivot"]:
            yield (
                f"{counted(count, 'pivot table')} may name columns by headers that are translated: "
                "check and refresh"
            )

    def read(self, event: XmlEvent) -> None:
        """Read the next event."""
        if event.kind == "start":
            self.scopes.start(event)
            self._count(event)
            if self.skipped:
                self.skipped += 1
            else:
                self._start(event)
        elif event.kind == "end":
            if self.skipped:
                self.skipped -= 1
                if not self.skipped and self.leaf is not None:
                    self._end_leaf(self.leaf, event.end)
            else:
                self._end(event)
            self.scopes.end(event)
        elif self.skipped:
            if self.leaf is not None and event.kind in ("text", "cdata"):
                self.leaf.has_text = self.leaf.has_text or not event.text.isspace()
        elif self._is_inline():
            parts = self.paragraphs[-1].parts
            if event.kind == "text":
                parts += collapsed(self.text, event)
            else:
                kind: Literal["protected", "void"] = (
                    "protected" if event.kind == "cdata" else "void"
                )
                parts.append(Code(event.start, event.end, kind))

    def _is_inline(self) -> bool:
        return bool(self.open) and self.open[-1].role in _INLINE

    def _count(self, event: XmlEvent) -> None:
        """Count an element for the notes."""
        if event.name == names.ANNOTATION:
            self.counts["comment"] += 1
        elif event.name == names.DELETION:
            self.counts["deletion"] += 1
        elif event.name == names.TABLE + "data-pilot-table":
            self.counts["pivot"] += 1

    def _start(self, event: XmlEvent) -> None:
        name = event.name
        self._start_style(event)
        if self._is_inline():
            self._start_inline(event)
        elif self.open and self.open[-1].role == "ruby":
            self._start_in_ruby(event)
        elif name in names.KEPT:
            self.skipped = 1
        elif name in names.PARAGRAPHS or name in names.TEXT_ELEMENTS:
            if self.open and self.open[-1].skips_paragraphs and name in names.PARAGRAPHS:
                self.skipped = 1
                return
            self.open.append(_Open("block"))
            level = event.attributes.get(names.TEXT + "outline-level", "")
            heading = int(level) if name == names.HEADING and re.fullmatch("[1-9]", level) else 0
            self.paragraphs.append(Paragraph(in_index=bool(self.index), heading=heading))
        else:
            opened = _Open("container", event.start)
            self._add(self._attributes(event))
            if name in names.CELLS:
                self._start_cell(event, opened)
            self.index += name == names.TEXT + "index-body"
            self.open.append(opened)

    def _start_inline(self, event: XmlEvent) -> None:
        """An element in a paragraph."""
        name = event.name
        paragraph = self.paragraphs[-1]
        self._add(self._attributes(event))
        if name == names.SPAN and self._is_code(event.attributes.get(names.STYLE_NAME, "")):
            self._start_leaf(event, _Leaf(event, "protected"))
        elif name in names.PAIRS:
            is_empty = self.text.endswith("/>", event.start, event.end)
            style = event.attributes.get(names.STYLE_NAME, "") if name == names.SPAN else ""
            scope = self.scopes.of_style(style, None)
            paragraph.open_pair(event, None if is_empty else self._look(event), scope)
            self.open.append(_Open("pair"))
        elif name == names.RUBY:
            self.counts["ruby"] += 1
            paragraph.open_pair(event, None)
            self.open.append(_Open("ruby", event.start))
        elif name in names.SPACES:
            is_break = name.endswith("line-break")
            self._start_leaf(event, _Leaf(event, "void", "\n" if is_break else " "))
        elif name in names.RANGES or name in names.RANGE_ENDS:
            self._start_leaf(event, _Leaf(event, "void"))
        elif (name.startswith(names.TEXT) and name != names.NOTE) or name in names.FIELDS:
            self._start_leaf(event, _Leaf(event, None))
        else:
            self.open.append(_Open("object", event.start))

    def _start_in_ruby(self, event: XmlEvent) -> None:
        """Begin an element of a ruby. The base text is translated, the ruby is kept: both ends of
        the pair hold everything around the base text."""
        if event.name == names.RUBY_BASE and self.open[-1].base_end < 0:
            self.paragraphs[-1].extend_pair(event.end)
            self.open.append(_Open("base"))
        else:
            self.skipped = 1

    def _start_leaf(self, event: XmlEvent, leaf: _Leaf) -> None:
        self.skipped, self.leaf = 1, leaf
        if event.name == names.TEXT + "tab":
            self.paragraphs[-1].tabs.add(event.start)

    def _end_leaf(self, leaf: _Leaf, end: int) -> None:
        """The code of an unread element."""
        self.leaf = None
        paragraph = self.paragraphs[-1]
        event = leaf.event
        kind = leaf.kind or ("protected" if leaf.has_text else "void")
        paragraph.parts.append(Code(event.start, end, kind, text=leaf.text))
        if event.name in names.RANGES or event.name in names.RANGE_ENDS:
            paragraph.add_range_end(event)

    def _start_cell(self, event: XmlEvent, opened: _Open) -> None:
        """Begin a cell of a table. Numbers and results of formulas are kept; a text value is
        translated like the paragraphs of the cell."""
        formula = names.TABLE + "formula" in event.attributes
        self.counts["formula"] += formula
        kind = event.attributes.get(names.OFFICE + "value-type", "string")
        opened.skips_paragraphs = formula or kind != "string"
        if not opened.skips_paragraphs and names.OFFICE + "string-value" in event.attributes:
            opened.attributes = list(self._lines(event, names.OFFICE + "string-value"))

    def _end(self, event: XmlEvent) -> None:
        if self.style is not None and event.name == names.STYLE + "style":
            parent, *properties = self.style[1:]
            visible = (
                property_
                for property_ in properties
                if isinstance(property_, tuple) and len(property_) > 1
            )
            self.styles[str(self.style[0])] = (parent, *visible)
            self.style = None
        opened = self.open.pop()
        if opened.role == "block":
            paragraph = self.paragraphs.pop()
            scopes = () if self.scopes.scope is None else (self.scopes.scope,)
            self._add(paragraph.blocks(self.headings, scopes, nested=bool(self.paragraphs)))
        elif opened.role == "pair":
            self.paragraphs[-1].close_pair(event.start, event.end)
        elif opened.role == "ruby":
            self.paragraphs[-1].close_pair(
                opened.base_end if opened.base_end >= 0 else event.start, event.end
            )
        elif opened.role == "base":
            self.open[-1].base_end = event.start
        elif opened.role == "object":
            self.paragraphs[-1].parts.append(Code(opened.start, event.end, "void"))
        self._add(opened.attributes)
        self.index -= event.name == names.TEXT + "index-body"

    def _add(self, blocks: Sequence[Block]) -> None:
        """Add blocks, after the block of the paragraph around them if there is one."""
        (self.paragraphs[-1].nested if self.paragraphs else self.blocks).extend(blocks)

    def _attributes(self, event: XmlEvent) -> list[Block]:
        """The visible attributes of an element."""
        keys = names.ATTRIBUTES.get(event.name, ())
        if event.name.startswith(names.FORM):
            keys = names.FORM_ATTRIBUTES
        lines = (list(self._lines(event, key)) for key in keys if key in event.attributes)
        return [block for blocks in lines for block in blocks]

    def _lines(self, event: XmlEvent, name: str) -> Iterator[Block]:
        """The lines of an attribute as blocks."""
        start, end = attribute_value_range(self.text, event, name)
        lines: list[list[Part]] = [[]]
        for part in attribute_texts(self.text, start, end):
            if self.text.startswith(("&#10;", "&#xA;", "&#xa;"), part.start):
                lines.append([])
            else:
                lines[-1].append(part)
        for line in lines:
            if any(has_word(part.text) for part in line):
                block = tuple(protect(line))
                yield Block(block, escape_attribute, nested=True)

    def _start_style(self, event: XmlEvent) -> None:
        """Note the look of styles of characters, without the time of writing."""
        attributes = event.attributes
        if event.name == names.STYLE + "style" and attributes.get(names.STYLE + "family") == "text":
            parent = attributes.get(names.STYLE + "parent-style-name", "")
            self.style = [attributes.get(names.STYLE + "name", ""), parent]
        elif self.style is not None:
            visible = (item for item in attributes.items() if not item[0].startswith(names.OOO))
            self.style.append((event.name, *sorted(visible)))

    def _look(self, event: XmlEvent) -> Style | None:
        """Return the look of a span; None if it must not be joined with others."""
        if event.name != names.SPAN or set(event.attributes) != {names.STYLE_NAME}:
            return None
        name = event.attributes[names.STYLE_NAME]
        return self.styles.get(name, (name,))

    def _is_code(self, style: str) -> bool:
        return style in names.CODE_STYLES or self.styles.get(style, ("",))[0] in names.CODE_STYLES


@dataclass(slots=True)
class _Leaf:
    """An element as one code with everything in it."""

    event: XmlEvent
    kind: Literal["void", "protected"] | None
    """None: protected if it has text."""
    text: str = ""
    has_text: bool = False
