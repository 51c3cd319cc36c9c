"""Text of drawings (DrawingML): paragraphs in shapes, tables, charts and diagrams."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from docmt_files.base.languages import is_right_to_left, primary_subtag
from docmt_files.core.inline import has_word
from docmt_files.core.xml_events import raw_name
from docmt_files.office.office_document import OfficeDocument
from docmt_files.office.office_languages import with_region
from docmt_files.office.office_runs import Atom, Item, Paragraph, Written, split_at_tabs
from docmt_files.office.office_xml import Element, OfficeXml, read_xml
from docmt_files.storage.characters import escape_attribute, escape_text

_NO_PROPERTY = re.compile(
    r"\s(?:lang|altLang|dirty|err|smtClean|smtId|noProof|bmk)\s*=\s*(?:\"[^\"]*\"|'[^']*')"
)
"""Attributes of a run without effect on the look of text."""

_FILE = re.compile(r"\S*\.\w{2,4}|https?:\S*|[A-Za-z]:\\.*")
"""Names of files and URLs, given by programs as descriptions."""

_BETWEEN = "\0"
"""The separator of attributes and content of properties; no XML holds it."""


class DrawingText:
    """Reads the paragraphs of drawings.

    Args:
        document: gets the paragraphs.
        source: the code of the language of the file.
        target: the code of the language of the translation; None if the output names none.
    """

    def __init__(self, document: OfficeDocument, source: str, target: str | None) -> None:
        self.document = document
        self.source = primary_subtag(source)
        self.target = target and with_region(target)
        self.from_right = target is not None and is_right_to_left(target)
        self.turns = target is not None and is_right_to_left(source) != self.from_right

    def read_part(self, name: str) -> int:
        """Read all paragraphs of a part, and the alternative texts of pictures; returns the index
        of the part."""
        index = self.document.add_part(read_xml(self.document.package, name))
        root = self.document.parts[index].root
        self.read(index, root)
        add_descriptions(self.document, index, root)
        self.patch_languages(index, root)
        return index

    def read(self, index: int, element: Element) -> list[Paragraph]:
        """The paragraphs with text in an element of a part, in order."""
        part = self.document.parts[index]
        paragraphs = []
        for paragraph in _paragraphs(element):
            items = list(_items(part, paragraph))
            if any(item.kind == "text" and has_word(item.text) for item in items):
                paragraphs.append(self._add(index, paragraph, items))
        return paragraphs

    def patch_languages(self, index: int, element: Element) -> None:
        """Name the target language where the source language is named."""
        if self.target is None:
            return
        for properties in element.all("a:rPr", "a:endParaRPr", "a:defRPr"):
            if primary_subtag(properties.attributes.get("lang", "")) == self.source:
                self.document.set_attribute(index, properties, "lang", self.target)

    def _add(self, index: int, element: Element, items: list[Item]) -> Paragraph:
        part = self.document.parts[index]
        properties, last = element.child("a:pPr"), element.child("a:endParaRPr")
        start = properties.end if properties else element.inner_start
        end = last.start if last else element.inner_end
        prefix = raw_name(part.text, element.tag)[:-1]
        if self.turns:
            self._turn(index, element, properties, prefix)
        spell = partial(_spell, prefix=prefix, language=self.target)
        mark = _properties(part, last)
        return self.document.add(Paragraph(index, start, end, items, spell, mark))

    def _turn(self, index: int, element: Element, properties: Element | None, prefix: str) -> None:
        """Give a paragraph the direction of the target language."""
        direction = "1" if self.from_right else "0"
        side = "r" if self.from_right else "l"
        if properties is None:
            position = element.inner_start
            new = f'<{prefix}pPr algn="{side}" rtl="{direction}"/>'
            self.document.patch(index, position, position, new)
            return
        if properties.attributes.get("algn", "l") in ("l", "r"):
            self.document.set_attribute(index, properties, "algn", side)
        self.document.set_attribute(index, properties, "rtl", direction)


def add_descriptions(document: OfficeDocument, index: int, element: Element) -> None:
    """Add the titles and descriptions of pictures and shapes, but no names of files."""
    for properties in element.all("wp:docPr", "p:cNvPr", "xdr:cNvPr"):
        for name in ("title", "descr"):
            text = properties.attributes.get(name, "")
            if has_word(text) and not _FILE.fullmatch(text.strip()):
                document.add_attribute(index, properties, name)


def _paragraphs(element: Element) -> Iterable[Element]:
    """The paragraphs in an element; of content with alternatives, the first alternative."""
    for child in element.elements:
        if child.name == "a:p":
            yield child
        elif child.name == "mc:AlternateContent":
            first = next(child.elements, None)
            if first is not None:
                yield from _paragraphs(first)
        else:
            yield from _paragraphs(child)


def _items(part: OfficeXml, paragraph: Element) -> Iterable[Item]:
    """Return the items of a paragraph."""
    for child in paragraph.elements:
        atom = Atom(child.start, child.end)
        if child.name == "a:r":
            text, properties = child.child("a:t"), _properties(part, child.child("a:rPr"))
            yield from split_at_tabs(text.text.replace("\n", " ") if text else "", properties)
        elif child.name == "a:br":
            yield Item("void", "\n", atoms=(atom,))
        elif child.name not in ("a:pPr", "a:endParaRPr"):
            # Computed fields, such as the number of a slide, and formulas.
            yield Item("protected", atoms=(atom,))


def _properties(part: OfficeXml, element: Element | None) -> str:
    """The properties of a run as they are written; "" for none."""
    if element is None:
        return ""
    name = raw_name(part.text, element.tag)
    tag = _NO_PROPERTY.sub("", part.text[element.start : element.inner_start])
    tag = tag.removesuffix(">").removesuffix("/").rstrip().removeprefix(f"<{name}")
    content = part.text[element.inner_start : element.inner_end]
    if not tag and not content:
        return ""
    return f"{tag}{_BETWEEN}{content}"


def _spell(
    stretches: Sequence[Written],
    raw: Callable[[int, int], str],
    *,
    prefix: str,
    language: str | None,
) -> str:
    """A paragraph as runs."""
    pieces = []
    for text, properties, atom in stretches:
        if atom is not None:
            pieces.append(raw(atom.start, atom.end))
            continue
        attributes, _, content = properties.partition(_BETWEEN)
        if language:
            attributes = f' lang="{escape_attribute(language)}"{attributes}'
        name = f"{prefix}rPr"
        spelled = f"<{name}{attributes}>{content}</{name}>" if content else f"<{name}{attributes}/>"
        pieces.append(
            f"<{prefix}r>{spelled if attributes or content else ''}"
            f"<{prefix}t>{escape_text(text)}</{prefix}t></{prefix}r>"
        )
    return "".join(pieces)
