"""The structure of files as other programs see it: the oracles of `formats.py`."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCHEMAS = "XLIFF_SCHEMAS"
"""The variable of the environment that names a folder with the XSDs of XLIFF by OASIS
(`xliff-core-1.2-strict.xsd`, `xliff_core_2.0.xsd`) and the `xml.xsd` that they import."""

Oracle = Callable[[Path], Any]
"""The structure of a file as another program sees it, without its text; raises if it sees none."""


def markup_structure(path: Path) -> Any:
    """The elements of a page or an XML file, by lxml."""
    from lxml import etree, html

    data = path.read_bytes()
    xml = path.suffix.lower() not in (".html", ".htm", ".xhtml", ".xht")
    root = etree.fromstring(data) if xml else html.document_fromstring(data)
    return Counter(str(element.tag) for element in root.iter())


def markdown_structure(path: Path) -> Any:
    """The kinds of tokens of CommonMark, by markdown-it-py without docmt's changes to it."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    return Counter(token.type for token in tokens)


def json_structure(path: Path) -> Any:
    """The keys and the kinds of values."""
    import json

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shape(inner) for key, inner in value.items()}
        return [shape(inner) for inner in value] if isinstance(value, list) else type(value)

    return shape(json.loads(path.read_text(encoding="utf-8-sig")))


def word_structure(path: Path) -> Any:
    """Paragraphs, tables, sections and pictures, by python-docx."""
    import docx

    found = docx.Document(str(path))
    return (
        len(found.paragraphs),
        len(found.tables),
        len(found.sections),
        len(found.inline_shapes),
        [paragraph.style.name for paragraph in found.paragraphs if paragraph.style],
    )


def slides_structure(path: Path) -> Any:
    """The shapes of each slide, by python-pptx."""
    from pptx import Presentation

    return [[shape.name for shape in slide.shapes] for slide in Presentation(str(path)).slides]


def sheets_structure(path: Path) -> Any:
    """The sizes of the sheets and what is not text in them, by openpyxl."""
    from openpyxl import load_workbook

    return [
        (sheet.dimensions, [c.value for row in sheet for c in row if not isinstance(c.value, str)])
        for sheet in load_workbook(path).worksheets
    ]


def opendocument_structure(path: Path) -> Any:
    """The elements of the content, by odfdo. Spans are not counted: those that look the same and
    come to stand side by side become one."""
    from odfdo import Document

    elements = Document(path).body.get_elements("//*")
    return Counter(element.tag for element in elements if element.tag != "text:span")


def book_structure(path: Path) -> Any:
    """The names of the parts of a book, whose XML is well formed."""
    from zipfile import ZipFile

    from lxml import etree

    with ZipFile(path) as book:
        for name in book.namelist():
            if name.endswith((".xhtml", ".opf", ".ncx")):
                etree.fromstring(book.read(name))
        return book.namelist()


def subtitle_structure(path: Path) -> Any:
    """The times of the cues, by pysubs2."""
    import pysubs2

    return [(event.start, event.end) for event in pysubs2.load(str(path))]


def messages_structure(path: Path) -> Any:
    """The messages, by polib; `msgfmt -c` finds no fault that the file did not have."""
    import polib

    checked = subprocess.run(
        ["msgfmt", "-c", "-o", "/dev/null", str(path)], capture_output=True, check=False
    )
    return checked.returncode, [entry.msgid for entry in polib.pofile(str(path))]


def strings_structure(path: Path) -> Any:
    """The keys, by openstep-plist, which reads property lists of this form as Apple's programs."""
    import openstep_plist

    data = path.read_bytes()
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return list(openstep_plist.loads(data.decode("utf-16" if wide else "utf-8-sig")))


def units_structure(path: Path) -> Any:
    """The units of an XLIFF file, by lxml; with `XLIFF_SCHEMAS`, the first fault by its XSD."""
    from lxml import etree

    root = etree.parse(path).getroot()
    core = etree.QName(root).namespace or ""
    schemas = Path(os.environ.get(SCHEMAS) or "/nonexistent")
    name = {"1.2": "xliff-core-1.2-strict.xsd", "2.0": "xliff_core_2.0.xsd"}.get(core[-3:], "-")
    fault = None
    if (schemas / name).is_file():
        tree = etree.parse(schemas / name)
        for element in tree.iter("{*}import"):
            element.set("schemaLocation", str(schemas / "xml.xsd"))
        schema = etree.XMLSchema(tree)
        fault = None if schema.validate(root) else schema.error_log[0].type_name
    units = root.iter("{*}trans-unit", "{*}unit", "{*}segment")
    return fault, [(etree.QName(unit).localname, unit.get("id")) for unit in units]


def fluent_structure(path: Path) -> Any:
    """The names and references, comments and what is not valid, by Mozilla's parser."""
    from fluent.syntax import FluentParser, ast

    resource = FluentParser(with_spans=False).parse(path.read_text(encoding="utf-8"))
    found: Counter[tuple[str, str]] = Counter()

    def count(value: Any) -> None:
        if isinstance(value, list):
            for each in value:
                count(each)
        elif isinstance(value, dict) and value["type"] != ast.TextElement.__name__:
            found[value["type"], str(value.get("name") or value.get("content"))] += 1
            count([value[key] for key in sorted(value) if key != "comment"])

    count(resource.to_json())
    return found


def plist_structure(path: Path) -> Any:
    """The keys of a property list, by the standard library."""
    import plistlib

    def keys(value: Any) -> Any:
        return {k: keys(v) for k, v in value.items()} if isinstance(value, dict) else type(value)

    return keys(plistlib.loads(path.read_bytes()))


def linguist_structure(path: Path) -> Any:
    """The sources of a file of Qt, and the translations that are finished, by lxml."""
    from lxml import etree

    return [
        (message.findtext("source"), None if made is None or made.get("type") else made.text)
        for message in etree.parse(path).iter("message")
        for made in [message.find("translation")]
    ]


ORACLES: dict[str, Oracle] = {
    "html": markup_structure,
    "markdown": markdown_structure,
    "json": json_structure,
    "docx": word_structure,
    "pptx": slides_structure,
    "xlsx": sheets_structure,
    "odf": opendocument_structure,
    "epub": book_structure,
    "srt": subtitle_structure,
    "vtt": subtitle_structure,
    "subrip": subtitle_structure,
    "webvtt": subtitle_structure,
    "po": messages_structure,
    "android": markup_structure,
    "strings": strings_structure,
    "xliff": units_structure,
    "tmx": markup_structure,
    "resx": markup_structure,
    "stringsdict": plist_structure,
    "qt": linguist_structure,
    "fluent": fluent_structure,
}
"""What opens the files of a format; others are compared by docmt alone."""
