"""Office files that are made from their parts, to have in them what no library writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "application/vnd.openxmlformats-officedocument"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
SHAPE = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"

W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{OFFICE}" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    f'xmlns:wps="{SHAPE}" '
    'xmlns:v="urn:schemas-microsoft-com:vml" mc:Ignorable="wps"'
)


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """A package of these parts, always the same."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            info.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(info, content)
    return out.getvalue()


def relations(targets: Mapping[str, str]) -> str:
    """The relationships to these targets, given with the kind of each."""
    found = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for number, (target, kind) in enumerate(targets.items(), start=1)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'{HEAD}<Relationships xmlns="{space}">{found}</Relationships>'


def content_types(parts: Mapping[str, str]) -> str:
    """The content types of these parts."""
    found = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in parts.items()
    )
    space = "http://schemas.openxmlformats.org/package/2006/content-types"
    return (
        f'{HEAD}<Types xmlns="{space}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{found}</Types>'
    )


_WORD_PARTS = {
    "styles": ("styles", "w:styles"),
    "footnotes": ("footnotes", "w:footnotes"),
    "comments": ("comments", "w:comments"),
    "header1": ("header", "w:hdr"),
    "footer1": ("footer", "w:ftr"),
}


def docx(body: str, **parts: str) -> bytes:
    """A Word document.

    Args:
        body: the content of its body.
        **parts: the content of other parts, by their names in `word/`.
    """
    types = {"word/document.xml": f"{TYPES}.wordprocessingml.document.main+xml"}
    files = {"word/document.xml": f"{HEAD}<w:document {W}><w:body>{body}</w:body></w:document>"}
    targets = {}
    for name, content in parts.items():
        kind, root = _WORD_PARTS[name]
        types[f"word/{name}.xml"] = f"{TYPES}.wordprocessingml.{kind}+xml"
        files[f"word/{name}.xml"] = f"{HEAD}<{root} {W}>{content}</{root}>"
        targets[f"{name}.xml"] = kind
    return archive(
        {
            "[Content_Types].xml": content_types(types),
            "_rels/.rels": relations({"word/document.xml": "officeDocument"}),
            "word/_rels/document.xml.rels": relations(targets),
            **files,
        }
    )


def run(text: str, properties: str = "") -> str:
    """A run of Word."""
    own = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{own}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*content: str, properties: str = "") -> str:
    """A paragraph of Word."""
    own = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f'<w:p w:rsidR="00A1">{own}{"".join(content)}</w:p>'


def ruby(base: str, reading: str, before: str = "", after: str = "") -> str:
    """A run of Word with a ruby in it.

    Args:
        base: the runs of the base text.
        reading: the text above it.
        before, after: the content of the run around it.
    """
    return (
        f'<w:r w:rsidR="00A2"><w:rPr><w:b/></w:rPr>{before}<w:ruby><w:rubyPr>'
        f'<w:rubyAlign w:val="distributeSpace"/><w:hps w:val="10"/></w:rubyPr><w:rt>{run(reading)}'
        f"</w:rt><w:rubyBase>{base}</w:rubyBase></w:ruby>{after}</w:r>"
    )


def field(instruction: str, *result: str) -> str:
    """A complex field of Word."""
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r><w:instrText xml:space="preserve"> {instruction} </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{"".join(result)}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def text_box(*paragraphs: str) -> str:
    """A text box of Word, which is held twice."""
    content = f"<w:txbxContent>{''.join(paragraphs)}</w:txbxContent>"
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline>'
        '<wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="Box 1"/>'
        f'<a:graphic xmlns:a="{A}"><a:graphicData uri="{SHAPE}"><wps:wsp><wps:cNvSpPr/>'
        '<wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm>'
        '<a:prstGeom prst="rect"/></wps:spPr>'
        f"<wps:txbx>{content}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>"
        '</wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape style="width:70pt;'
        f'height:70pt"><v:textbox>{content}</v:textbox></v:shape></w:pict></mc:Fallback>'
        "</mc:AlternateContent></w:r>"
    )


