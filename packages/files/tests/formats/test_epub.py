"""Electronic books: their text is found and replaced, and everything else stays."""

from __future__ import annotations

import posixpath
import zipfile
from io import BytesIO
from urllib.parse import unquote

import pytest
from lxml import etree

from docmt_files.base.errors import InputError
from docmt_files.markup import epub
from formats.samples.epub import FIRST, NCX, OPF, book, page


def read(folder, data, target=None):
    path = folder / "in.epub"
    path.write_bytes(data)
    return epub.read(path, "en", target)


def translated(folder, data, change, target=None):
    (document,), skeleton = read(folder, data, target)
    filled = skeleton.fill_and_report([document.translated([change(s) for s in document.source])])
    assert not filled.kept
    return filled


def parts(data):
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_book_is_read_in_its_order_with_its_navigation_and_titles(tmp_path):
    (document,), _ = read(tmp_path, book())
    assert list(document.source) == [
        "The pump",
        "The first chapter",
        "Press the red button, then wait.",
        "See the end.",
        "He said ink and left.",
        "It was late.",
        "A note & more.",
        "The pump",
        "The second",
        "The end.",
        "A picture",
        "The pump",
        "Contents",
        "The first chapter",
        "The second",
        "The pump",
        "The first chapter",
        "The pump",
        "A book & a manual.",
        "Start",
    ]


def test_only_text_is_written_anew(tmp_path):
    data = book()
    assert translated(tmp_path, data, str).data == data
    new = parts(translated(tmp_path, data, str.upper).data)
    first = new["OPS/text/two.xhtml"]
    assert '<b>RED</b> BUTTON<a epub:type="noteref" href="#n1" id="r1"><sup>1</sup></a>, ' in first
    assert "<ruby>INK<rp>(</rp><rt>nk</rt><rp>)</rp></ruby>" in first
    assert '<p><a href="#r1">1</a> A NOTE &amp; MORE.</p>' in first
    assert 'END<sup><a href="two.xhtml#n1">[2]</a></sup>.' in new["OPS/text/one a.xhtml"]
    assert "<text>Kept</text>" in new["OPS/text/one a.xhtml"]
    assert "<text>THE PUMP</text></docTitle><docAuthor><text>A. Author<" in new["OPS/toc.ncx"]
    assert "<text>12</text>" in new["OPS/toc.ncx"]
    assert 'title="START"' in new["OPS/book.opf"]
    for name in ("META-INF/container.xml", "OPS/style.css", "mimetype"):
        assert new[name] == parts(data)[name]


def test_the_package_begins_with_its_type(tmp_path):
    data = translated(tmp_path, book(), str.upper).data
    assert data[30:].startswith(b"mimetypeapplication/epub+zip")


def test_equal_titles_get_equal_translations(tmp_path):
    numbers = iter(range(100))
    new = parts(translated(tmp_path, book(), lambda s: f"{s[:8]} {next(numbers)}").data)
    for name in ("OPS/nav.xhtml", "OPS/toc.ncx", "OPS/text/two.xhtml"):
        assert "The firs 1<" in new[name]
        assert "The pump 0<" in new[name]


@pytest.mark.parametrize(
    "change", [str.upper, lambda s: " ".join(reversed(s.split())), lambda _: "x"]
)
def test_every_link_leads_somewhere(tmp_path, change):
    new = parts(translated(tmp_path, book(), change, "de").data)
    trees = {
        name: etree.fromstring(text.encode())
        for name, text in new.items()
        if name.endswith((".xhtml", ".ncx", ".opf"))
    }
    ids = {name: set(tree.xpath("//@id")) for name, tree in trees.items()}
    links = 0
    for name, tree in trees.items():
        for link in tree.xpath("//@href | //*[local-name()='content']/@src"):
            target, _, fragment = link.partition("#")
            own = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(target)))
            own = own if target else name
            assert own in new
            assert not fragment or fragment in ids[own]
            links += 1
    assert links == 17


def test_the_output_names_its_language_and_direction(tmp_path):
    new = parts(translated(tmp_path, book(), str.upper, "ar").data)
    assert "<dc:language>ar</dc:language>" in new["OPS/book.opf"]
    assert 'xml:lang="ar"' in new["OPS/book.opf"] and 'xml:lang="ar"' in new["OPS/toc.ncx"]
    assert '<spine page-progression-direction="rtl" toc="ncx">' in new["OPS/book.opf"]
    assert 'lang="ar" xml:lang="ar"' in new["OPS/nav.xhtml"]
    assert 'dir="rtl"' in new["OPS/nav.xhtml"]


def encryption(algorithm):
    return {
        "META-INF/encryption.xml": '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:'
        'container"><e:EncryptedData xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        f'<e:EncryptionMethod Algorithm="{algorithm}"/></e:EncryptedData></encryption>'
    }


def test_protected_books_are_refused_but_fonts_may_be_obfuscated(tmp_path):
    read(tmp_path, book(encryption("http://www.idpf.org/2008/embedding")))
    with pytest.raises(InputError, match="is protected by DRM"):
        read(tmp_path, book(encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")))


def test_what_is_not_translated_is_noted(tmp_path):
    opf = OPF.replace("A book &amp; a", "&lt;p&gt;A").replace(
        "</manifest>", '<item id="b" href="b.xml" media-type="image/svg+xml"/></manifest>'
    )
    opf = opf.replace("</spine>", '<itemref idref="b"/></spine>')
    data = book({"OPS/book.opf": opf, "META-INF/signatures.xml": "<signatures/>"})
    notes = translated(tmp_path, data, str.upper).notes
    assert notes[1:] == (
        "1 description in HTML not translated",
        "the digital signature is not valid any more",
        "1 chapter in other formats than XHTML not translated",
    )


def test_errors_name_the_part(tmp_path):
    for changes, problem in (
        ({"OPS/book.opf": "<a>\n<b></a>"}, r"in\.epub \(OPS/book\.opf\), line 2: is not valid"),
        ({"OPS/toc.ncx": NCX[:200]}, r"\(OPS/toc\.ncx\)"),
        ({"OPS/book.opf": OPF.replace("text/two", "text/three")}, "has no part 'OPS/text/three"),
        ({"META-INF/container.xml": "<container/>"}, "names no package document"),
    ):
        with pytest.raises(InputError, match=problem):
            read(tmp_path, book(changes))
    out = BytesIO()
    zipfile.ZipFile(out, "w").close()
    with pytest.raises(InputError, match="is not an EPUB file"):
        read(tmp_path, out.getvalue())


def test_characters_that_xml_cannot_hold_are_not_written(tmp_path):
    data = book({"OPS/text/two.xhtml": page(FIRST)})
    (document,), skeleton = read(tmp_path, data)
    filled = skeleton.fill_and_report([document.translated([f"{s}\x01" for s in document.source])])
    # Nothing else is written in their place: the blocks stay, and a note counts them.
    assert filled.kept == len(skeleton.found.blocks)
    assert any("cannot hold" in note for note in filled.notes)
    assert all("\x01" not in text and "\ufffd" not in text for text in parts(filled.data).values())
