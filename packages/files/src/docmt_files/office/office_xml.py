"""The XML of office files as a tree of elements with their places, with one name for the namespaces
of both variants of Office Open XML (ISO/IEC 29500, transitional and strict).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from posixpath import dirname, join, normpath

from docmt_files.base.errors import name_of
from docmt_files.core.xml_encodings import decode_xml
from docmt_files.core.xml_events import XmlEvent, read_events
from docmt_files.core.zip_package import Package
from docmt_files.office.office_names import name_table
from docmt_files.storage.files import PathLike

_TRANSITIONAL = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_PREFIXES = name_table("prefixes")
_OTHERS = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://schemas.microsoft.com/office/excel/2006/main": "xm",
}


@dataclass(slots=True)
class Element:
    """An element.

    Attributes:
        name: the name, with docmt's prefix for the namespaces of office files (`w:p`).
        start: the offset at which the start tag starts.
        inner_start: the offset at which the start tag ends.
        attributes: the values by such names.
        tag: the start tag.
        children: the elements and texts in the element.
        inner_end: the offset at which the end tag starts.
        end: the offset at which the end tag ends.
    """

    name: str
    start: int
    inner_start: int
    attributes: Mapping[str, str]
    tag: XmlEvent
    children: list[Element | XmlEvent] = field(default_factory=list)
    inner_end: int = -1
    end: int = -1

    @property
    def elements(self) -> Iterator[Element]:
        """The children of the kind element."""
        return (child for child in self.children if isinstance(child, Element))

    @property
    def texts(self) -> Iterator[XmlEvent]:
        """The children of the kind text."""
        return (
            child
            for child in self.children
            if isinstance(child, XmlEvent) and child.kind in ("text", "cdata")
        )

    @property
    def text(self) -> str:
        """The text of the children."""
        return "".join(event.text for event in self.texts)

    def child(self, *names: str) -> Element | None:
        """The first child with one of these names."""
        return next((child for child in self.elements if child.name in names), None)

    def all(self, *names: str) -> Iterator[Element]:
        """The elements in it of these names, in order."""
        stack = [self.elements]
        while stack:
            element = next(stack[-1], None)
            if element is None:
                stack.pop()
                continue
            if element.name in names:
                yield element
            stack.append(element.elements)


@dataclass(frozen=True, slots=True)
class OfficeXml:
    """A part of an office file.

    Attributes:
        name: the name of the entry.
        data: the bytes of the part.
        text: the text of the part.
        root: the first element.
    """

    name: str
    data: bytes
    text: str
    root: Element

    def raw(self, element: Element) -> str:
        """An element as it stands."""
        return self.text[element.start : element.end]


def read_xml(package: Package, name: str) -> OfficeXml:
    """A part of a package.

    Raises:
        InputError: it is missing, or not sound XML.
    """
    data = package.read(name)
    path = f"{name_of(package.path)}: {name}"
    text = decode_xml(data, path)
    return OfficeXml(name, data, text, _tree(text, path))


def _tree(text: str, path: PathLike) -> Element:
    stack: list[Element] = []
    for event in read_events(text, path):
        if event.kind == "start":
            values = {short_name(name): value for name, value in event.attributes.items()}
            element = Element(short_name(event.name), event.start, event.end, values, event)
            if stack:
                stack[-1].children.append(element)
            stack.append(element)
        elif event.kind == "end":
            element = stack.pop()
            element.inner_end, element.end = event.start, event.end
            if not stack:
                return element
        else:
            stack[-1].children.append(event)
    raise AssertionError("the root has an end")


@lru_cache(maxsize=4096)
def short_name(name: str) -> str:
    """A name in Clark notation, with or without the first brace, with docmt's prefix; names of
    other namespaces stay."""
    namespace, brace, local = name.removeprefix("{").rpartition("}")
    if not brace:
        return name
    for base in (_TRANSITIONAL, _STRICT):
        if namespace.startswith(base) and namespace.removeprefix(base) in _PREFIXES:
            return f"{_PREFIXES[namespace.removeprefix(base)]}:{local}"
    return f"{_OTHERS[namespace]}:{local}" if namespace in _OTHERS else name


@dataclass(frozen=True, slots=True)
class Relation:
    """Reference of a part to another.

    Attributes:
        kind: the last step of the type, such as `slide`.
        target: the name of the part; "" for a target outside of the package.
    """

    kind: str
    target: str


def relations(package: Package, name: str) -> dict[str, Relation]:
    """The relationships of a part by their ids, in order; "" is the package."""
    relations_name = join(dirname(name), "_rels", f"{name.rpartition('/')[2]}.rels")
    if relations_name not in package:
        return {}
    targets = {}
    for element in read_xml(package, relations_name).root.elements:
        values = element.attributes
        target = ""
        if values.get("TargetMode") != "External":
            target = normpath(join("/", dirname(name), values.get("Target", ""))).lstrip("/")
        kind = values.get("Type", "").rpartition("/")[2]
        targets[values.get("Id", "")] = Relation(kind, target if target in package else "")
    return targets
