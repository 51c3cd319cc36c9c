"""Samples of Word documents."""

from __future__ import annotations

from formats.office_packages import docx, field, paragraph, ruby, run, text_box, with_part

BOLD = "<w:b/>"
TAB = "<w:r><w:tab/></w:r>"


def _link(*content: str) -> str:
    return f'<w:hyperlink r:id="rId9" w:history="1">{"".join(content)}</w:hyperlink>'


def _reference(number: int) -> str:
    return (
        '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>'
        f'<w:footnoteReference w:id="{number}"/></w:r>'
    )


def manual() -> bytes:
    """A document with headings, their table of contents, notes and a header."""
    toc_entry = _link(run("1"), TAB, run("The pump"), TAB, field("PAGEREF _Toc1 \\h", run("3")))
    return docx(
        paragraph(
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC \\o</w:instrText>'
            '</w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>',
            toc_entry,
        )
        + paragraph('<w:r><w:fldChar w:fldCharType="end"/></w:r>')
        + paragraph(
            '<w:bookmarkStart w:id="0" w:name="_Toc1"/>',
            run("The "),
            '<w:proofErr w:type="spellStart"/>',
            run("pump"),
            '<w:bookmarkEnd w:id="0"/>',
            properties='<w:pStyle w:val="Heading1"/>',
        )
        + paragraph(
            run("Press the "),
            run("red "),
            run("button", BOLD),
            _reference(2),
            run(". Then read "),
            _link(run("the manual", '<w:rStyle w:val="Hyperlink"/>')),
            "<w:r><w:lastRenderedPageBreak/><w:t>. It is 5 &lt; 6 pages.</w:t></w:r>",
        )
        + "<w:tbl><w:tblPr/><w:tr><w:tc><w:tcPr/>"
        + paragraph(run("Part"))
        + "</w:tc><w:tc>"
        + paragraph(run("12 &amp; more"))
        + "</w:tc></w:tr></w:tbl>"
        + "<w:p/><w:sectPr/>",
        footnotes='<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p>'
        '</w:footnote><w:footnote w:id="2">'
        + paragraph("<w:r><w:footnoteRef/></w:r>", run(" It is on the left."))
        + "</w:footnote>",
        comments='<w:comment w:id="1" w:author="A">' + paragraph(run("Is it?")) + "</w:comment>",
        header1=paragraph(
            run("Page "),
            '<w:fldSimple w:instr=" PAGE ">',
            run("3"),
            "</w:fldSimple>",
            run(" of the manual"),
        ),
        styles='<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault>'
        "</w:docDefaults>",
    )


def changed() -> bytes:
    """A document with tracked changes, a text box, comments, content controls and a formula."""
    return docx(
        paragraph(
            run("We "),
            '<w:del w:id="1" w:author="A"><w:r><w:delText>never</w:delText></w:r></w:del>',
            f'<w:ins w:id="2" w:author="A">{run("always")}</w:ins>',
            run(" read it."),
        )
        + paragraph(
            run("Here is "),
            text_box(paragraph(run("A box of text.")), paragraph(run("Two"))),
            run("a box"),
            "<w:r><w:br/></w:r>",
            run("and a line."),
        )
        + paragraph(
            run("It was "),
            '<w:commentRangeStart w:id="1"/>',
            run("on"),
            run(" "),
            run("time"),
            '<w:commentRangeEnd w:id="1"/>',
            '<w:r><w:commentReference w:id="1"/></w:r>',
            run(" as "),
            "<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>",
            run(" says."),
        )
        + paragraph(
            '<w:sdt><w:sdtPr><w:alias w:val="Name"/></w:sdtPr><w:sdtContent>',
            run("Click here"),
            "</w:sdtContent></w:sdt>",
            run(" to go on."),
        )
        + paragraph(run("Name:"), TAB, run("   ", "<w:u/>"), run("Date:"), TAB, run("2020")),
        comments='<w:comment w:id="1" w:author="A">' + paragraph(run("Was it?")) + "</w:comment>",
    )


