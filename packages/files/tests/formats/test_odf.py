"""OpenDocument files: text is found and replaced, and everything else stays."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from docmt_files.base.errors import InputError
from formats.odf_packages import body, filled, part, read
from formats.samples.odf import SHEET, SLIDES, TEXT, package, xml


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
        "1 ruby text kept above translated words",
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


def test_old_files_are_read(tmp_path):
    manifest = (
        '<!DOCTYPE manifest:manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" '
        '"Manifest.dtd"><manifest:manifest/>'
    )
    data = package("<text:p>One.</text:p>", parts={"META-INF/manifest.xml": manifest}, own=False)
    assert read(tmp_path, data)[0][0].source == ("One.",)
