"""Shared parts of the formats of office files: paragraphs of several parts of a package as one
document, and the parts written with translations."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.messages import Message
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton, read_document
from docmt_files.core.inline import Block
from docmt_files.core.patches import Patch, outside
from docmt_files.core.scopes import Scope
from docmt_files.core.skeleton import FileRules
from docmt_files.core.xml_encodings import encode_xml
from docmt_files.core.xml_events import attribute_texts, attribute_value_range, raw_name
from docmt_files.core.zip_package import Package
from docmt_files.office.office_lines import encode_paragraph
from docmt_files.office.office_runs import (
    PARAGRAPH_END,
    Item,
    Paragraph,
    Written,
    find_blocks,
    twins,
    written,
)
from docmt_files.office.office_xml import Element, OfficeXml
from docmt_files.storage.characters import escape_attribute, escape_text


@dataclass(slots=True)
class OfficeDocument:
    """The paragraphs of an office file, collected by the reader of the format.

    Attributes:
        package: the file.
        parts: the parts with text or other changes.
        paragraphs: the paragraphs, in the order of translation.
        patches: for each part, changes besides translations.
        kept: notes on possible text left untranslated.
        distinct: groups of paragraphs with a demand to differ from each other.
        scope: where the paragraphs stand that are added next.
        left: the indices of the lines that stay as they are, set when the file is filled.
    """

    package: Package
    parts: list[OfficeXml] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    patches: dict[int, list[Patch]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    distinct: list[list[Paragraph]] = field(default_factory=list)
    scope: Scope | None = None
    left: set[int] = field(default_factory=set)

    def add_part(self, part: OfficeXml) -> int:
        """Add a part unless it is there; returns the index."""
        for index, existing in enumerate(self.parts):
            if existing.name == part.name:
                return index
        self.parts.append(part)
        return len(self.parts) - 1

    def note_hidden(self, number: int, noun: str, plural: str | None = None) -> None:
        """Note hidden content, which is translated; the nouns are as for `counted`."""
        if number:
            text = f"{counted(number, noun, plural)}, translated like the rest"
            self.kept.append(Message(text, kind="hidden"))

    def add(self, paragraph: Paragraph) -> Paragraph:
        """Add a paragraph."""
        if self.scope is not None and not paragraph.scopes:
            paragraph.scopes.append(self.scope)
        self.paragraphs.append(paragraph)
        encode_paragraph(paragraph, self.parts[paragraph.part].text)
        return paragraph

    def add_text(self, part: int, element: Element) -> Paragraph:
        """Add an element with nothing but text."""
        items = [Item("text", element.text)]
        return self.add(Paragraph(part, element.inner_start, element.inner_end, items, _plain))

    def add_attribute(
        self, part: int, element: Element, name: str, *, twin: Paragraph | None = None
    ) -> Paragraph:
        """Add an attribute. With a `twin`, the attribute always has the text of that paragraph."""
        text = self.parts[part].text
        start, end = _value_range(text, element, name)
        if twin is not None:
            paragraph = Paragraph(part, start, end, twin.items, _attribute, twin.mark, twin)
            return self.add(paragraph)
        value = "".join(piece.text for piece in attribute_texts(text, start, end))
        return self.add(Paragraph(part, start, end, [Item("text", value)], _attribute))

    def patch(self, part: int, start: int, end: int, new: str) -> None:
        """Replace a range of a part, independent of translations."""
        self.patches.setdefault(part, []).append((start, end, new))

    def set_attribute(
        self, part: int, element: Element, name: str, new: str, written_name: str | None = None
    ) -> None:
        """Set an attribute; a missing attribute is put before the others.

        Args:
            part: the index of the part.
            element: the element.
            name: the attribute.
            new: the new value.
            written_name: the name of a missing attribute in the file. Default: `name`.
        """
        text = self.parts[part].text
        if name in element.attributes:
            start, end = _value_range(text, element, name)
            self.patch(part, start, end, escape_attribute(new))
        else:
            position = element.start + 1 + len(raw_name(text, element.tag))
            self.patch(part, position, position, f' {written_name or name}="{new}"')

    def pair_twins(self, first: Iterable[Paragraph], second: Iterable[Paragraph]) -> None:
        """Let paragraphs have the translation of others with the same text."""
        lines: dict[str, list[Paragraph]] = {}
        for paragraph in first:
            lines.setdefault(_plain_line(paragraph), []).append(paragraph)
        for paragraph in second:
            same = lines.get(_plain_line(paragraph), [])
            twin = next((other for other in same if twins(paragraph, other)), None)
            paragraph.twin = twin and (twin.twin or twin)

    def skeleton(self, language: str) -> tuple[list[Document], BlockSkeleton]:
        """The document and the skeleton.

        Args:
            language: the code of the language whose rules split sentences.

        Raises:
            InputError: there is no sentence.
        """
        paragraphs = [paragraph for paragraph in self.paragraphs if paragraph.twin is None]
        text = "".join(paragraph.line + PARAGRAPH_END for paragraph in paragraphs)
        find = partial(find_blocks, paragraphs=paragraphs, kept=self.kept)
        blocks = find(text)
        encode = partial(self.encode, paragraphs)
        rules = _LeftParagraphs(self, text, blocks.blocks)
        return read_document(self.package.path, text, blocks, language, find, encode, rules)

    def encode(self, paragraphs: Sequence[Paragraph], text: str) -> bytes:
        """The file with other lines of paragraphs."""
        lines = dict(zip(map(id, paragraphs), text.split(PARAGRAPH_END), strict=False))
        for group in self.distinct:
            _tell_apart(group, lines)
        changed: dict[int, list[tuple[Paragraph, str]]] = {}
        for paragraph in self.paragraphs:
            source = paragraph.twin or paragraph
            line = lines[id(source)]
            if line != source.line:
                changed.setdefault(paragraph.part, []).append((paragraph, line))
        changes = {}
        left: dict[int, list[Patch]] = {}
        for index in sorted(self.left):
            paragraph = paragraphs[index]
            left.setdefault(paragraph.part, []).append((paragraph.start, paragraph.end, ""))
        for index, part in enumerate(self.parts):
            patches = self.patches.get(index, ())
            if index in left:
                patches = list(outside(sorted(patches), sorted(left[index])))
            new = _PartWriter(part.text, changed.get(index, ()), patches).write()
            changes[part.name] = encode_xml(new, part.data)
        return self.package.replaced(changes)


@dataclass(frozen=True, slots=True)
class _LeftParagraphs(FileRules):
    """Keeps the languages of paragraphs that stay as they are."""

    document: OfficeDocument
    text: str
    blocks: Sequence[Block]

    def finish(self, text: str) -> str:
        return text

    def leave(self, text: str, blocks: Collection[int]) -> str:
        if not blocks:
            self.document.left = set()
            return text
        ends = [match.start() for match in re.finditer(PARAGRAPH_END, self.text)]
        lines = [bisect_left(ends, block.parts[0].start) for block in self.blocks]
        translated = {line for index, line in enumerate(lines) if index not in blocks}
        self.document.left = {lines[index] for index in blocks} - translated
        return text


class _PartWriter:
    """Writes a part. A paragraph may be in a code of another paragraph, as in a text box."""

    def __init__(
        self, text: str, changed: Iterable[tuple[Paragraph, str]], patches: Iterable[Patch]
    ) -> None:
        self.text = text
        changes: list[tuple[int, int, Callable[[], str]]] = [
            (paragraph.start, paragraph.end, partial(self._paragraph, paragraph, line))
            for paragraph, line in changed
        ]
        changes += ((start, end, partial(str, new)) for start, end, new in patches)
        # Of changes with the same start, an insertion is the first, and then the widest range.
        self.changes = sorted(changes, key=lambda c: (c[0], c[1] > c[0], -c[1]))
        self.starts = [start for start, _, _ in self.changes]

    def write(self) -> str:
        """All of it."""
        return self._range(0, len(self.text))

    def _range(self, start: int, end: int) -> str:
        """A range with all changes."""
        pieces = []
        position = start
        for index in range(bisect_left(self.starts, start), len(self.changes)):
            first, last, new = self.changes[index]
            if first >= end:
                break
            if first < position or last > end:
                continue
            pieces += [self.text[position:first], new()]
            position = last
        return "".join([*pieces, self.text[position:end]])

    def _paragraph(self, paragraph: Paragraph, line: str) -> str:
        return paragraph.spell(written(paragraph, line), self._range)


def _value_range(text: str, element: Element, name: str) -> tuple[int, int]:
    """Return where the value of an attribute stands."""
    names = zip(element.attributes, element.tag.attributes, strict=True)
    full_name = next(full for clark_name, full in names if clark_name == name)
    return attribute_value_range(text, element.tag, full_name)


def _tell_apart(group: Iterable[Paragraph], lines: dict[int, str]) -> None:
    """Number lines of a group equal to another line of the group, case ignored."""
    paragraphs = {id(paragraph): paragraph for paragraph in group}.values()
    if all(lines[id(paragraph)] == paragraph.line for paragraph in paragraphs):
        return
    seen: set[str] = set()
    for paragraph in paragraphs:
        line, number = lines[id(paragraph)], 1
        while (new := line if number == 1 else f"{line} {number}").casefold() in seen:
            number += 1
        seen.add(new.casefold())
        lines[id(paragraph)] = new


def _plain_line(paragraph: Paragraph) -> str:
    return "".join(item.text for item in paragraph.items if item.kind == "text")


def _plain(stretches: Sequence[Written], _: Callable[[int, int], str]) -> str:
    return escape_text("".join(stretch.text for stretch in stretches))


def _attribute(stretches: Sequence[Written], _: Callable[[int, int], str]) -> str:
    # Line breaks in names of columns are written in this way.
    return escape_attribute("".join(stretch.text for stretch in stretches).replace("\n", "_x000a_"))
