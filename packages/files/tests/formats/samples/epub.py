"""Samples of electronic books."""

from __future__ import annotations

import zipfile
from functools import partial
from io import BytesIO

CONTAINER = """\
<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""

OPF = """\
<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x</dc:identifier>
<dc:title>The pump</dc:title><dc:language>en-GB</dc:language><dc:creator>A. Author</dc:creator>
<dc:description>A book &amp; a manual.</dc:description></metadata>
<manifest><item id="c1" href="text/one%20a.xhtml" media-type="application/xhtml+xml"/>
<item id="c2" href="text/two.xhtml" media-type="application/xhtml+xml"/>
<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
<item id="css" href="style.css" media-type="text/css"/></manifest>
<spine toc="ncx"><itemref idref="c2"/><itemref idref="c1"/></spine>
<guide><reference type="text" title="Start" href="text/two.xhtml"/></guide></package>
"""

NCX = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" xml:lang="en"><head/>
<docTitle><text>The pump</text></docTitle><docAuthor><text>A. Author</text></docAuthor>
<navMap><navPoint id="a"><navLabel><text>The first chapter</text></navLabel>
<content src="text/two.xhtml#top"/></navPoint></navMap><pageList><pageTarget id="p">
<navLabel><text>12</text></navLabel><content src="text/two.xhtml"/></pageTarget></pageList></ncx>
"""


def page(body: str, title: str = "The pump") -> str:
    """A page of a book."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
        f'lang="en" xml:lang="en"><head><title>{title}</title>'
        '<link rel="stylesheet" href="../style.css"/></head>\n'
        f"<body>{body}</body></html>\n"
    )


FIRST = """\
<h1 id="top">The first chapter</h1>
<p>Press the <b>red</b> button<a epub:type="noteref" href="#n1" id="r1"><sup>1</sup></a>, then wait.
 See <a href="one%20a.xhtml#end">the end</a>.</p>
<p>He said <ruby>ink<rp>(</rp><rt>nk</rt><rp>)</rp></ruby> and left.<br/>It was late.</p>
<aside epub:type="footnote" id="n1"><p><a href="#r1">1</a> A note &amp; more.</p></aside>"""

SECOND = """\
<h2>The second</h2><p id="end">The end<sup><a href="two.xhtml#n1">[2]</a></sup>.</p>
<svg xmlns="http://www.w3.org/2000/svg"><text>Kept</text></svg><img src="a.png" alt="A picture"/>"""

NAV = page(
    '<nav epub:type="toc"><h2>Contents</h2><ol><li><a href="text/two.xhtml#top">The first chapter'
    '</a></li><li><a href="text/one%20a.xhtml">The second</a></li></ol></nav>'
).replace("../style.css", "style.css")

PARTS = {
    "META-INF/container.xml": CONTAINER,
    "OPS/book.opf": OPF,
    "OPS/toc.ncx": NCX,
    "OPS/nav.xhtml": NAV,
    "OPS/text/one a.xhtml": page(SECOND),
    "OPS/text/two.xhtml": page(FIRST),
    "OPS/style.css": "p { color: red }",
}


def book(changes: dict[str, str] | None = None) -> bytes:
    """A book, with other parts than those of `PARTS`."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        for name, text in (PARTS | (changes or {})).items():
            info = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            archive.writestr(info, text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


_OLD_PAGE = page("<p>One&nbsp;two.<br/>Three <i>four</i>.</p>").replace(
    "<!DOCTYPE html>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" '
    '"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">',
)

SAMPLES = {"book.epub": book, "old.epub": partial(book, {"OPS/text/two.xhtml": _OLD_PAGE})}

HOSTILE = {
    "empty.epub": b"",
    "no-container.epub": partial(book, {"META-INF/container.xml": "<container/>"}),
    "no-spine.epub": partial(book, {"OPS/book.opf": "<package/>"}),
    "no-xml.epub": partial(book, {"OPS/book.opf": "<package"}),
    "outside.epub": partial(book, {"OPS/book.opf": OPF.replace("text/two", "../../two")}),
    "nul.epub": partial(book, {"OPS/text/two.xhtml": page("<p>One\0two</p>")}),
    "entities.epub": partial(
        book, {"OPS/toc.ncx": NCX.replace('dtd">', 'dtd" [<!ENTITY a "b">]>').replace("12", "&a;")}
    ),
    "unclosed.epub": partial(book, {"OPS/text/two.xhtml": page("<p><b>One <ruby>a<rt>b")}),
}


def long_file(paragraphs: int) -> tuple[str, bytes]:
    """A file of so many paragraphs."""
    body = '<p>One <b>two</b> three. Four <a href="#x">five</a>.</p>' * paragraphs
    return "long.epub", book({"OPS/text/two.xhtml": page(body)})
