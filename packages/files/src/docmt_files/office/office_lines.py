"""The lines of paragraphs of runs: their text with codes.

Text with other properties than the paragraph has a pair of codes around it. Adjacent runs with the
same properties are one, and blanks between runs belong to neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2s
from itertools import pairwise
from typing import NamedTuple

from docmt_files.office.office_runs import Item, Paragraph, RunCode


def encode_paragraph(paragraph: Paragraph, text: str) -> None:
    """Find the line and codes of a paragraph of a part with this text."""
    builder = _LineBuilder(paragraph, text)
    for segment in _segments(_ended(paragraph.items)):
        builder.add(segment)
    paragraph.line = "".join(builder.line)


def _ended(items: Sequence[Item]) -> list[Item]:
    """Items with ends of blocks at double line breaks, and at all items around an end."""
    ended = list(items)
    breaks = [index for index, item in enumerate(ended) if item.kind == "void" and item.text]
    for first, second in pairwise(breaks):
        between = ended[first + 1 : second]
        if not any(item.kind == "text" and item.text.strip() for item in between):
            for index in (first, second):
                ended[index] = ended[index]._replace(kind="end")
    stack: list[int] = []
    partners: dict[int, int] = {}
    split: set[int] = set()
    for index, item in enumerate(ended):
        if item.kind == "open":
            stack.append(index)
        elif item.kind == "close":
            partners[stack.pop()] = index
        elif item.kind == "end":
            for outer in reversed(stack):
                if outer in split:
                    break
                split.add(outer)
    for index in split:
        for end in (index, partners[index]):
            ended[end] = ended[end]._replace(kind="end")
    return ended


class _Segment(NamedTuple):
    """The items of a block, and the end of the block."""

    items: list[Item]
    end: Item | None


def _segments(items: Sequence[Item]) -> Iterator[_Segment]:
    """The segments between items with the kind `end`."""
    segment: list[Item] = []
    for item in items:
        if item.kind == "end":
            yield _Segment(segment, item)
            segment = []
        else:
            segment.append(item)
    yield _Segment(segment, None)


@dataclass(slots=True)
class _Group:
    """Items with the same things around them: texts, codes, and groups in them."""

    open: Item | None
    children: list[Item | _Group] = field(default_factory=list)
    close: Item | None = None


def _grouped(items: Sequence[Item]) -> _Group:
    """Items as a tree."""
    groups = [_Group(None)]
    for item in items:
        if item.kind == "open":
            group = _Group(item)
            groups[-1].children.append(group)
            groups.append(group)
        elif item.kind == "close":
            groups.pop().close = item
        else:
            groups[-1].children.append(item)
    return groups[0]


def _base(group: _Group, mark: str | None) -> str:
    """The properties of the text of a group without need of a code: the properties of the
    paragraph, none, or the properties of most of the text. The choice hardly depends on the length
    of the text, so a translation gets the same."""
    sizes: Counter[str] = Counter()
    for child in group.children:
        if isinstance(child, Item) and child.kind == "text" and child.text.strip():
            sizes[child.properties] += len(child.text)
    if mark is not None and (mark in sizes or len(sizes) <= 1):
        return mark
    if "" in sizes or not sizes:
        return ""
    return sizes.most_common(1)[0][0]


class _LineBuilder:
    """Builds the line of a paragraph of a part with this text."""

    def __init__(self, paragraph: Paragraph, text: str) -> None:
        self.paragraph, self.text = paragraph, text
        self.line: list[str] = []
        self.end: Item | None = None

    def add(self, segment: _Segment) -> None:
        """Add a segment."""
        group = _grouped(segment.items)
        base = _base(group, self.paragraph.mark)
        if self.end is None:
            self.paragraph.base = base
        else:
            self._add_code("e", RunCode("end", self.end, base))
        self._add_group(group, base)
        self.end = segment.end

    def _add_group(self, group: _Group, base: str) -> None:
        """Add the children of a group, with pairs around texts with other properties."""
        current: str | None = None
        waiting: list[Item | _Group] = []
        for child in group.children:
            if isinstance(child, _Group) or child.kind != "text" or not child.text.strip():
                waiting.append(child)
                continue
            properties = child.properties if child.properties != base else None
            if properties != current:
                self._close(current)
                self._add_all(waiting)
                if properties is not None:
                    self._add_code("f", RunCode("open", None, properties))
            else:
                self._add_all(waiting)
            waiting, current = [], properties
            self.line.append(child.text)
        self._close(current)
        self._add_all(waiting)

    def _add_all(self, children: Sequence[Item | _Group]) -> None:
        for child in children:
            if isinstance(child, _Group):
                base = _base(child, None)
                self._add_code("c", RunCode("open", child.open, base))
                self._add_group(child, base)
                self._add_code("c", RunCode("close", child.close))
            elif child.kind == "text":
                self.line.append(child.text)
            elif child.kind == "protected":
                self._add_code("p", RunCode("protected", child))
            else:
                self._add_code("v", RunCode("void", child))

    def _close(self, properties: str | None) -> None:
        if properties is not None:
            self._add_code("f", RunCode("close"))

    def _add_code(self, letter: str, code: RunCode) -> None:
        """Add a code. The key of the code is made of its replacement, so the same code has the same
        key in a translated file, at any place."""
        item = code.item or Item("void")
        content = [code.kind, code.properties, item.literal]
        content += (f"{atom.properties}{self.text[atom.start : atom.end]}" for atom in item.atoms)
        digest = blake2s("\0".join(content).encode(), digest_size=8).hexdigest()
        self.paragraph.codes[letter + digest] = code
        self.line.append(f"\x02{letter}{digest}\x03")
