"""Documents in XML with a vocabulary: DITA and DocBook.

A table says which elements stand around words of a sentence (pairs), in place of words (protected),
hold other sentences (nested), or stay untranslated; all others are blocks. Entities of characters
are read as these characters, other entities are protected, and no document type or other file is
opened. Elements with `translate="no"` or in another language than the source, and elements whose
content another file replaces (`conref`), stay untranslated. `xml:lang` names the target language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from html.entities import html5, name2codepoint
from typing import Literal, NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.languages import language_tag, primary_language
from docmt_files.base.packaged_tables import read_table
from docmt_files.base.wording import counted
from docmt_files.core.blocks import Blocks, BlockSkeleton, read_document
from docmt_files.core.encodings import read_data
from docmt_files.core.inline import Block, Code, CodeKind, Part, Text, has_word, paired
from docmt_files.core.patches import Patch
from docmt_files.core.protection.placeholders import protect
from docmt_files.core.scopes import Scope
from docmt_files.core.xml_encodings import XML_HEAD, decode_xml, encode_xml
from docmt_files.core.xml_events import (
    XML_LANG,
    XmlEvent,
    attribute_texts,
    attribute_value_range,
    collapsed_texts,
    read_events,
)
from docmt_files.storage.characters import escape_attribute, escape_text
from docmt_files.storage.files import PathLike

_Role = Literal["block", "inline", "protected", "void", "nested", "kept"]
_ROLES: tuple[_Role, ...] = ("inline", "protected", "void", "nested", "kept")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\w+);)")
_UNKNOWN = "\0"
_DOCBOOK = "http://docbook.org/ns/docbook"
_ITS_TRANSLATE = "{http://www.w3.org/2005/11/its}translate"
_XLINK_TITLE = "{http://www.w3.org/1999/xlink}title"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The elements and attributes of a kind of documents, from `xml_vocabularies.toml`.

    Attributes:
        roles: the role of each element that is not a block.
        headings: elements of a heading.
        sections: elements around a heading and the text below it.
        attributes: attributes with text for readers.
        references: attributes of empty elements in place of words.
        replaced: attributes of elements whose content is elsewhere.
        blocks_in: elements in which words stand side by side, each a block: lists of keywords, and
            of menus.
    """

    roles: dict[str, _Role]
    headings: frozenset[str]
    sections: frozenset[str]
    attributes: tuple[str, ...]
    references: frozenset[str]
    replaced: frozenset[str]
    blocks_in: frozenset[str]


@cache
def vocabulary(name: str) -> Vocabulary:
    """The vocabulary of a name in the table."""
    table = read_table(__package__, "xml_vocabularies.toml")[name]
    roles = {element: role for role in _ROLES for element in table[role].split()}
    keys = ("headings", "sections", "references", "replaced", "blocks_in")
    sets = {key: frozenset(table[key].split()) for key in keys}
    attributes = table["attributes"].replace("xlink:title", _XLINK_TITLE).split()
    return Vocabulary(roles, attributes=tuple(attributes), **sets)


def read_xml_document(
    path: PathLike, language: str, target_language: str | None, words: Vocabulary
) -> tuple[list[Document], BlockSkeleton]:
    """Read a document of a vocabulary.

    Raises:
        InputError: as `format_registry` says, or as `read_events`.
    """
    data = read_data(path)
    text = decode_xml(data, path)
    find = partial(find_blocks, path=path, language=language, words=words)
    blocks = find(text, target_language=target_language)
    encode = partial(encode_xml, like=data[:XML_HEAD])
    return read_document(path, text, blocks, language, find, encode)


def find_blocks(
    text: str,
    *,
    path: PathLike,
    language: str,
    words: Vocabulary,
    target_language: str | None = None,
) -> Blocks:
    """The blocks of a document, the patches of its language, and notes on what is kept."""
    finder = _Finder(text, language, target_language, words)
    for event in read_events(text, path, any_entity=True):
        finder.read(event)
    return Blocks(finder.stretches[0].before, tuple(finder.patches), tuple(finder.notes()))


