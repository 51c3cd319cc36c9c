"""OpenDocument files: text is found and replaced, and everything else stays."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.errors import InputError
from docmt.formats.office import odf
from formats.samples.odf import SHEET, SLIDES, TEXT, package, xml


def read(folder, data, name="in.odt", target=None):
    path = folder / name
    path.write_bytes(data)
    return odf.read(path, "en", target)


def filled(documents, skeleton, change=lambda sentence: sentence):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def part(data, name="content.xml"):
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        return archive.read(name).decode()


def body(text):
    return re.search(r"<office:(text|spreadsheet|presentation)>(.*)</office:\1>", text, re.S)[2]


SPAN, HIDDEN = '<text:span text:style-name="T1">', '<text:span text:style-name="T5">'
TABLE = [
    # the content of office:text, sentences, the content filled with the sentences in upper case
    (
        "<text:p>One.\n  Two &amp; &#233;.</text:p>",
        ["One.", "Two & é."],
        "<text:p>ONE.\n  TWO &amp; É.</text:p>",
    ),
    (
        "<text:h>a</text:h><text:list><text:list-item><text:number>1.</text:number><text:p>b</text:p>"
        "</text:list-item></text:list>",
        ["a", "b"],
        "<text:h>A</text:h><text:list><text:list-item><text:number>1.</text:number><text:p>B</text:p>"
        "</text:list-item></text:list>",
    ),
    # Spans that look the same are one, in sentences that change
    (
        f'<text:p>{SPAN}b</text:span><text:span text:style-name="T2">c</text:span> d</text:p>',
        ["bc d"],
        f"<text:p>{SPAN}BC</text:span> D</text:p>",
    ),
    (
        f'<text:p>{SPAN}b</text:span><text:span text:style-name="T3">c</text:span></text:p>',
        ["bc"],
        f'<text:p>{SPAN}<text:span text:style-name="T3">BC</text:span></text:span></text:p>',
    ),
    (
        f"<text:p>{SPAN}One.</text:span>{SPAN} Two.</text:span></text:p>",
        ["One.", "Two."],
        f"<text:p>{SPAN}ONE.</text:span>{SPAN} TWO.</text:span></text:p>",
    ),
    # Spans that show nothing are left out of sentences that change
    (
        f"<text:p>a {HIDDEN}b </text:span>c {SPAN}d</text:span></text:p>",
        ["a b c d"],
        f"<text:p>A B C {SPAN}D</text:span></text:p>",
    ),
    (
        f"<text:p>One {HIDDEN}two. Three</text:span> four.</text:p>",
        ["One two.", "Three four."],
        f"<text:p>ONE {HIDDEN}TWO. THREE</text:span> FOUR.</text:p>",
    ),
    # Notes, boxes and descriptions are blocks of their own
    (
        "<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>b"
        "</text:p></text:note-body></text:note> c</text:p>",
        ["a c", "b"],
        "<text:p>A<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>B"
        "</text:p></text:note-body></text:note> C</text:p>",
    ),
    (
        "<draw:frame><draw:image/><svg:title>a</svg:title><svg:desc>b</svg:desc></draw:frame>",
        ["a", "b"],
        "<draw:frame><draw:image/><svg:title>A</svg:title><svg:desc>B</svg:desc></draw:frame>",
    ),
    # Numbers alone are kept
    (
        "<text:p>12</text:p><text:p>a 12</text:p>",
        ["a 12"],
        "<text:p>12</text:p><text:p>A 12</text:p>",
    ),
    # White space in elements
    (
        '<text:p>a<text:s text:c="3"/>b<text:line-break/>c</text:p>',
        ["a b c"],
        '<text:p>A<text:s text:c="3"/>B<text:line-break/>C</text:p>',
    ),
    ("<text:p>a<text:tab/>b 1</text:p>", ["a", "b 1"], "<text:p>A<text:tab/>B 1</text:p>"),
    (
        f"<text:p>x {SPAN}a<text:tab/>b</text:span></text:p>",
        ["x a b"],
        f"<text:p>X {SPAN}A<text:tab/>B</text:span></text:p>",
    ),
    # What is in a range stays in it
    (
        '<text:p>a <text:bookmark-start text:name="x"/>b c<text:bookmark-end text:name="x"/>'
        " d</text:p>",
        ["a b c d"],
        '<text:p>A <text:bookmark-start text:name="x"/>B C<text:bookmark-end text:name="x"/>'
        " D</text:p>",
    ),
    # Fields and code are protected
    (
        '<text:p>On <text:date>May 2</text:date> run <text:span text:style-name="T4">a b</text:span>'  # noqa: E501
        " x</text:p>",
        ["On run x"],
        '<text:p>ON <text:date>May 2</text:date> RUN <text:span text:style-name="T4">a b</text:span>'  # noqa: E501
        " X</text:p>",
    ),
    # Comments and deletions are kept
    (
        "<text:p>a<office:annotation><text:p>b</text:p></office:annotation> c</text:p>",
        ["a c"],
        "<text:p>A<office:annotation><text:p>b</text:p></office:annotation> C</text:p>",
    ),
    (
        "<text:tracked-changes><text:deletion><text:p>x</text:p></text:deletion></text:tracked-changes>"
        "<text:p>a</text:p>",
        ["a"],
        "<text:tracked-changes><text:deletion><text:p>x</text:p></text:deletion></text:tracked-changes>"
        "<text:p>A</text:p>",
    ),
    # Ruby is kept with the text that it is on
    (
        "<text:p>a <text:ruby><text:ruby-base>b</text:ruby-base><text:ruby-text>x</text:ruby-text>"
        "</text:ruby> c</text:p>",
        ["a b c"],
        "<text:p>A <text:ruby><text:ruby-base>B</text:ruby-base><text:ruby-text>x</text:ruby-text>"
        "</text:ruby> C</text:p>",
    ),
    (
        "<text:p>a<![CDATA[ b <c> ]]> d<!-- e --></text:p>",
        ["a d"],
        "<text:p>A<![CDATA[ b <c> ]]> D<!-- e --></text:p>",
    ),
    # Attributes that a reader sees
    (
        '<text:p>a <text:a office:title="b &quot;c&quot;" xlink:href="x">d</text:a></text:p>',
        ["a d", 'b "c"'],
        '<text:p>A <text:a office:title="B &quot;C&quot;" xlink:href="x">D</text:a></text:p>',
    ),
    (
        '<text:p>a<text:alphabetical-index-mark text:string-value="b"/></text:p>',
        ["a", "b"],
        '<text:p>A<text:alphabetical-index-mark text:string-value="B"/></text:p>',
    ),
    (
        '<form:button form:label="a" form:name="b"/>',
        ["a"],
        '<form:button form:label="A" form:name="b"/>',
    ),
    # An entry of a table of contents is equal to its heading
    (
        '<text:index-body><text:p><text:a xlink:href="#">1.2 The pump<text:tab/>3</text:a></text:p>'
        "</text:index-body><text:h>The pump</text:h>",
        ["The pump", "The pump"],
        '<text:index-body><text:p><text:a xlink:href="#">1.2 THE PUMP<text:tab/>3</text:a></text:p>'
        "</text:index-body><text:h>THE PUMP</text:h>",
    ),
]


@pytest.mark.parametrize(("inner", "sentences", "expected"), TABLE)
def test_text_is_replaced_and_the_rest_stays(tmp_path, inner, sentences, expected):
    data = package(inner, own=False)
    documents, skeleton = read(tmp_path, data)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton).data == data
    result = filled(documents, skeleton, str.upper)
    assert body(part(result.data)) == expected
    assert not result.kept


def test_a_text_is_read_with_its_boxes_notes_headers_and_title(tmp_path):
    documents, skeleton = read(tmp_path, package(TEXT))
    assert list(documents[0].source) == [
        "Contents",
        "The pump",
        "The pump",
        "Press the red button, then read the manual.",
        "It stops & waits.",
        "See also the box.",
        "A line and another.",
        "Run on now.",
        "Beside the box.",
        "In a box with a picture.",
        "A logo",
        "It is red.",
        "Size",
        "The pump manual",
        "Page",
        "The pump",
        "pumps",
    ]
    result = filled(documents, skeleton, lambda sentence: sentence.replace("pump", "Pumpe"))
    assert not result.kept
    assert result.notes[0].startswith("15 blocks, 17 sentences and ")
    assert result.notes[1:] == (
        "1 comment not translated",
        "1 tracked deletion kept, not translated",
    )
    assert part(result.data, "meta.xml").count("The Pumpe") == 1


def test_only_texts_of_a_sheet_are_translated_and_their_values_with_them(tmp_path):
    documents, skeleton = read(tmp_path, package(SHEET, "spreadsheet", own=False), "in.ods")
    result = filled(documents, skeleton, str.upper)
    sheet = body(part(result.data))
    assert 'office:string-value="RED &amp; GREEN&#10;AND BLUE"' in sheet
    assert '<text:p>AND <text:span text:style-name="T1">BLUE</text:span></text:p>' in sheet
    assert "<table:title>SIZES OF PUMPS</table:title>" in sheet
    assert 'office:string-value="Kept"><text:p>Kept</text:p>' in sheet
    assert "<text:p>2</text:p>" in sheet
    assert [n for n in result.notes if "1 cell with formulas keep" in n]


def test_slides_and_their_notes_are_translated(tmp_path):
    documents, _ = read(tmp_path, package(SLIDES, "presentation", own=False), "in.odp")
    assert list(documents[0].source) == ["A footer", "The pump", "A shape.", "Say it."]


def test_the_output_names_its_language_and_direction(tmp_path):
    for target, expected in (
        ("de", '="page"/><style:text-properties fo:language="de" fo:country="DE"/>'),
        ("de_AT", 'fo:language="de" fo:country="AT"/>'),
        (
            "ja",
            '<style:text-properties style:language-asian="ja" style:country-asian="JP" '
            'fo:language="en"',
        ),
        (
            "he",
            '<style:text-properties style:language-complex="he" style:country-complex="IL" '
            'fo:language="en"',
        ),
    ):
        documents, skeleton = read(tmp_path, package("<text:p>a</text:p>"), target=target)
        data = filled(documents, skeleton, str.upper).data
        styles = part(data, "styles.xml")
        assert expected in styles
        assert ('style:writing-mode="rl-tb"' in styles) == (target == "he")
        assert f"<dc:language>{target.replace('_', '-')}</dc:language>" in part(data, "meta.xml")


def test_a_package_begins_with_its_type(tmp_path):
    documents, skeleton = read(tmp_path, package(TEXT))
    data = filled(documents, skeleton, str.upper).data
    assert data[30:].startswith(b"mimetypeapplication/vnd.oasis.opendocument.text")
    with zipfile.ZipFile(BytesIO(data)) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)


def test_an_encrypted_file_is_refused(tmp_path):
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/>'
        "</manifest:file-entry></manifest:manifest>"
    )
    data = package("<text:p>a</text:p>", parts={"META-INF/manifest.xml": manifest})
    with pytest.raises(InputError, match=r"in\.odt: is encrypted with a password"):
        read(tmp_path, data)


def test_a_signature_is_noted(tmp_path):
    data = package("<text:p>a</text:p>", parts={"META-INF/documentsignatures.xml": "<a/>"})
    documents, skeleton = read(tmp_path, data)
    assert "the digital signature is not valid any more" in filled(documents, skeleton).notes


def test_errors_name_the_part_and_the_line(tmp_path):
    for parts, problem in (
        ({"content.xml": "<a>\n<b></a>"}, r"in\.odt \(content\.xml\), line 2: is not valid XML"),
        ({"styles.xml": "<!DOCTYPE a><a/>"}, r"\(styles\.xml\), line 1: has a document type"),
    ):
        with pytest.raises(InputError, match=problem):
            read(tmp_path, package("", parts=parts))
    out = BytesIO()
    zipfile.ZipFile(out, "w").close()
    with pytest.raises(InputError, match="is not an OpenDocument file"):
        read(tmp_path, out.getvalue())


PIECES = st.lists(
    st.sampled_from(
        (
            "One two. ",
            "three",
            " ",
            "\n",
            "&amp;",
            "&#10;",
            SPAN,
            "</text:span>",
            '<text:span text:style-name="T2">',
            "<text:tab/>",
            "<text:s/>",
            "<text:line-break/>",
            '<text:a xlink:href="x" office:title="A b">',
            "</text:a>",
            '<text:span text:style-name="T4">',
            "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>",
            "</text:p></text:note-body></text:note>",
            "<draw:frame><draw:text-box><text:p>",
            "</text:p></draw:text-box></draw:frame>",
            '<text:bookmark-start text:name="a"/>',
            '<text:bookmark-end text:name="a"/>',
            "<text:ruby><text:ruby-base>",
            "</text:ruby-base><text:ruby-text>x</text:ruby-text></text:ruby>",
            "<text:date>x</text:date>",
            "<!-- c -->",
            "<![CDATA[x]]>",
            "{0}",
            "<text:span/>",
            '<text:change-start text:change-id="a"/>',
            '<text:change-end text:change-id="a"/>',
            "</text:p><text:p>",
            "</text:p><text:h>",
            "</text:h>",
            "<svg:title>x</svg:title>",
            "<text:index-body>",
            "</text:index-body>",
        )
    ),
    max_size=25,
)
_TAG = re.compile(r"<(/?)([\w:-]+)[^>]*?(/?)>")


def balanced(pieces):
    """As many of the pieces as make XML, with end tags for what is open."""
    text, stack = "", []
    for piece in pieces:
        own = list(stack)
        for closing, name, empty in _TAG.findall(piece) if not piece.startswith("<!") else ():
            if closing:
                if not own or own.pop() != name:
                    break
            elif not empty:
                own.append(name)
        else:
            text, stack = text + piece, own
    return text + "".join(f"</{name}>" for name in reversed(stack))


@settings(deadline=None)
@given(PIECES)
def test_filled_with_its_source_a_file_is_the_same(tmp_path_factory, pieces):
    folder = tmp_path_factory.mktemp("odf")
    data = package(balanced(["<text:p>", *pieces]), own=False)
    try:
        documents, skeleton = read(folder, data)
    except InputError as error:
        assert "has no text" in str(error)
        return
    assert filled(documents, skeleton).data == data
    for change in (str.upper, lambda _: "x", lambda sentence: f"{sentence[::-1]} <&> \0"):
        result = filled(documents, skeleton, change).data
        _, again = read(folder, result)
        assert len(again.found.blocks) == len(skeleton.found.blocks)


def test_a_flat_file_is_read(tmp_path):
    text = xml(
        "document", "<office:body><office:text><text:p>One.</text:p></office:text></office:body>"
    )
    for encoding in ("utf-8", "utf-16"):
        data = text.replace("UTF-8", encoding).encode(encoding)
        documents, skeleton = read(tmp_path, data, "in.fodt")
        assert filled(documents, skeleton).data == data
        result = filled(documents, skeleton, str.upper).data
        assert result == data.decode(encoding).replace("One.", "ONE.").encode(encoding)


def test_spans_may_come_to_stand_side_by_side(tmp_path):
    other = '<text:span text:style-name="T2">'
    inner = f"<text:p>{SPAN}Tea</text:span> {other}cups</text:span></text:p>"
    data = package(inner, own=False)
    documents, skeleton = read(tmp_path, data)
    result = filled(documents, skeleton, lambda _: "茶杯")
    assert body(part(result.data)) == (
        f"<text:p>{SPAN}茶</text:span>{other}杯</text:span></text:p>"
    )
    assert not result.kept


def test_old_files_are_read(tmp_path):
    manifest = (
        '<!DOCTYPE manifest:manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" '
        '"Manifest.dtd"><manifest:manifest/>'
    )
    data = package("<text:p>One.</text:p>", parts={"META-INF/manifest.xml": manifest}, own=False)
    assert read(tmp_path, data)[0][0].source == ("One.",)
