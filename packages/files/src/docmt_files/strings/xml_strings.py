"""Strings as the content of an XML element, in formats for the localization of programs.

The characters of a string are text; elements in it, comments and instructions are codes. `XmlText`
has the events of a file, each with its partner; `xml_string` makes a `FileString` of a range of
events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from docmt_files.base.wording import counted
from docmt_files.core.encodings import MAX_CHARACTERS
from docmt_files.core.inline import Code, CodeKind, has_word
from docmt_files.core.patches import Patch
from docmt_files.core.xml_encodings import XML_HEAD, decode_xml, encode_xml
from docmt_files.core.xml_events import XmlEvent, attribute_value_range, raw_name, read_events
from docmt_files.storage.characters import NO_CHARACTER, escape_attribute, escape_text
from docmt_files.storage.files import PathLike, read_bytes
from docmt_files.strings.string_blocks import FileString

CODE = "\0"
"""The character for a code in the value of a string; no XML has it."""

_FIRST_KEY = 1_000_000
"""The first number of pairs made of elements as ends, apart from tags in texts."""

_INDENT = re.compile(r"\n[ \t]*\Z")
_SPACE = re.compile(r"[ \t\r\n]{2,}|[\t\r\n]")


class InlineElement(NamedTuple):
    """An element in a string.

    Attributes:
        kind: for `pair`, the tags are the ends of a pair, and the content is text. Any other
            element is one code: an end of a pair, with the `key` of the other end, or a void or
            protected code.
        key: names the pair.
        text: the text of the sentence in place of a void code.
    """

    kind: Literal["pair", "open", "close", "void", "protected"]
    key: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class XmlText:
    """An XML file.

    Attributes:
        text: the text of the file.
        events: the events of the text.
        partners: for each start event the index of the end event; for other events their own index.
    """

    text: str
    events: list[XmlEvent]
    partners: list[int]

    @classmethod
    def read(cls, text: str, path: PathLike, most: int = MAX_CHARACTERS) -> XmlText:
        """Read a text of at most so many characters; entities of a document type are allowed.

        Raises:
            InputError: as `read_events`.
        """
        events = read_events(text, path, doctype=True, most=most)
        partners = list(range(len(events)))
        waiting: list[int] = []
        for index, event in enumerate(events):
            if event.kind == "start":
                waiting.append(index)
            elif event.kind == "end":
                partners[waiting.pop()] = index
        return cls(text, events, partners)

    def children(self, parent: int) -> Iterator[int]:
        """The indices of the start events of an element's children."""
        index = parent + 1
        while index < self.partners[parent]:
            if self.events[index].kind == "start":
                yield index
            index = self.partners[index] + 1

    def content(self, element: int) -> tuple[int, int]:
        """The offsets at which the content of an element starts and ends."""
        return self.events[element].end, self.events[self.partners[element]].start

    def end(self, element: int) -> int:
        """The offset at which an element ends."""
        return self.events[self.partners[element]].end

    def indent(self, element: int) -> str:
        """The line break and white space before an element at the beginning of a line; ""
        otherwise."""
        before = self.events[element - 1]
        match = _INDENT.search(before.text) if before.kind == "text" else None
        return self.text[before.start + match.start() : before.end] if match else ""

    def meaning(self, element: int) -> str:
        """The text of an element, nested elements included."""
        events = self.events[element : self.partners[element]]
        return "".join(event.text for event in events if event.kind in ("text", "entity", "cdata"))


def xml_string(
    file: XmlText, element: int, inline: Callable[[XmlText, int], InlineElement], *, preserve: bool
) -> FileString:
    """The content of an element as a string.

    Args:
        file: the file.
        element: the index of the start event.
        inline: the kind of an element in the string, given its index.
        preserve: whether white space is text; otherwise a run of it is a space.
    """
    inner = range(element + 1, file.partners[element])
    if (section := _only_section(file, element)) is not None:
        return _cdata_string(file, section)
    reader = _Reader(file, inline, preserve=preserve)
    reader.read(inner)
    offsets = [*reader.offsets, file.content(element)[1]]
    return FileString("".join(reader.values), offsets, escape_text, True, tuple(reader.codes))


def _only_section(file: XmlText, element: int) -> int | None:
    """The CDATA section with all content of an element but for white space."""
    inner = range(element + 1, file.partners[element])
    sections = [index for index in inner if file.events[index].kind == "cdata"]
    others = (file.events[index] for index in inner if index not in sections[:1])
    alone = len(sections) == 1 and all(e.kind == "text" and e.text.isspace() for e in others)
    return sections[0] if alone else None


def kept_sections(file: XmlText, element: int) -> int:
    """Number of CDATA sections of a string with words left untranslated, because there is other
    text beside them."""
    if _only_section(file, element) is not None:
        return 0
    return sum(
        event.kind == "cdata" and has_word(_without_tags(event.text))
        for event in file.events[element : file.partners[element]]
    )