def fields() -> bytes:
    """A document with fields of many kinds."""
    return docx(
        paragraph(
            run("See "),
            field("REF _Ref1", run("the pump")),
            run(" on page "),
            field("PAGEREF _Ref1", run("3")),
            run(" of "),
            field("DATE", run("May")),
            run("."),
        )
        + paragraph(
            run("Read "),
            field('HYPERLINK "http://a.b"', run("the manual")),
            field("XE index"),
            run(" now."),
        )
        + paragraph(run("One "), field('IF 1 = 1 "', field("PAGE", run("1"))), run(" two."))
    )


def readings() -> bytes:
    """A document with ruby of every kind."""
    text = "<w:t>{}</w:t>".format
    return docx(
        paragraph(run("See "), ruby(run("the manual"), "man"), run(" before you start."))
        + paragraph(
            ruby(run("red pump", BOLD), "x", text("The "), text(" is on.")),
            properties=f"<w:rPr>{BOLD}</w:rPr>",
        )
        + paragraph(run("Empty "), ruby("", "x"), run(" of "), ruby(run("it"), ""), run("."))
        + paragraph(ruby(run("all of it"), "x"))
    )


SAMPLES = {
    "readings.docx": readings,
    "manual.docx": manual,
    "changed.docx": changed,
    "fields.docm": fields,
}

BOMB = "<!DOCTYPE a [<!ENTITY b 'cc'>]>"


HOSTILE = {
    "nothing.docx": b"",
    "text.docx": b"No archive, but text.",
    "old.docx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "cut.docx": lambda: manual()[:-100],
    "bomb.docx": lambda: with_part(manual(), "word/document.xml", bytes(30_000_000)),
    "doctype.docx": lambda: with_part(manual(), "word/document.xml", f"{BOMB}<a>&b;</a>"),
    "not_xml.docx": lambda: with_part(manual(), "word/document.xml", "<a>"),
    "latin.docx": lambda: with_part(manual(), "word/document.xml", b"<a>\xe9</a>"),
    "relations.docx": lambda: with_part(manual(), "_rels/.rels", "<a/>"),
    "types.docx": lambda: with_part(manual(), "[Content_Types].xml", "<a/>"),
    "deep.docx": lambda: docx("<w:tbl>" * 240 + paragraph(run("One two.")) + "</w:tbl>" * 240),
    "deeper.docx": lambda: docx("<w:p>" * 400 + run("a") + "</w:p>" * 400),
    "nested.docx": lambda: docx("<w:p>" * 100 + run("One two.") + "</w:p>" * 100),
    "boxes.docx": lambda: docx(_nested_boxes(8)),
    "fields.docx": lambda: docx(
        paragraph('<w:r><w:fldChar w:fldCharType="begin"/></w:r>' * 300, run("One two."))
        + paragraph('<w:r><w:fldChar w:fldCharType="end"/></w:r>' * 301, run("Three four."))
        + paragraph('<w:r><w:fldChar w:fldCharType="separate"/></w:r>' * 20, run("Five six."))
    ),
    "many_codes.docx": lambda: docx(
        paragraph(*(run(f"a{i} ", "<w:b/>" * (i % 2)) for i in range(400)))
    ),
    "words.docx": lambda: docx(paragraph(run("a" * 20_000)) + paragraph(run("a. " * 3_000))),
}


def _nested_boxes(depth: int) -> str:
    """Text boxes in text boxes; each level has the next one twice."""
    content = paragraph(run("One two."))
    for _ in range(depth):
        content = paragraph(run("More text."), text_box(content))
    return content


def long_file(paragraphs: int) -> tuple[str, bytes]:
    """A file of so many paragraphs."""
    one = paragraph(
        run("One "),
        run("two", BOLD),
        _reference(1),
        run(" three. "),
        _link(run("Four")),
        run(" five."),
        text_box(paragraph(run("Six seven."))),
    )
    return "long.docx", docx(one * paragraphs)
