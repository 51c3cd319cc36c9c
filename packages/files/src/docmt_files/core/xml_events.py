"""The parts of an XML text with their places, for formats written by patching ranges.

expat reads the text, so text that is not well-formed is an error, and gives the start of each part.
Entities are never expanded: references to them are parts of their own. Offsets are characters of
the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.core.encodings import MAX_CHARACTERS
from docmt_files.core.inline import Text, texts_of
from docmt_files.core.xml_doctypes import Doctype, read_doctype, without_declarations
from docmt_files.storage.files import PathLike
from docmt_files.storage.hardened_xml import hardened_parser, parse_block

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
"""The attribute `xml:lang`."""
XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
"""The attribute `xml:space`."""

MAX_DEPTH = 250
"""The most elements in each other."""

MAX_EVENTS = 3_000_000
"""The most parts of a text."""

_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})
_NO_DOCTYPE = Doctype(0, (0, 0), 0, frozenset(), is_open=True)
_CURE = "Check that it is a whole XML file, for example with xmllint"
_ATTRIBUTE = re.compile(
    r"[ \t\r\n]([^ \t\r\n=/>\"']+)[ \t\r\n]*=[ \t\r\n]*(?:\"([^\"]*)\"|'([^']*)')"
)
_TAG_NAME = re.compile(r"</?([^ \t\r\n/>]+)")
_REFERENCE = re.compile(r"&(?:#(\d+)|#x([0-9a-fA-F]+)|(lt|gt|amp|quot|apos));")
_ANY_REFERENCE = re.compile(r"&[^;&]*;")
_UNIT = re.compile(r"&[^;&]*;|\r\n|[\t\r\n]")
_RUN = re.compile(r"&[^;&]*;|[ \t\r\n]{2,}|[\t\r\n]")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}

_Kind = Literal["start", "end", "text", "entity", "cdata", "comment", "instruction"]


class XmlEvent(NamedTuple):
    """A part of an XML text.

    Attributes:
        kind: a start tag, an end tag, text, a reference to an entity of the document type, a CDATA
            section, a comment or a processing instruction. An empty-element tag is a start, and an
            end of zero length after it.
        start: the offset at which it starts.
        end: the offset at which it ends.
        name: of an element, `{namespace}local` or `local`; of an instruction, the target; of an
            entity, its name.
        attributes: of a start tag, the values by names of the same form, in order.
        text: the meaning of text. A piece is as long as its range or, for a reference or a line
            break of two characters, a unit never divided. Also the content of a CDATA section, a
            comment or an instruction, and an entity as it is written.
    """

    kind: _Kind
    start: int
    end: int
    name: str = ""
    attributes: Mapping[str, str] = _NO_ATTRIBUTES
    text: str = ""

    @property
    def local_name(self) -> str:
        """The name without namespace."""
        return self.name.rpartition("}")[2]

    @property
    def namespace(self) -> str:
        """The namespace of the name; "" for none."""
        return self.name.rpartition("}")[0].removeprefix("{")


def read_events(
    text: str,
    path: PathLike,
    *,
    doctype: bool = False,
    any_entity: bool = False,
    most: int = MAX_CHARACTERS,
) -> list[XmlEvent]:
    """The adjacent parts of an XML text from the first start tag to the last end tag.

    Args:
        text: the text; a declared encoding is ignored.
        path: names the file in errors.
        doctype: whether there may be a document type, possibly with declarations of entities.
        any_entity: whether the text may be a part of a document whose entities are declared
            elsewhere. In attributes such entities are left out of the values.
        most: the most characters of the text.

    Raises:
        InputError: the text is not well-formed XML, has a document type with other declarations, an
            undeclared entity or an entity in a tag, or is larger or more deeply nested than limits
            allow.
    """
    return _Reader(text, path, doctype=doctype or any_entity, any_entity=any_entity).read(most)


_Pending = tuple[_Kind, int, str, Mapping[str, str], str]
"""An event with an unknown end: kind, start, name, attributes, text."""


class _Reader:
    """Reads one text. expat gives offsets of bytes; each is turned into an offset of a character,
    counted on from the last one."""

    def __init__(self, text: str, path: PathLike, *, doctype: bool, any_entity: bool) -> None:
        self.text, self.path, self.any_entity = text, path, any_entity
        self.doctype = read_doctype(text) if doctype else None
        if any_entity:
            self.doctype = (self.doctype or _NO_DOCTYPE)._replace(is_open=True)
        self.parsed = without_declarations(text, self.doctype) if self.doctype else text
        """The text for expat, as long as the text."""
        self.is_ascii = self.parsed.isascii()
        self.data = b""
        self.byte = self.character = self.depth = 0
        self.events: list[XmlEvent] = []
        self.pending: _Pending | None = None
        self.in_cdata = False
        self.parser = parser = hardened_parser(self._error, namespaces=True)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartCdataSectionHandler = self._start_cdata
        parser.EndCdataSectionHandler = self._end_cdata
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.StartDoctypeDeclHandler = self._doctype
        if self.doctype is not None:
            parser.UseForeignDTD(True)
            parser.SkippedEntityHandler = self._entity

    def read(self, most: int) -> list[XmlEvent]:
        """All events of a text of at most so many characters."""
        if len(self.text) > most:
            raise self._error(f"has more than {most:,} characters", "Divide it into several files")
        if (position := self.text.find("\0")) >= 0:
            line = self.text.count("\n", 0, position) + 1
            raise self._error("holds a NUL character", "Remove it", line)
        try:
            self.data = self.parsed.encode("utf-8")
        except UnicodeEncodeError as error:
            line = self.text.count("\n", 0, error.start) + 1
            raise self._error("holds half a surrogate pair", "Remove it", line) from None
        if self.doctype is not None and self.doctype.end < 0:
            line = self.text.count("\n", 0, self.doctype.declarations[1]) + 1
            raise self._error(
                "declares something else than entities in its document type (<!DOCTYPE … [ … ]>)",
                "Remove the declaration",
                line,
            )
        parse_block(self.parser, self.data, final=True, refuse=self._error, cure=_CURE)
        return self.events

    def _error(self, problem: str, cure: str, line: int | None = None) -> InputError:
        return InputError(problem, path=self.path, line=line, cure=cure)

    def _refuse(self, problem: str, cure: str = _CURE) -> InputError:
        """An error at the place of the parser."""
        return self._error(problem, cure, self.parser.CurrentLineNumber)

    def _offset(self) -> int:
        """The offset of the character at the place of the parser."""
        byte = self.parser.CurrentByteIndex
        if self.is_ascii:
            return byte
        self.character += len(self.data[self.byte : byte].decode("utf-8"))
        self.byte = byte
        return self.character

    def _close(self, end: int) -> None:
        """End the last event."""
        if self.pending is None:
            return
        kind, start, name, attributes, text = self.pending
        if kind == "cdata":
            text = self.text[start:end].removeprefix("<![CDATA[").removesuffix("]]>")
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        elif kind == "entity" or (kind == "text" and not text):
            text = self.text[start:end].replace("\r", "\n")
        elif kind == "start" and self.doctype is not None and not self.any_entity:
            self._check_references(self.text[start:end])
        self.events.append(XmlEvent(kind, start, end, name, attributes, text))
        if len(self.events) > MAX_EVENTS:
            problem = f"has more than {MAX_EVENTS:,} elements and texts"
            raise self._refuse(problem, "Divide it into several files")

    def _open(
        self,
        kind: _Kind,
        name: str = "",
        attributes: Mapping[str, str] = _NO_ATTRIBUTES,
        text: str = "",
    ) -> int:
        """Begin an event, and so end the last one; returns the offset."""
        start = self._offset()
        self._close(start)
        self.pending = kind, start, name, attributes, text
        return start

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._refuse(f"has more than {MAX_DEPTH} elements in each other")
        by_name = {_clark(key): value for key, value in attributes.items()} or _NO_ATTRIBUTES
        self._open("start", _clark(name), by_name)

    def _end(self, name: str) -> None:
        self.depth -= 1
        after_start = self.pending is not None and self.pending[0] == "start"
        start = self._open("end", _clark(name))
        if self.depth == 0:
            is_empty = after_start and self.text.endswith("/>", 0, start)
            self._close(start if is_empty else self.text.index(">", start) + 1)
            self.pending = None

    def _characters(self, text: str) -> None:
        if self.in_cdata:
            return
        last = self.pending
        # A unit is written otherwise than it is meant.
        if self.text.startswith(("&", "\r\n"), self._offset()):
            self._open("text", text=text)
        elif last is None or last[0] != "text" or last[4]:
            self._open("text")

    def _start_cdata(self) -> None:
        self.in_cdata = True
        self._open("cdata")

    def _end_cdata(self) -> None:
        self.in_cdata = False

    def _comment(self, text: str) -> None:
        if self.depth:
            self._open("comment", text=text)

    def _instruction(self, name: str, text: str) -> None:
        if self.depth:
            self._open("instruction", name, text=text)

    def _check_references(self, tag: str) -> None:
        """Refuse entities in a tag: expat skips them if they may be defined in another file."""
        for match in _ANY_REFERENCE.finditer(tag):
            if not _REFERENCE.fullmatch(match[0]):
                raise self._refuse(
                    f"uses the entity {match[0][1:-1]!r}, which is not expanded",
                    "Write its text in its place",
                )

    def _entity(self, name: str, _: bool) -> None:
        assert self.doctype is not None
        if name not in self.doctype.entities and not self.doctype.is_open:
            raise self._refuse(f"uses the entity {name!r}, which is not declared")
        self._open("entity", name)

    def _doctype(self, *_: object) -> None:
        if self.doctype is None:
            raise self._refuse("has a document type (<!DOCTYPE>)", "Remove it")


def _clark(name: str) -> str:
    """A name of expat in Clark notation."""
    return f"{{{name}" if "}" in name else name


def raw_name(text: str, event: XmlEvent) -> str:
    """The name of a start or end tag in the text, with its prefix."""
    match = _TAG_NAME.match(text, event.start)
    assert match is not None
    return match[1]


def attribute_value_range(text: str, event: XmlEvent, name: str) -> tuple[int, int]:
    """Return the place of the value of an attribute, within its quotation marks.

    Args:
        text: the text.
        event: a start tag with the attribute.
        name: the name as in `event.attributes`.

    Returns:
        The offsets at which it starts and ends; `text[start - 1]` is the quotation mark.
    """
    position = event.start + 1 + len(raw_name(text, event))
    matches = (
        match
        for match in _ATTRIBUTE.finditer(text, position, event.end)
        if match[1] != "xmlns" and not match[1].startswith("xmlns:")
    )
    for key, match in zip(event.attributes, matches, strict=True):
        if key == name:
            return match.span(2 if match[2] is not None else 3)
    raise KeyError(name)


def attribute_texts(text: str, start: int, end: int) -> Iterator[Text]:
    """The value of an attribute as texts: references as their characters, white space as a space.

    Args:
        text: the text.
        start: the offset at which the value starts, from `attribute_value_range`.
        end: the offset at which it ends.
    """
    return texts_of(text, start, end, _UNIT, lambda match: _meaning(match[0]))


def collapsed_texts(text: str, start: int, end: int) -> Iterator[Text]:
    """A range between two tags as texts: references as their characters, a run of white space as a
    space."""
    return texts_of(text, start, end, _RUN, lambda match: _meaning(match[0]))


def _meaning(unit: str) -> str:
    """Return the character of a reference, or a space for white space."""
    if unit.isspace():
        return " "
    match = _REFERENCE.fullmatch(unit)
    assert match is not None, "other references are not well-formed"
    return _NAMED.get(match[3]) or chr(int(match[1]) if match[1] else int(match[2], 16))
