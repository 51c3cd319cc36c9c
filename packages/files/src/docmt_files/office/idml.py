"""InDesign's exchange format (IDML): the text of the stories.

A paragraph goes up to a `<Br/>` or the end of its style range, over runs with properties of
characters. Only runs are written anew. Footnotes, table cells and conditional text are paragraphs
of their own; what InDesign computes, anchors and special characters are codes. Frames keep their
sizes, and styles their languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.scopes import Scope
from docmt_files.core.xml_events import XmlEvent, raw_name
from docmt_files.core.zip_package import Package, read_package
from docmt_files.office.office_document import OfficeDocument
from docmt_files.office.office_runs import Atom, Item, Paragraph, Written, split_at_tabs
from docmt_files.office.office_xml import Element, OfficeXml, read_xml
from docmt_files.storage.characters import escape_text
from docmt_files.storage.files import PathLike

_MIMETYPE = b"application/vnd.adobe.indesign-idml-package"
_STORY = "{http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging}Story"
_WRAPPERS = ("XMLElement", "HyperlinkTextSource", "CrossReferenceSource")
_WORDS = ("TextVariableInstance",)
_BREAK = "\u2028"
"""A forced line break in a text."""
_SPECIAL = ("\ufeff", "\u0003", "\u0007", "\u0008", "\u0018")
_IN_CONTENT = "\0"
"""Before the properties of a code that stands among the characters of a run."""
_NOTES = (
    "frames keep their sizes, so look for text that does not fit",
    "styles keep their languages (AppliedLanguage): set them in InDesign for hyphenation",
)


def read(
    path: PathLike,
    language: str,
    target_language: str | None = None,  # noqa: ARG001
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    package = read_package(path)
    if "designmap.xml" not in package or package.read("mimetype").strip() != _MIMETYPE:
        raise InputError(
            "is not an IDML file",
            path=path,
            cure="Export it from InDesign as InDesign Markup (.idml)",
        )
    document = OfficeDocument(package, kept=list(_NOTES))
    for name in _stories(package):
        part = read_xml(package, name)
        index = document.add_part(part)
        document.scope = Scope("part", name)
        for element in part.root.all("ParagraphStyleRange"):
            _add_range(document, index, part, element)
    return document.skeleton(language)


def _stories(package: Package) -> Iterator[str]:
    """The names of the parts with stories, in the order of the document."""
    names = [
        element.attributes.get("src", "")
        for element in read_xml(package, "designmap.xml").root.all(_STORY)
    ]
    yield from (name for name in dict.fromkeys(names) if name in package)


class _Token(NamedTuple):
    """A part of a paragraph style range.

    Attributes:
        kind: an item of a paragraph, or the break after one; the beginning or end of an element
            around items, or of a run.
        start: the offset at which it starts.
        end: the offset at which it ends.
        run: the properties of the run that it is in; None outside of runs.
        items: the items of a text, or a code.
    """

    kind: Literal["item", "break", "open", "close", "run"]
    start: int
    end: int
    run: str | None
    items: tuple[Item, ...] = ()


def _add_range(document: OfficeDocument, index: int, part: OfficeXml, element: Element) -> None:
    """Add the paragraphs of a paragraph style range."""
    style = element.attributes.get("AppliedParagraphStyle", "").rpartition("/")[2]
    scopes = [Scope("style", style, document.scope)]
    for tokens in _paragraphs(list(_tokens(part, element, None))):
        inside = [index for index, token in enumerate(tokens) if token.kind != "run"]
        inner = tokens[inside[0] : inside[-1] + 1] if inside else []
        items = [item for token in inner for item in token.items]
        if any(item.kind == "text" for item in items):
            start, end = inner[0], inner[-1]
            spell = partial(_spell, first=start.run, last=end.run, name=_run_name(part))
            # The first run stays, if need be without characters.
            mark = next((token.run for token in tokens if token.run is not None), "")
            paragraph = Paragraph(index, start.start, end.end, items, spell, mark, scopes=scopes)
            document.add(paragraph)


def _run_name(part: OfficeXml) -> str:
    """The name of runs as the part writes it."""
    run = next(part.root.all("CharacterStyleRange"), None)
    return raw_name(part.text, run.tag) if run is not None else "CharacterStyleRange"


def _tokens(part: OfficeXml, element: Element, run: str | None) -> Iterator[_Token]:
    """The parts of an element, in order."""
    for child in element.elements:
        if child.name == "CharacterStyleRange":
            own = _properties(part, child)
            yield _Token("run", child.start, child.inner_start, own)
            yield from _tokens(part, child, own)
            yield _Token("run", child.inner_end, child.end, None)
        elif child.name == "Content" and run is not None:
            yield _Token("item", child.start, child.end, run, tuple(_items(child, run)))
        elif child.name == "Br":
            yield _Token("break", child.start, child.end, run)
        elif _is_wrapper(child) and child.inner_start < child.inner_end:
            opening = Item("open", atoms=(Atom(child.start, child.inner_start),))
            closing = Item("close", atoms=(Atom(child.inner_end, child.end),))
            yield _Token("open", child.start, child.inner_start, run, (opening,))
            yield from _tokens(part, child, run)
            yield _Token("close", child.inner_end, child.end, run, (closing,))
        elif child.name != "Properties":
            kind: Literal["protected", "void"] = "protected" if child.name in _WORDS else "void"
            atom = Atom(child.start, child.end, run)
            yield _Token("item", child.start, child.end, run, (Item(kind, atoms=(atom,)),))


def _is_wrapper(element: Element) -> bool:
    """Return whether an element stands around text of the paragraph, unlike tracked deletions."""
    if element.name == "Change":
        return element.attributes.get("ChangeType") != "DeletedText"
    return element.name in _WRAPPERS


def _properties(part: OfficeXml, run: Element) -> str:
    """The beginning of a run: its tag, and its properties in elements."""
    tag = part.text[run.start : run.inner_start].removesuffix("/>").removesuffix(">").rstrip()
    properties = run.child("Properties")
    inner = part.text[properties.start : properties.end] if properties is not None else ""
    return f"{tag}>{inner}"


def _items(content: Element, run: str) -> Iterator[Item]:
    """The texts and codes of the characters of a run."""
    for event in content.children:
        if not isinstance(event, XmlEvent):
            continue
        if event.kind not in ("text", "cdata"):
            atom = Atom(event.start, event.end, _IN_CONTENT + run)
            yield Item("void", atoms=(atom,))
            continue
        text = ""
        for character in event.text:
            if character == _BREAK or character in _SPECIAL:
                yield from split_at_tabs(text, run)
                text = ""
                yield Item("void", "\n" if character == _BREAK else "", run, literal=character)
            else:
                text += character
        yield from split_at_tabs(text, run)


def _paragraphs(tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    """The parts of each paragraph. An element around the ends of several paragraphs ends one, too,
    at its beginning and at its end."""
    partners: dict[int, int] = {}
    waiting: list[int] = []
    crossing: set[int] = set()
    for index, token in enumerate(tokens):
        if token.kind == "open":
            waiting.append(index)
        elif token.kind == "close":
            partners[waiting.pop()] = index
        elif token.kind == "break":
            crossing.update(waiting)
    ends = crossing | {partners[index] for index in crossing}
    paragraph: list[_Token] = []
    for index, token in enumerate(tokens):
        if token.kind == "break" or index in ends:
            yield paragraph
            paragraph = []
        else:
            paragraph.append(token)
    yield paragraph


def _spell(
    stretches: Sequence[Written],
    raw: Callable[[int, int], str],
    *,
    first: str | None,
    last: str | None,
    name: str,
) -> str:
    """A paragraph as runs, between a beginning and an end in runs with these properties."""
    pieces: list[str] = []
    current = first

    def turn(properties: str | None) -> None:
        nonlocal current
        if properties != current:
            pieces.append("" if current is None else f"</{name}>")
            pieces.append(properties or "")
            current = properties

    for text, properties, atom in stretches:
        if atom is None:
            turn(properties or current)
            pieces.append(f"<Content>{escape_text(text)}</Content>")
        elif atom.properties is None or not atom.properties.startswith(_IN_CONTENT):
            turn(atom.properties)
            pieces.append(raw(atom.start, atom.end))
        else:
            turn(atom.properties.removeprefix(_IN_CONTENT))
            pieces.append(f"<Content>{raw(atom.start, atom.end)}</Content>")
    turn(last)
    return "".join(pieces)
