"""Samples of OpenDocument files."""

from __future__ import annotations

import zipfile
from functools import partial
from io import BytesIO

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"),
        ("style", "style"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("fo", "xsl-fo-compatible"),
        ("svg", "svg-compatible"),
        ("presentation", "presentation"),
        ("meta", "meta"),
        ("form", "form"),
    )
) + (
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:officeooo="http://openoffice.org/2009/office"'
)

_STYLES = """\
<office:styles><style:default-style style:family="paragraph"><style:paragraph-properties\
 style:writing-mode="page"/><style:text-properties fo:language="en" fo:country="US"/>\
</style:default-style></office:styles><office:automatic-styles><style:page-layout style:name="L">\
<style:page-layout-properties style:writing-mode="lr-tb"/></style:page-layout>\
</office:automatic-styles><office:master-styles><style:master-page style:name="Standard"\
 style:page-layout-name="L"><style:header><text:p>The pump manual</text:p></style:header>\
<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>\
</style:master-page></office:master-styles>"""

_META = """\
<office:meta><dc:title>The pump</dc:title><meta:keyword>pumps</meta:keyword>\
<dc:language>en-US</dc:language><dc:creator>A. Author</dc:creator></office:meta>"""

AUTOMATIC = """\
<style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"\
 officeooo:rsid="001"/></style:style><style:style style:name="T2" style:family="text">\
<style:text-properties fo:font-weight="bold" officeooo:rsid="002"/></style:style>\
<style:style style:name="T3" style:family="text"><style:text-properties fo:font-style="italic"/>\
</style:style><style:style style:name="T5" style:family="text"><style:text-properties\
 officeooo:rsid="003"/>\
</style:style><style:style style:name="T4" style:family="text"\
 style:parent-style-name="Source_20_Text"/>"""


def xml(name: str, inner: str) -> str:
    """An XML document of an OpenDocument file."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:{name} {_NAMESPACES} '
        f'office:version="1.3">{inner}</office:{name}>\n'
    )


def content(inner: str, kind: str = "text") -> str:
    """A `content.xml` with this body."""
    return xml(
        "document-content",
        f"<office:automatic-styles>{AUTOMATIC}</office:automatic-styles>"
        f"<office:body><office:{kind}>{inner}</office:{kind}></office:body>",
    )


def package(
    inner: str, kind: str = "text", parts: dict[str, str] | None = None, *, own: bool = True
) -> bytes:
    """An OpenDocument file.

    Args:
        inner: what is in `office:text` or the like.
        kind: text, spreadsheet or presentation.
        parts: the contents of other parts by their names.
        own: whether to add styles and meta data with texts of their own.
    """
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    found = {"content.xml": content(inner, kind)}
    if own:
        found["styles.xml"] = xml("document-styles", _STYLES)
        found["meta.xml"] = xml("document-meta", _META)
    found |= parts or {}
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>'
        for name in found
    )
    found.setdefault(
        "META-INF/manifest.xml",
        '<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest manifest:version="1.3" '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media_type}"/>'
        f"{entries}</manifest:manifest>",
    )
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), media_type)
        for name, text in found.items():
            info = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            archive.writestr(info, text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


TEXT = """\
<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><office:change-info/>
<text:p>Deleted words.</text:p></text:deletion></text:changed-region></text:tracked-changes>
<text:table-of-content text:name="T"><text:index-body><text:index-title><text:p>Contents</text:p>
</text:index-title><text:p><text:a xlink:href="#1">1 The pump<text:tab/>3</text:a></text:p>
</text:index-body></text:table-of-content>
<text:h text:outline-level="1"><text:bookmark-start text:name="B"/>The pump<text:bookmark-end
 text:name="B"/></text:h>
<text:p>Press the <text:span text:style-name="T1">red bu</text:span><text:span
 text:style-name="T2">tton</text:span>, then <text:a xlink:href="http://a.b/">read   the
 manual</text:a>.<text:note text:id="n1" text:note-class="footnote"><text:note-citation>1\
</text:note-citation><text:note-body><text:p>See <text:span text:style-name="T3">also</text:span>
 <text:span text:style-name="T5">the</text:span>
 box.</text:p></text:note-body></text:note> It<text:s text:c="2"/>stops &amp; waits.</text:p>
