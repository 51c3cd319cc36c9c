"""Presentations (`.pptx`, and `.pptm`, `.ppsx`, `.potx`).

Slides are read in the order of the show, each with its notes, comments, charts and diagrams;
layouts and masters are kept. Blocks are the paragraphs of shapes and of cells of tables.
"""

from __future__ import annotations

from docmt_files.base.documents import Document
from docmt_files.core.blocks import BlockSkeleton
from docmt_files.core.inline import has_word
from docmt_files.core.scopes import Scope
from docmt_files.core.zip_package import Package, read_package
from docmt_files.office.office_document import OfficeDocument
from docmt_files.office.office_drawings import DrawingText
from docmt_files.office.office_parts import (
    add_charts_and_diagrams,
    add_title,
    main_part,
    related_parts,
)
from docmt_files.office.office_xml import read_xml, relations
from docmt_files.storage.files import PathLike

_FALSE = ("0", "false")
_SIZES = "shapes keep their sizes, so look for text that does not fit"


def read(
    path: PathLike, language: str, target_language: str | None = None
) -> tuple[list[Document], BlockSkeleton]:
    """Read a file, as `format_registry` says of all formats."""
    package = read_package(path)
    main = main_part(package, "a presentation")
    document = OfficeDocument(package, kept=[_SIZES])
    drawings = DrawingText(document, language, target_language)
    slides = _slides(package, main)
    hidden = [s for s in slides if read_xml(package, s).root.attributes.get("show") in _FALSE]
    document.note_hidden(len(hidden), "hidden slide")
    for number, slide in enumerate(slides, 1):
        around = Scope("slide", str(number), Scope("hidden") if slide in hidden else None)
        document.scope = around
        related = related_parts(package, slide)
        drawings.read_part(slide)
        add_charts_and_diagrams(drawings, related)
        document.scope = Scope("part", "notes", around)
        for name in related.get("notesSlide", ()):
            drawings.read_part(name)
        document.scope = Scope("part", "comments", around)
        for name in related.get("comments", ()):
            # Comments are plain text in old versions, paragraphs in new ones.
            index = drawings.read_part(name)
            for element in document.parts[index].root.all("p:text"):
                if has_word(element.text):
                    document.add_text(index, element)
    add_title(document)
    return document.skeleton(language)


def _slides(package: Package, main: str) -> list[str]:
    """The names of the slides, in the order of the show."""
    targets = relations(package, main)
    slides = []
    for element in read_xml(package, main).root.all("p:sldId"):
        relation = targets.get(element.attributes.get("r:id", ""))
        if relation is not None and relation.target and relation.target not in slides:
            slides.append(relation.target)
    return slides