class _Open(NamedTuple):
    """An open element: the role, the start tag, the pair, and the elements around its content."""

    role: _Role
    event: XmlEvent
    pair: int
    scope: Scope


@dataclass(slots=True)
class _Stretch:
    """Text between two ends of blocks, or in a nested element: the parts of the present block, the
    blocks nested in it, and the blocks before it."""

    text: tuple[int, int] = (-1, -1)
    """The range of adjacent texts at the end, which are not among the parts."""
    parts: list[Part] = field(default_factory=list)
    nested: list[Block] = field(default_factory=list)
    before: list[Block] = field(default_factory=list)
    scope: Scope | None = None
    heading: int = 0

    def add(self, text: str, part: Part) -> None:
        """Add a part of the file to the block."""
        self.end_text(text)
        self.parts.append(part)

    def end_text(self, text: str) -> None:
        """Make the texts at the end parts, with a space for a run of white space."""
        self.parts += collapsed_texts(text, *self.text) if self.text[1] >= 0 else ()
        self.text = -1, -1


class _Finder:
    """Goes through the events of a document."""

    def __init__(self, text: str, language: str, target: str | None, words: Vocabulary) -> None:
        self.text, self.words = text, words
        self.source = primary_language(language)
        self.target = target and language_tag(target)
        self.patches: list[Patch] = []
        self.open: list[_Open] = []
        self.stretches = [_Stretch()]
        """The present text and the texts around it, from the outside inward."""
        self.skipped = 0
        """Number of open elements in an element that is one code or kept, itself included."""
        self.skipped_text = ""
        """The text in it, with a mark if it has entities."""
        self.levels = self.pairs = self.entities = 0

    def notes(self) -> Iterator[str]:
        """Notes on text left untranslated."""
        if self.entities:
            yield f"{counted(self.entities, 'attribute')} with entities not translated"

    def read(self, event: XmlEvent) -> None:
        """Read the next event."""
        if event.kind == "start":
            self._start(event)
        elif event.kind == "end":
            self._end(event)
        elif not self.skipped:
            self._inline(event)
        elif event.kind in ("text", "cdata"):
            self.skipped_text += event.text
        elif event.kind == "entity":
            self.skipped_text += _UNKNOWN

    def _inline(self, event: XmlEvent) -> None:
        """A text, an entity, a comment or the like between two tags."""
        stretch = self.stretches[-1]
        if stretch.scope is None and self.open:
            stretch.scope = self.open[-1].scope
        if event.kind == "text":
            if stretch.text[1] != event.start:
                stretch.end_text(self.text)
                stretch.text = event.start, event.start
            stretch.text = stretch.text[0], event.end
        elif event.kind == "entity" and (character := _character(event.name)):
            stretch.add(self.text, Text(event.start, event.end, character))
        else:
            is_word = event.kind == "entity" or (event.kind == "cdata" and has_word(event.text))
            kind: CodeKind = "protected" if is_word else "void"
            stretch.add(self.text, Code(event.start, event.end, kind))

    def _start(self, event: XmlEvent) -> None:
        if self.skipped:
            self.skipped += 1
            return
        around = self.open[-1].scope if self.open else None
        scope = Scope("element", self.text[event.start : event.end], around)
        role = self._role(event)
        self._language(event, role)
        if role in ("block", "kept"):
            self._flush()
        if role not in ("kept", "protected"):
            self.stretches[-1].nested += self._attributes(event, scope)
        if role == "block":
            self.levels += event.local_name in self.words.sections
            if event.local_name in self.words.headings:
                self.stretches[-1].heading = min(max(self.levels, 1), 9)
        elif role == "nested":
            self.stretches.append(_Stretch())
        elif role == "inline":
            self.pairs += 1
            code = Code(event.start, event.end, "open", self.pairs, scope=scope)
            self.stretches[-1].add(self.text, code)
        else:
            self.skipped, self.skipped_text = 1, ""
        self.open.append(_Open(role, event, self.pairs, scope))

    def _end(self, event: XmlEvent) -> None:
        if self.skipped > 1:
            self.skipped -= 1
            return
        self.skipped = 0
        opened = self.open.pop()
        start = opened.event.start
        if opened.role in ("block", "nested"):
            self._flush()
            self.levels -= opened.role == "block" and (
                opened.event.local_name in self.words.sections
            )
        if opened.role == "nested":
            inner = self.stretches.pop()
            self.stretches[-1].add(self.text, Code(start, event.end, "void"))
            self.stretches[-1].nested += inner.before
        elif opened.role == "inline":
            self._end_pair(opened, event)
        elif opened.role in ("protected", "void"):
            kind: CodeKind = "protected" if opened.role == "protected" else "void"
            words = "" if _UNKNOWN in self.skipped_text else " ".join(self.skipped_text.split())
            code = Code(start, event.end, kind, words=words if kind == "protected" else "")
            self.stretches[-1].add(self.text, code)

    def _end_pair(self, opened: _Open, event: XmlEvent) -> None:
        """The end of an inline element; one without content is a single code."""
        stretch = self.stretches[-1]
        stretch.end_text(self.text)
        parts = stretch.parts
        last = parts[-1] if parts else None
        if isinstance(last, Code) and last.kind == "open" and last.pair == opened.pair:
            names = {name.rpartition("}")[2] for name in opened.event.attributes}
            kind: CodeKind = "protected" if names & self.words.references else "void"
            parts[-1] = Code(last.start, event.end, kind)
        else:
            parts.append(Code(event.start, event.end, "close", opened.pair))

    def _flush(self) -> None:
        """End a block."""
        stretch = self.stretches[-1]
        stretch.end_text(self.text)
        if any(isinstance(part, Text) and has_word(part.text) for part in stretch.parts):
            parts = tuple(protect(list(paired(stretch.parts))))
            scopes = () if stretch.scope is None else (stretch.scope,)
            nested = len(self.stretches) > 1
            block = Block(parts, escape_text, nested, heading=stretch.heading, scopes=scopes)
            stretch.before.append(block)
        stretch.before += stretch.nested
        self.stretches[-1] = _Stretch(before=stretch.before)

    def _role(self, event: XmlEvent) -> _Role:
        """The role of an element. What stays untranslated is in place of words in a text, and kept
        between texts."""
        role = self.words.roles.get(event.local_name, "block")
        if event.namespace not in ("", _DOCBOOK):
            return "void" if event.local_name == "include" else "protected"
        attributes = event.attributes
        mark = attributes.get("translate") or attributes.get(_ITS_TRANSLATE, "")
        language = attributes.get(XML_LANG) or attributes.get("lang") or ""
        is_other = bool(language and self.open) and primary_language(language) != self.source
        is_elsewhere = not self.words.replaced.isdisjoint(attributes)
        if mark == "no" or is_other or is_elsewhere:
            return "kept" if role in ("block", "kept") else "protected"
        parent = self.open[-1].event.local_name if self.open else ""
        return "block" if parent in self.words.blocks_in and role != "nested" else role

    def _attributes(self, event: XmlEvent, scope: Scope) -> Iterator[Block]:
        """The attributes with text for readers."""
        for name in self.words.attributes:
            if name not in event.attributes:
                continue
            start, end = attribute_value_range(self.text, event, name)
            if _ENTITY.search(self.text, start, end):
                self.entities += has_word(event.attributes[name])
                continue
            texts = list(attribute_texts(self.text, start, end))
            if any(has_word(text.text) for text in texts):
                parts = tuple(protect(texts))
                yield Block(parts, escape_attribute, nested=True, scopes=(scope,))

    def _language(self, event: XmlEvent, role: _Role) -> None:
        """Name the target language in place of the source's."""
        if self.target is None or role == "kept":
            return
        for name in (XML_LANG, "lang"):
            value = event.attributes.get(name)
            if value and (not self.open or primary_language(value) == self.source):
                start, end = attribute_value_range(self.text, event, name)
                self.patches.append((start, end, self.target))


def _character(entity: str) -> str:
    """The letter, punctuation mark or space of an entity with a name of HTML; empty for another."""
    character = html5.get(f"{entity};", "") if entity in name2codepoint else ""
    return character if unicodedata.category(character or "\0")[0] in "LPZ" else ""
