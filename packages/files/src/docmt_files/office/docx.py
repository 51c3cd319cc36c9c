"""Word documents (`.docx`, and `.docm`, `.dotx`, `.dotm`).

Blocks are paragraphs, divided at tabs, page breaks and double line breaks. Links, and runs
formatted otherwise than the paragraph, are pairs of codes; line breaks, pictures, footnote
references, bookmarks and anchors of comments are void codes; formulas and computed fields are
protected. A ruby is a pair around the base text. Tracked changes are read as accepted, and stay in
the file. In the output `w:lang` names the target language, and paragraphs have the direction of the
target language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from docmt_files.base.documents import Document
from docmt_files.base.wording import counted
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import has_word
from docmt_files.core.xml_events import raw_name
from docmt_files.core.zip_package import read_package
from docmt_files.office.docx_fields import Fields, has_words
from docmt_files.office.docx_properties import Direction, WordPatches, run_properties
from docmt_files.office.docx_scopes import WordScopes
from docmt_files.office.office_document import OfficeDocument
from docmt_files.office.office_drawings import DrawingText, add_descriptions
from docmt_files.office.office_names import name_list
from docmt_files.office.office_parts import (
    add_charts_and_diagrams,
    add_title,
    main_part,
    related_parts,
)
from docmt_files.office.office_runs import (
    BLANKS,
    Atom,
    Item,
    ItemKind,
    Paragraph,
    Written,
    split_at_tabs,
)
from docmt_files.office.office_xml import Element, OfficeXml, read_xml
from docmt_files.storage.characters import escape_text
from docmt_files.storage.files import PathLike

_STORIES = ("footnotes", "endnotes", "comments", "header", "footer")
"""The parts with text besides the main part, in the order of translation."""

_STYLES = ("styles", "stylesWithEffects", "settings", "numbering")
"""Parts with the name of the language."""

_CONTAINERS, _REMOVED, _DROPPED, _PROTECTED, _TABS = (
    name_list("docx", key) for key in ("containers", "removed", "dropped", "protected", "tabs")
)


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    package = read_package(path)
    main = main_part(package, "a Word document")
    document = OfficeDocument(package)
    direction = Direction(language, target_language)
    related = related_parts(package, main)
    stories = [main, *(name for kind in _STORIES for name in related.get(kind, ()))]
    scopes = WordScopes(package, related.get("styles", []))
    read_stories = [
        _Story(document, read_xml(package, name), direction, scopes) for name in stories
    ]
    for name, story in zip(stories, read_stories, strict=True):
        scopes.begin(story.part, is_main=name == main)
        story.read()
    document.scope = None
    drawings = DrawingText(document, language, target_language)
    for name in stories:
        add_charts_and_diagrams(drawings, related_parts(package, name))
    add_title(document)
    for kind in _STYLES:
        for name in related.get(kind, ()):
            part = read_xml(package, name)
            WordPatches(document, document.add_part(part), direction).patch_languages(part.root)
    hidden = sum(_hides(run) for story in read_stories for run in story.part.root.all("w:r"))
    document.note_hidden(hidden, "piece of hidden text", "pieces of hidden text")
    if changes := sum(story.changes for story in read_stories):
        document.kept.insert(0, f"{counted(changes, 'tracked change')}, translated as if accepted")
    if readings := sum(story.readings for story in read_stories):
        document.kept.append(f"{counted(readings, 'ruby text')} kept above translated words")
    return document.skeleton(language)


def _hides(run: Element) -> bool:
    """Return whether a run is hidden text."""
    properties = run.child("w:rPr")
    mark = properties.child("w:vanish") if properties is not None else None
    if mark is None or mark.attributes.get("w:val", "true") in ("0", "false", "off"):
        return False
    return any(has_word(text.text) for text in run.all("w:t"))


class _Story:
    """Adds the paragraphs of a part to a document."""

    def __init__(
        self, document: OfficeDocument, part: OfficeXml, direction: Direction, scopes: WordScopes
    ) -> None:
        self.document, self.part, self.direction = document, part, direction
        self.scopes = scopes
        self.index = document.add_part(part)
        self.patches = WordPatches(document, self.index, direction)
        self.fields = Fields()
        self.changes = self.kept_paragraphs = self.readings = 0

    def read(self) -> None:
        """Read the part."""
        self._walk(self.part.root)
        add_descriptions(self.document, self.index, self.part.root)
        self.patches.patch_languages(self.part.root)
        self.changes = sum(1 for _ in self.part.root.all("w:ins", "w:del", "w:moveFrom"))
        if self.kept_paragraphs:
            text = counted(self.kept_paragraphs, "paragraph")
            self.document.kept.append(f"{text} of a computed list, such as a bibliography, kept")

    def _walk(self, element: Element) -> None:
        """Read the paragraphs in an element."""
        if element.name == "mc:AlternateContent":
            self._alternatives(element)
            return
        for child in element.elements:
            if child.name == "w:p":
                self._paragraph(child)
            elif child.name == "w:txbxContent":
                self._text_box(child)
            else:
                self._walk(child)

    def _alternatives(self, element: Element) -> None:
        """Read content with alternatives; the first alternative is translated."""
        first: list[Paragraph] | None = None
        for choice in element.elements:
            start = len(self.document.paragraphs)
            self._walk(choice)
            paragraphs = self.document.paragraphs[start:]
            if first is None:
                first = paragraphs
            else:
                self.document.pair_twins(first, paragraphs)

    def _text_box(self, element: Element) -> None:
        """A separate text in a paragraph."""
        fields, self.fields = self.fields, Fields()
        self._walk(element)
        self.fields = fields

    def _paragraph(self, element: Element) -> None:
        """Read a paragraph, and then the text boxes in it."""
        properties = element.child("w:pPr")
        items: list[Item] = []
        nested: list[Element] = []
        self.document.scope = self.scopes.of_paragraph(properties)
        self._content(element, items, nested, 0)
        self.fields.end_paragraph(items)
        if self.fields.kept and element.child("w:r") is not None:
            self.kept_paragraphs += any(has_word(t.text) for t in element.all("w:t"))
        if any(item.kind == "text" and has_word(item.text) for item in items):
            prefix = raw_name(self.part.text, element.tag).rpartition("p")[0]
            mark = properties.child("w:rPr") if properties else None
            start = properties.end if properties else element.inner_start
            self.document.add(
                Paragraph(
                    self.index,
                    start,
                    element.inner_end,
                    items,
                    partial(_spell, prefix=prefix, turn=self.direction.turn),
                    run_properties(self.part, mark),
                    run_scope=self.scopes.of_run,
                )
            )
            self.patches.patch_direction(element, properties, prefix)
        for box in nested:
            self._walk(box)
        self.scopes.pass_over(element)

    def _content(
        self, element: Element, items: list[Item], nested: list[Element], depth: int
    ) -> None:
        """Read the content of a paragraph, or of an element around runs."""
        for child in element.elements:
            if child.name == "w:r":
                self._run(child, items, nested, depth)
            elif child.name in _CONTAINERS:
                self._container(child, items, nested, depth)
            elif child.name in _PROTECTED:
                items.append(Item("protected", atoms=(Atom(child.start, child.end),)))
            elif child.name not in _DROPPED:
                items.append(Item("void", atoms=(Atom(child.start, child.end),)))
                if child.name not in _REMOVED:
                    nested.append(child)

    def _container(
        self, element: Element, items: list[Item], nested: list[Element], depth: int
    ) -> None:
        """Read an element around runs, such as a link."""
        inner, start = element, element.inner_start
        if element.name == "w:sdt":
            content = element.child("w:sdtContent")
            if content is None:
                items.append(Item("void", atoms=(Atom(element.start, element.end),)))
                return
            inner, start = content, content.inner_start
        elif (properties := element.child("w:smartTagPr", "w:customXmlPr")) is not None:
            start = properties.end
        computed = element.name == "w:fldSimple" and not has_words(
            next((v for k, v in element.attributes.items() if k == "w:instr"), "")
        )
        inner_items: list[Item] = []
        if not computed and inner.inner_start < inner.inner_end:
            self._content(inner, inner_items, nested, depth + 1)
        if not any(item.kind in ("text", "end") for item in inner_items):
            kind: ItemKind = "protected" if computed else "void"
            items.append(Item(kind, atoms=(Atom(element.start, element.end),)))
            return
        items.append(Item("open", atoms=(Atom(element.start, start),)))
        items += inner_items
        items.append(Item("close", atoms=(Atom(inner.inner_end, element.end),)))

    def _run(self, element: Element, items: list[Item], nested: list[Element], depth: int) -> None:
        """Read a run."""
        properties = run_properties(self.part, element.child("w:rPr"))
        for child in element.elements:
            atom = Atom(child.start, child.end, properties)
            if child.name == "w:t" and not self.fields.kept:
                items += _texts(child, properties, atom)
            elif child.name == "w:noBreakHyphen" and not self.fields.kept:
                items.append(Item("text", "-", properties))
            elif child.name == "w:fldChar":
                self._field(child, items, atom, depth)
            elif child.name in _TABS or (child.name == "w:br" and _ends_block(child)):
                items.append(Item("end", atoms=(atom,)))
            elif child.name in ("w:br", "w:cr"):
                items.append(Item("void", "\n", atoms=(atom,)))
            elif child.name == "w:ruby":
                self._ruby(element, child, items, nested, depth)
            elif child.name in _PROTECTED:
                items.append(Item("protected", atoms=(atom,)))
            elif child.name not in _DROPPED:
                if child.name == "w:instrText":
                    self.fields.add_instruction(child.text)
                items.append(Item("void", atoms=(atom,)))
                nested.append(child)

    def _ruby(
        self, run: Element, ruby: Element, items: list[Item], nested: list[Element], depth: int
    ) -> None:
        """Read a ruby in a run: the base text is translated, and both ends of the pair hold the run
        and the reading around it."""
        base, inner_items = ruby.child("w:rubyBase"), list[Item]()
        if base is not None and base.inner_start < base.inner_end:
            self._content(base, inner_items, nested, depth + 1)
        if base is None or not any(item.kind == "text" for item in inner_items):
            properties = run_properties(self.part, run.child("w:rPr"))
            items.append(Item("protected", atoms=(Atom(ruby.start, ruby.end, properties),)))
            return
        self.readings += 1
        first = run.child("w:rPr")
        opening = Atom(run.start, first.end if first else run.inner_start)
        items.append(Item("open", atoms=(opening, Atom(ruby.start, base.inner_start))))
        items += inner_items
        closing = Atom(run.inner_end, run.end)
        items.append(Item("close", atoms=(Atom(base.inner_end, ruby.end), closing)))

    def _field(self, element: Element, items: list[Item], atom: Atom, depth: int) -> None:
        kind = element.attributes.get("w:fldCharType")
        step: dict[str | None, Callable[[list[Item], Atom, int], None]] = {
            "begin": self.fields.begin,
            "separate": self.fields.separate,
            "end": self.fields.end,
        }
        if kind in step:
            step[kind](items, atom, depth)
        else:
            items.append(Item("void", atoms=(atom,)))


def _ends_block(element: Element) -> bool:
    """Return whether a break is one of a page or column."""
    return element.attributes.get("w:type", "textWrapping") != "textWrapping"


def _texts(element: Element, properties: str, atom: Atom) -> Iterable[Item]:
    """The text of a run. Formatted blanks are a form to fill in."""
    text = element.text.replace("\n", " ")
    if properties and len(text) >= BLANKS and text.isspace():
        return [Item("void", " ", atoms=(atom,))]
    return split_at_tabs(text, properties)


def _spell(
    stretches: Sequence[Written],
    raw: Callable[[int, int], str],
    *,
    prefix: str,
    turn: Callable[[str, str], str],
) -> str:
    """A paragraph as runs."""
    pieces = []
    for text, properties, atom in stretches:
        if atom is None:
            turned = turn(properties, prefix)
            content = f'<{prefix}t xml:space="preserve">{escape_text(text)}</{prefix}t>'
        else:
            turned, content = atom.properties or "", raw(atom.start, atom.end)
            if atom.properties is None:
                pieces.append(content)
                continue
        pieces.append(f"<{prefix}r>{turned}{content}</{prefix}r>")
    return "".join(pieces)
