"""Samples of spreadsheets."""

from __future__ import annotations

from formats.office_packages import S, docx, paragraph, row, run, with_part, xlsx

RICH = (
    '<r><t xml:space="preserve">Press the </t></r><r><rPr><b/></rPr><t>red</t></r>'
    '<r><t xml:space="preserve"> button.</t></r>'
)
TABLE = (
    f'<table {S} id="1" name="Parts" ref="A1:B3"><tableColumns count="2">'
    '<tableColumn id="1" name="Part name"/><tableColumn id="2" name="Count of it"/>'
    "</tableColumns></table>"
)
INLINE = '<c t="inlineStr"><is><t>A text of its own</t></is></c>'


def parts() -> bytes:
    """Two sheets with a table, formatted texts, numbers, formulas and comments."""
    strings = [
        "<t>Last text</t>",
        "<t>Part name</t>",
        "<t>Count of it</t>",
        "<t>The pump &amp; more</t>",
        RICH,
        '<t xml:space="preserve">One line\nand another. </t>',
        "<t>Not used by any</t>",
    ]
    first = (
        row(1, 1, 2)
        + row(2, 3, "<c><v>12</v></c>")
        + row(3, 4, '<c t="str"><f>IF(B2&gt;1,"many","few")</f><v>many</v></c>')
    )
    comments = (
        f'<comments {S}><commentList><comment ref="A1"><text><r><rPr><b/></rPr><t>Ann:</t></r>'
        "<r><t>Is it right?</t></r></text></comment></commentList></comments>"
    )
    return xlsx(strings, [first, row(1, 5, INLINE, 0)], TABLE, comments)


ENTITY = "<!DOCTYPE a [<!ENTITY b 'c'>]>"
BAD_CELL = "<c t='s'><v>x</v></c>"

SAMPLES = {"parts.xlsx": parts}

HOSTILE = {
    "cut.xlsx": lambda: parts()[:-40],
    "word.xlsx": lambda: docx(paragraph(run("One two."))),
    "doctype.xlsx": lambda: with_part(parts(), "xl/worksheets/sheet1.xml", "<!DOCTYPE a><a/>"),
    "entity.xlsx": lambda: with_part(
        parts(), "xl/sharedStrings.xml", f"{ENTITY}<sst><si><t>&b;</t></si></sst>"
    ),
    "indices.xlsx": lambda: xlsx(["<t>One two</t>"], [row(1, 0, 99, -1, BAD_CELL)]),
    "columns.xlsx": lambda: xlsx(["<t>One two</t>"], [row(1, 0, 0)], TABLE),
    "range.xlsx": lambda: xlsx(["<t>One two</t>"], [row(1, 0)], TABLE.replace("A1:B3", "A0:ZZZ")),
    "runs.xlsx": lambda: xlsx(["<r/><r><rPr/></r><t/><t>One two</t>"], [row(1, 0)]),
}


def long_file(paragraphs: int) -> tuple[str, bytes]:
    """A file of so many texts."""
    strings = [f"<t>Text {number // 2} of all. And more.</t>" for number in range(paragraphs)]
    rows = "".join(row(number + 1, number) for number in range(paragraphs))
    return "long.xlsx", xlsx(strings, [rows])
