"""Office files that are made from their parts, to have in them what no library writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "application/vnd.openxmlformats-officedocument"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'

W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{OFFICE}" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
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
    "styles": ("styles", "w:styles"), "footnotes": ("footnotes", "w:footnotes"),
    "comments": ("comments", "w:comments"), "header1": ("header", "w:hdr"),
    "footer1": ("footer", "w:ftr"),
}  # fmt: skip


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
    return archive({
        "[Content_Types].xml": content_types(types),
        "_rels/.rels": relations({"word/document.xml": "officeDocument"}),
        "word/_rels/document.xml.rels": relations(targets), **files,
    })  # fmt: skip


def run(text: str, properties: str = "") -> str:
    """A run of Word."""
    own = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{own}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*content: str, properties: str = "") -> str:
    """A paragraph of Word."""
    own = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f'<w:p w:rsidR="00A1">{own}{"".join(content)}</w:p>'


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
        f'<wp:docPr id="1" name="Box 1"/><wps:wsp><wps:txbx>{content}</wps:txbx></wps:wsp>'
        "</wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>"
        f"{content}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
