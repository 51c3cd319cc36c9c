"""The parts of office files of all kinds: the main part, charts, diagrams and the title."""

from __future__ import annotations

from docmt_files.base.errors import InputError
from docmt_files.core.inline import has_word
from docmt_files.core.scopes import Scope
from docmt_files.core.zip_package import Package
from docmt_files.office.office_document import OfficeDocument
from docmt_files.office.office_drawings import DrawingText
from docmt_files.office.office_xml import read_xml, relations

_KINDS = {
    "wordprocessingml": "a Word document",
    "ms-word": "a Word document",
    "presentationml": "a presentation",
    "ms-powerpoint": "a presentation",
    "spreadsheetml": "a spreadsheet",
    "ms-excel": "a spreadsheet",
}


def main_part(package: Package, title: str) -> str:
    """The name of the main part of a package.

    Args:
        package: the package.
        title: the expected kind of package, in the words of `_KINDS`.

    Raises:
        InputError: the package is something else.
    """
    if "[Content_Types].xml" in package:
        name = next(
            (r.target for r in relations(package, "").values() if r.kind == "officeDocument"), ""
        )
        types = {
            element.attributes.get("PartName", "").lstrip("/"): element.attributes.get(
                "ContentType", ""
            )
            for element in read_xml(package, "[Content_Types].xml").root.elements
        }
        content_type = types.get(name, "")
        kind = next((kind for key, kind in _KINDS.items() if key in content_type), None)
        if name and kind == title:
            return name
        if kind is not None:
            raise InputError(
                f"is {kind}, not {title}",
                path=package.path,
                cure="Give it the suffix of its kind, or name its kind with `file_format`",
                parameters=("file_format",),
            )
    raise InputError(f"is not {title}", path=package.path, cure="Save it again in its program")


def related_parts(package: Package, name: str) -> dict[str, list[str]]:
    """The parts referenced by a part, by kind, each once."""
    parts: dict[str, list[str]] = {}
    for relation in relations(package, name).values():
        names = parts.setdefault(relation.kind, [])
        if relation.target and relation.target not in names:
            names.append(relation.target)
    return parts


def add_charts_and_diagrams(drawings: DrawingText, related: dict[str, list[str]]) -> None:
    """Add the text of the charts and diagrams among the parts referenced by a part.

    The numbers of a chart, and the names of series and categories, are copies of cells of a
    workbook in the file, and the workbook is left unchanged. A diagram is in the file twice: as
    data and as shapes.
    """
    document = drawings.document
    for name in related.get("chart", ()):
        part = read_xml(document.package, name)
        index = document.add_part(part)
        drawings.read(index, part.root)
        for cache in part.root.all("c:strCache"):
            for value in cache.all("c:v"):
                if has_word(value.text):
                    document.add_text(index, value)
        drawings.patch_languages(index, part.root)
        if related_parts(document.package, name).get("package"):
            document.kept.append(f"the workbook behind {name} not translated")
    data = []
    for kind in ("diagramData", "diagramDrawing"):
        for name in related.get(kind, ()):
            part = read_xml(document.package, name)
            index = document.add_part(part)
            paragraphs = drawings.read(index, part.root)
            drawings.patch_languages(index, part.root)
            if kind == "diagramData":
                data += paragraphs
            else:
                document.pair_twins(data, paragraphs)


def add_title(document: OfficeDocument) -> None:
    """Add the title in the properties of a file."""
    document.scope = Scope("part", "properties")
    for name in related_parts(document.package, "").get("core-properties", ()):
        part = read_xml(document.package, name)
        index = document.add_part(part)
        for element in part.root.elements:
            if element.name == "dc:title" and has_word(element.text):
                document.add_text(index, element)
