"""OpenDocument files of other programs: what they write is translated, and they read the output."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter

import pytest
from odfdo import Cell, Document, DrawPage, Frame, Header, Paragraph, Row, Table

from docmt_files.office import odf
from formats.samples.odf import SAMPLES


def write_text(path):
    """A text with what odfdo knows."""
    document = Document("text")
    body = document.body
    body.clear()
    body.append(Header(1, "The pump"))
    paragraph = Paragraph("Press the red button, then read the manual. Wait.")
    paragraph.set_span("Strong", regex="red button")
    paragraph.set_link("http://a.b/", regex="the manual")
    paragraph.insert_note(after="Wait", note_id="n", citation="1", body="A note.")
    paragraph.set_bookmark("mark", content="button")
    body.append(paragraph)
    table = Table("T1")
    row = Row()
    for value in ("A cell", 3.5):
        row.append_cell(Cell(value, text=str(value)))
    table.append(row)
    body.append(table)
    document.save(path)


def write_sheet(path):
    """A spreadsheet with texts, numbers and a formula."""
    document = Document("spreadsheet")
    body = document.body
    body.clear()
    table = Table("Sheet")
    for values in (("Name", "Size"), ("A pump", 3.5), ("Tea & cups", 2)):
        row = Row()
        for value in values:
            row.append_cell(Cell(value, text=str(value)))
        table.append(row)
    table.append(Row())
    cell = Cell("Name")
    cell.formula = "of:=[.A1]"
    table.set_cell((0, 3), cell)
    body.append(table)
    document.save(path)


def write_slides(path):
    """A presentation of two slides."""
    document = Document("presentation")
    body = document.body
    body.clear()
    for number in (1, 2):
        slide = DrawPage(f"page{number}", name=f"Slide {number}")
        slide.append(
            Frame.text_frame(f"The slide number {number}.", size=("9cm", "3cm"), style="Standard")
        )
        body.append(slide)
    document.save(path)


WRITERS = {"odt": write_text, "ods": write_sheet, "odp": write_slides}


def elements(path):
    """How often a file has each element, in its content."""
    xml = Document(path).body.serialize()
    return Counter(re.findall(r"<([\w:-]+)", xml))


def translate(source, output, change=str.upper):
    (document,), skeleton = odf.read(source, "en", "de")
    filled = skeleton.fill_and_report([document.translated([change(s) for s in document.source])])
    assert not filled.kept
    output.write_bytes(filled.data)
    return document.source


@pytest.mark.parametrize("kind", WRITERS)
def test_what_odfdo_writes_is_translated_and_read_again(tmp_path, kind):
    source, output = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    WRITERS[kind](source)
    sentences = translate(source, output)
    assert elements(output) == elements(source)
    shown = Document(output).get_formatted_text()
    assert shown.upper() == Document(source).get_formatted_text().upper()
    assert sum(sentence.upper() in " ".join(shown.split()) for sentence in sentences) > 1
    assert Document(output).get_type() == Document(source).get_type()


def test_cells_keep_their_values_but_for_text(tmp_path):
    source, output = tmp_path / "in.ods", tmp_path / "out.ods"
    write_sheet(source)
    translate(source, output)
    (table,) = Document(output).body.get_tables()
    assert table.get_values(coord="A1:B3") == [["NAME", "SIZE"], ["A PUMP", 3.5], ["TEA & CUPS", 2]]
    assert table.get_cell((0, 3)).formula == "of:=[.A1]"


office = pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")


def convert(folder, kind, *files):
    """Convert files with LibreOffice."""
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", kind, "--outdir", str(folder)]
    subprocess.run([*command, *map(str, files)], check=True, capture_output=True, timeout=120)


@office
@pytest.mark.office
@pytest.mark.slow
def test_libreoffice_shows_the_translated_text_and_nothing_else(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<h1>The pump</h1><p>Press the <b>red button</b>,<br>then <a href='x'>wait</a>. See it?</p>"
        "<table><tr><td>A cell</td><td>12</td></tr></table><ul><li>One</li><li>Two</li></ul>"
    )
    convert(tmp_path, "odt", page)
    flat = tmp_path / "rich.fodt"
    flat.write_text(str(SAMPLES["flat.fodt"]))
    convert(tmp_path, "odt", flat)
    for name in ("page", "rich"):
        translate(tmp_path / f"{name}.odt", tmp_path / f"new-{name}.odt")
    convert(tmp_path, "txt:Text", *tmp_path.glob("*.odt"))
    shown = {file.stem: file.read_text() for file in tmp_path.glob("*.txt")}
    assert shown["new-page"] == shown["page"].upper()
    assert "RED BUTTON" in shown["new-rich"]
    assert shown["new-rich"].upper().split() == shown["rich"].upper().split()
    convert(tmp_path, "pdf", *tmp_path.glob("new-*.odt"))
    for name in ("page", "rich"):
        assert (tmp_path / f"new-{name}.pdf").stat().st_size > 1000
