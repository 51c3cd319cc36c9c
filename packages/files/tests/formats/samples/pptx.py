"""Samples of presentations."""

from __future__ import annotations

from formats.office_packages import pptx, shape, shape_paragraph, shape_run, with_part

BOLD = ' b="1"'
LINK = '<a:hlinkClick r:id="rId7"/>'


def talk() -> bytes:
    """Two slides with a list, a table, grouped shapes, fields and notes."""
    cell = "<a:tc><a:txBody><a:bodyPr/>{}</a:txBody></a:tc>"
    cells = "".join(cell.format(shape_paragraph(shape_run(text))) for text in ("Part", "The pump"))
    number = '<a:fld id="{1}" type="slidenum"><a:rPr lang="en-US"/><a:t>2</a:t></a:fld>'
    first = shape(shape_paragraph(shape_run("The pump")), description="A red pump") + shape(
        shape_paragraph(
            shape_run("Press the "),
            shape_run("red ", BOLD),
            shape_run("cap", BOLD + ' err="1"'),
            shape_run(" now. Then "),
            shape_run("wait", ' dirty="0"'),
            shape_run("."),
            properties='<a:pPr lvl="1" algn="l"/>',
        ),
        shape_paragraph(
            shape_run("One line"), '<a:br><a:rPr lang="en-US"/></a:br>', shape_run("of two")
        ),
        "<a:p/>",
    )
    second = (
        f"<p:grpSp>{shape(shape_paragraph(shape_run('Read '), shape_run('this', '', LINK)))}"
        f"{shape(shape_paragraph(shape_run('Page '), number, shape_run(' of five')))}</p:grpSp>"
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>{cells}</a:tr></a:tbl>"
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    notes = f"<p:cSld>{shape(shape_paragraph(shape_run('Say it slowly.')))}</p:cSld>"
    return pptx([first, second], notes)


SAMPLES = {"talk.pptx": talk}

HOSTILE = {
    "cut.pptx": lambda: talk()[:-40],
    "doctype.pptx": lambda: with_part(talk(), "ppt/presentation.xml", "<!DOCTYPE a []><a/>"),
    "slides.pptx": lambda: with_part(talk(), "ppt/_rels/presentation.xml.rels", "<a/>"),
    "deep.pptx": lambda: pptx(["<p:grpSp>" * 300 + "</p:grpSp>" * 300]),
    "tags.pptx": lambda: pptx([shape(shape_paragraph(shape_run("One two.", ' x="&gt;>"')))]),
    "tabs.pptx": lambda: pptx([shape(shape_paragraph(shape_run("a\t" * 1_500)))]),
}


def long_file(paragraphs: int) -> tuple[str, bytes]:
    """A file of so many paragraphs."""
    one = shape_paragraph(
        shape_run("One "),
        shape_run("two", BOLD),
        shape_run(" three. Four "),
        shape_run("five", "", LINK),
        shape_run(" six."),
    )
    return "long.pptx", pptx([shape(one * paragraphs)])