def section_note(number: int) -> Iterator[str]:
    """The note on kept CDATA sections."""
    if number:
        yield f"the words in {counted(number, 'CDATA section')} beside other text not translated"


def _cdata_string(file: XmlText, index: int) -> FileString:
    event = file.events[index]
    start, end = event.start + len("<![CDATA["), event.end - len("]]>")
    return FileString(file.text[start:end], range(start, end + 1), _escape_cdata, True)


def _escape_cdata(text: str) -> str:
    return str(NO_CHARACTER.sub("\ufffd", text)).replace("]]>", "]]]]><![CDATA[>")


class _Reader:
    """Collects the characters of a string with their places."""

    def __init__(
        self, file: XmlText, inline: Callable[[XmlText, int], InlineElement], *, preserve: bool
    ) -> None:
        self.file, self.inline, self.preserve = file, inline, preserve
        self.values: list[str] = []
        self.offsets: list[int] = []
        self.codes: list[Code] = []
        self.keys: dict[str, int] = {}
        self.closing: dict[int, int] = {}
        """The pairs of end events."""

    def read(self, inner: range) -> None:
        """Read the events of these indices."""
        index = inner.start
        while index < inner.stop:
            event = self.file.events[index]
            if event.kind == "text":
                self._text(event)
            elif event.kind == "start":
                index = self._element(index)
            elif event.kind == "end":
                self._code(event.start, "close", self.closing[index])
            elif event.kind == "entity" or (
                event.kind == "cdata" and has_word(_without_tags(event.text))
            ):
                self._code(event.start, "protected")
            else:
                self._code(event.start, "void")
            index += 1

    def _element(self, index: int) -> int:
        """Read an element or its start tag; returns the index of the last event read."""
        start, last = self.file.events[index].start, self.file.partners[index]
        inline = self.inline(self.file, index)
        if inline.kind == "pair":
            if last == index + 1:
                self._code(start, "void")
                return last
            self.closing[last] = -2 - len(self.closing)
            self._code(start, "open", self.closing[last])
            return index
        if inline.kind in ("open", "close"):
            number = self.keys.setdefault(inline.key, _FIRST_KEY + len(self.keys))
            self._code(start, inline.kind, number)
        else:
            self._code(start, inline.kind, text=inline.text)
        return last

    def _code(self, start: int, kind: CodeKind, pair: int = -1, text: str = "") -> None:
        position = len(self.offsets)
        self.codes.append(Code(position, position + 1, kind, pair, text))
        self._add(CODE, start)

    def _add(self, text: str, start: int) -> None:
        self.values.append(text)
        self.offsets += [start] * len(text)

    def _text(self, event: XmlEvent) -> None:
        if len(event.text) != event.end - event.start:
            is_break = not self.preserve and self.file.text.startswith("\r", event.start)
            self._add(" " if is_break else event.text, event.start)
            return
        position = 0
        for match in () if self.preserve else _SPACE.finditer(event.text):
            self._plain(event, position, match.start())
            self._add(" ", event.start + match.start())
            position = match.end()
        self._plain(event, position, len(event.text))

    def _plain(self, event: XmlEvent, start: int, end: int) -> None:
        """Add characters without escapes."""
        self.values.append(event.text[start:end])
        self.offsets += range(event.start + start, event.start + end)


def read_xml(path: PathLike, most: int = MAX_CHARACTERS) -> tuple[str, Callable[[str], bytes]]:
    """The text of a file, and a function for the bytes of the file with another text.

    Args:
        path: the file.
        most: about the most characters of the file.

    Raises:
        InputError: as `read_bytes` and `decode_xml`.
    """
    data = read_bytes(path, 4 * most)
    return decode_xml(data, path), partial(encode_xml, like=data[:XML_HEAD])


def content_patch(file: XmlText, element: int, content: str) -> Patch:
    """A patch of the content of an element, possibly of an empty-element tag."""
    event = file.events[element]
    if file.end(element) > event.end:
        return (*file.content(element), content)
    tag = file.text[event.start : event.end].removesuffix("/>").rstrip()
    return event.start, event.end, f"{tag}>{content}</{raw_name(file.text, event)}>"


def set_attributes(file: XmlText, element: int, values: Mapping[str, str]) -> Iterator[Patch]:
    """Patches of the attributes of an element, with new ones behind the name."""
    event = file.events[element]
    new = ""
    for name, value in values.items():
        if name not in event.attributes:
            new += f' {name}="{escape_attribute(value)}"'
        elif event.attributes[name] != value:
            yield (*attribute_value_range(file.text, event, name), escape_attribute(value))
    if new:
        position = event.start + 1 + len(raw_name(file.text, event))
        yield position, position, new


def _without_tags(text: str) -> str:
    return re.sub(r"<[^<>]*>", "", text)