<text:p>A line<text:line-break/>and <text:change text:change-id="c1"/>another. Run <text:span
 text:style-name="T4">make all</text:span> on <text:date>2020</text:date> now<office:annotation>
<dc:creator>B</dc:creator><text:p>A comment.</text:p></office:annotation>.</text:p>
<text:p><draw:frame draw:name="F"><draw:text-box><text:p>In a box <draw:frame><draw:image
 xlink:href="a.png"/><svg:title>A logo</svg:title><svg:desc>It is red.</svg:desc></draw:frame> with
 a picture.</text:p></draw:text-box></draw:frame>Beside <text:ruby><text:ruby-base>the box\
</text:ruby-base><text:ruby-text>bx</text:ruby-text></text:ruby>.</text:p>
<table:table table:name="T1"><table:table-row><table:table-cell office:value-type="string">
<text:p>Size</text:p></table:table-cell><table:table-cell office:value-type="float"
 office:value="3"><text:p>3 m</text:p></table:table-cell></table:table-row></table:table>
"""

SHEET = """\
<table:table table:name="Sheet1"><table:title>Sizes of pumps</table:title><table:table-row>
<table:table-cell office:value-type="string" office:string-value="Red &amp; green&#10;and blue">
<text:p>Red &amp; green</text:p>
<text:p>and <text:span text:style-name="T1">blue</text:span></text:p>
</table:table-cell><table:table-cell office:value-type="float" office:value="2"><text:p>2</text:p>
</table:table-cell><table:table-cell table:formula="of:=[.A1]" office:value-type="string"
 office:string-value="Kept"><text:p>Kept</text:p></table:table-cell></table:table-row>
</table:table>"""

SLIDES = """\
<presentation:footer-decl presentation:name="f">A footer</presentation:footer-decl>
<draw:page draw:name="page1"><draw:frame presentation:class="title"><draw:text-box><text:p>The
 <text:span text:style-name="T1">pump</text:span></text:p></draw:text-box></draw:frame>
<draw:custom-shape><text:p>A shape.</text:p></draw:custom-shape><presentation:notes><draw:frame>
<draw:text-box><text:p>Say it.</text:p></draw:text-box></draw:frame></presentation:notes>
</draw:page>"""

SAMPLES = {
    "text.odt": partial(package, TEXT),
    "sheet.ods": partial(package, SHEET, "spreadsheet"),
    "slides.odp": partial(package, SLIDES, "presentation"),
    "chart.odt": partial(
        package,
        "<text:p>One.</text:p>",
        parts={"Object 1/content.xml": content("<text:p>A chart</text:p>", "chart")},
    ),
    "flat.fodt": xml(
        "document", f"{_META}<office:body><office:text>{TEXT}</office:text></office:body>"
    ).replace(
        "<office:document ",
        '<office:document office:mimetype="application/vnd.oasis.opendocument.text" ',
    ),
}

HOSTILE = {
    "empty.odt": b"",
    "no-zip.odt": b"PK\3\4 and then nothing",
    "no-text.odt": partial(package, "<text:p/>", own=False),
    "no-xml.odt": partial(package, "<text:p>One"),
    "entities.odt": partial(
        package,
        "<text:p>One</text:p>",
        parts={"styles.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"},
    ),
    "deep.odt": partial(package, "<text:section>" * 2_000 + "<text:p>One</text:p>"),
    "boxes.odt": partial(
        package,
        "<text:p>One two <draw:frame><draw:text-box>" * 60
        + "<text:p>Three</text:p>"
        + "</draw:text-box></draw:frame></text:p>" * 60,
    ),
    "ranges.odt": partial(
        package,
        "<text:p>"
        + "".join(f'<text:bookmark-start text:name="{n}"/>a ' for n in range(1_000))
        + "".join(f'<text:bookmark-end text:name="{n}"/>b ' for n in range(1_000))
        + "</text:p>",
    ),
}


def long_file(paragraphs: int) -> tuple[str, bytes]:
    """A file of so many paragraphs."""
    text = "<text:p>One <text:span text:style-name='T1'>two</text:span> three. Four.</text:p>"
    return "long.odt", package(text * paragraphs)
