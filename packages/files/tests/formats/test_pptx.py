"""Presentations: what is text, and what python-pptx sees in the translated file."""

from __future__ import annotations

import io
import zipfile

import pptx as python_pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from docmt_files.office import pptx as pptx_format
from formats.office_packages import pptx, shape, shape_paragraph, shape_run, with_part
from formats.samples.pptx import talk


def read(folder, data, target=None):
    path = folder / "in.pptx"
    path.write_bytes(data)
    return pptx_format.read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def slide(data, number=1):
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return package.read(f"ppt/slides/slide{number}.xml").decode()


def test_slides_come_as_they_are_shown_each_with_its_notes(tmp_path):
    (document,), _ = read(tmp_path, talk())
    assert document.source == (
        "The pump",
        "Press the red cap now.",
        "Then wait.",
        "One line of two",
        "A red pump",
        "Say it slowly.",
        "Read this",
        "Page of five",
        "Part",
        "The pump",
    )


def test_runs_that_look_the_same_are_one(tmp_path):
    text = slide(filled(*read(tmp_path, talk(), "de")).data, 2)
    assert '<a:r><a:rPr lang="de-DE" b="1"/><a:t>RED CAP</a:t></a:r>' in text
    assert '<a:r><a:rPr lang="de-DE"/><a:t> NOW. THEN WAIT.</a:t></a:r>' in text
    assert '<a:br><a:rPr lang="de-DE"/></a:br>' in text
    assert 'descr="A RED PUMP"' in text


def test_fields_and_links_stay(tmp_path):
    text = slide(filled(*read(tmp_path, talk())).data)
    assert '<a:t>PAGE </a:t></a:r><a:fld id="{1}" type="slidenum">' in text
    assert '<a:hlinkClick r:id="rId7"/></a:rPr><a:t>THIS</a:t>' in text


def test_paragraphs_turn_with_the_language(tmp_path):
    text = slide(filled(*read(tmp_path, talk(), "ar")).data, 2)
    assert '<a:pPr rtl="1" lvl="1" algn="r"/>' in text
    assert '<a:p><a:pPr algn="r" rtl="1"/><a:r>' in text


def test_attributes_may_hold_anything(tmp_path):
    own = shape(shape_paragraph(shape_run("One "), shape_run("two", ' x="&gt;>"')))
    text = slide(filled(*read(tmp_path, pptx([own]))).data)
    assert '<a:rPr x="&gt;>"/><a:t>TWO</a:t>' in text


def test_another_library_sees_the_same_structure(tmp_path):
    presentation = python_pptx.Presentation()
    first = presentation.slides.add_slide(presentation.slide_layouts[1])
    first.shapes.title.text = "The pump"
    frame = first.placeholders[1].text_frame
    frame.text = "Press the button"
    own = frame.add_paragraph()
    own.level = 1
    for text, bold in (("It is ", None), ("very red", True), (" and large.", None)):
        run = own.add_run()
        run.text, run.font.bold = text, bold
    first.notes_slide.notes_text_frame.text = "Say it. Then wait."
    second = presentation.slides.add_slide(presentation.slide_layouts[5])
    cells = second.shapes.add_table(1, 2, 0, 0, 9, 9).table.rows[0].cells
    cells[0].text, cells[1].text = "Part", "Number"
    data = CategoryChartData()
    data.categories = ["East", "West"]
    data.add_series("Sales", (1, 2))
    chart = second.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 9, 9, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "How many"
    out = io.BytesIO()
    presentation.save(out)
    result = filled(*read(tmp_path, out.getvalue(), "de"))
    new = python_pptx.Presentation(io.BytesIO(result.data))
    assert [s.shape_type for s in new.slides[0].shapes] == [s.shape_type for s in first.shapes]
    assert new.slides[0].placeholders[1].text_frame.text == frame.text.upper()
    runs = new.slides[0].placeholders[1].text_frame.paragraphs[1].runs
    assert [(r.text, r.font.bold) for r in runs] == [
        ("IT IS ", None),
        ("VERY RED", True),
        (" AND LARGE.", None),
    ]
    assert new.slides[0].notes_slide.notes_text_frame.text == "SAY IT. THEN WAIT."
    table = next(s.table for s in new.slides[1].shapes if s.has_table)
    assert [cell.text for cell in table.rows[0].cells] == ["PART", "NUMBER"]
    plot = next(s.chart for s in new.slides[1].shapes if s.has_chart)
    assert plot.chart_title.text_frame.text == "HOW MANY"
    assert list(plot.plots[0].categories) == ["EAST", "WEST"]
    assert any("the workbook behind" in note for note in result.notes)
    assert any("does not fit" in note for note in result.notes)


def test_hidden_slides_are_translated_and_noted(tmp_path):
    data = pptx([shape(shape_paragraph(shape_run(text))) for text in ("Seen.", "Hidden.")])
    hidden = slide(data, 2).replace("<p:sld ", '<p:sld show="0" ', 1)
    documents, skeleton = read(tmp_path, with_part(data, "ppt/slides/slide2.xml", hidden))
    assert sorted(documents[0].source) == ["Hidden.", "Seen."]
    assert "1 hidden slide, translated like the rest" in filled(documents, skeleton).notes