P = (
    f'xmlns:a="{A}" xmlns:r="{OFFICE}" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)


def pptx(slides: list[str], notes: str = "") -> bytes:
    """A presentation of slides with this content, and notes to the first; the parts are numbered
    from the last slide."""
    names = [f"slides/slide{number}.xml" for number in range(len(slides), 0, -1)]
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    types = {"ppt/presentation.xml": f"{TYPES}.presentationml.presentation.main+xml"}
    files = {
        "ppt/presentation.xml": f"{HEAD}<p:presentation {P}><p:sldIdLst>{ids}</p:sldIdLst>"
        "</p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(dict.fromkeys(names, "slide")),
    }
    for name, content in zip(names, slides, strict=True):
        files[f"ppt/{name}"] = (
            f"{HEAD}<p:sld {P}><p:cSld><p:spTree>{content}</p:spTree></p:cSld></p:sld>"
        )
        types[f"ppt/{name}"] = f"{TYPES}.presentationml.slide+xml"
    if notes:
        files["ppt/notesSlides/notesSlide1.xml"] = f"{HEAD}<p:notes {P}>{notes}</p:notes>"
        types["ppt/notesSlides/notesSlide1.xml"] = f"{TYPES}.presentationml.notesSlide+xml"
        own = names[0].replace("slides/", "slides/_rels/")
        target = {"../notesSlides/notesSlide1.xml": "notesSlide"}
        files[f"ppt/{own}.rels"] = relations(target)
    return archive(
        {
            "[Content_Types].xml": content_types(types),
            "_rels/.rels": relations({"ppt/presentation.xml": "officeDocument"}),
            **files,
        }
    )


def shape(*paragraphs: str, description: str = "") -> str:
    """A shape of a presentation with text."""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape 1" descr="{description}"/></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/>{''.join(paragraphs)}</p:txBody></p:sp>"
    )


def shape_paragraph(*content: str, properties: str = "") -> str:
    """A paragraph of a shape."""
    return f'<a:p>{properties}{"".join(content)}<a:endParaRPr lang="en-US" dirty="0"/></a:p>'


def shape_run(text: str, attributes: str = "", content: str = "") -> str:
    """A run of a shape."""
    return f'<a:r><a:rPr lang="en-US"{attributes}>{content}</a:rPr><a:t>{text}</a:t></a:r>'


S = f'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{OFFICE}"'


def xlsx(strings: list[str], sheets: list[str], table: str = "", comments: str = "") -> bytes:
    """A spreadsheet with these texts and rows of sheets, and a table and comments in the first."""
    names = [f"worksheets/sheet{number}.xml" for number in range(1, len(sheets) + 1)]
    main = "".join(
        f'<sheet name="S{n}" sheetId="{n}" r:id="rId{n}"/>' for n in range(1, len(sheets) + 1)
    )
    types = {
        "xl/workbook.xml": f"{TYPES}.spreadsheetml.sheet.main+xml",
        "xl/sharedStrings.xml": f"{TYPES}.spreadsheetml.sharedStrings+xml",
    }
    targets = dict.fromkeys(names, "worksheet") | {"sharedStrings.xml": "sharedStrings"}
    files = {
        "xl/workbook.xml": f"{HEAD}<workbook {S}><sheets>{main}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(targets),
        "xl/sharedStrings.xml": f'{HEAD}<sst {S} count="9">'
        + "".join(f"<si>{text}</si>" for text in strings)
        + "</sst>",
    }
    for name, rows in zip(names, sheets, strict=True):
        types[f"xl/{name}"] = f"{TYPES}.spreadsheetml.worksheet+xml"
        files[f"xl/{name}"] = (
            f'{HEAD}<worksheet {S}><sheetViews><sheetView workbookViewId="0"/></sheetViews>'
            f"<sheetData>{rows}</sheetData></worksheet>"
        )
    related = {}
    for name, content, kind in (("table1", table, "table"), ("comments1", comments, "comments")):
        if content:
            files[f"xl/{name}.xml"] = f"{HEAD}{content}"
            types[f"xl/{name}.xml"] = f"{TYPES}.spreadsheetml.{kind}+xml"
            related[f"../{name}.xml"] = kind
    files["xl/worksheets/_rels/sheet1.xml.rels"] = relations(related)
    return archive(
        {
            "[Content_Types].xml": content_types(types),
            "_rels/.rels": relations({"xl/workbook.xml": "officeDocument"}),
            **files,
        }
    )


def row(number: int, *cells: int | str) -> str:
    """A row: numbers are indices of texts, others what is in a cell."""
    found = []
    for column, cell in enumerate(cells):
        reference = f"{chr(ord('A') + column)}{number}"
        if isinstance(cell, int):
            found.append(f'<c r="{reference}" t="s"><v>{cell}</v></c>')
        else:
            found.append(cell.replace("<c", f'<c r="{reference}"', 1))
    return f'<row r="{number}">{"".join(found)}</row>'


def with_part(data: bytes, name: str, content: str | bytes) -> bytes:
    """A package with another content of a part."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts: dict[str, str | bytes] = {n: package.read(n) for n in package.namelist()}
    return archive({**parts, name: content})
