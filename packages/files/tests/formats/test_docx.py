"""Word: what is text, what is a code, and what python-docx sees in the translated file."""

from __future__ import annotations

import io
import re
import zipfile

import docx as python_docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files.office import docx as docx_format
from formats.office_packages import archive, docx, field, paragraph, ruby, run, text_box
from formats.samples.docx import SAMPLES, manual

TAB = "<w:r><w:tab/></w:r>"
BREAK = "<w:r><w:br/></w:r>"


def read(folder, data, target=None, language="en"):
    path = folder / "in.docx"
    path.write_bytes(data)
    return docx_format.read(path, language, target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def part(data, name="word/document.xml"):
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return package.read(name).decode()


def words(data):
    """The text of each paragraph that python-docx sees."""
    return [p.text for p in python_docx.Document(io.BytesIO(data)).paragraphs]


def link(*content):
    return f'<w:hyperlink w:anchor="a">{"".join(content)}</w:hyperlink>'


TABLE = [
    # the content of a paragraph, its sentences
    ([run("One "), run("two "), run("three.")], ["One two three."]),
    ([run("O", "<w:b/>"), run("ne two.")], ["One two."]),
    ([run("One.", '<w:lang w:val="en-GB"/>'), run(" Two.")], ["One.", "Two."]),
    ([run("Name:"), TAB, run("Date:")], ["Name:", "Date:"]),
    ([run("One"), BREAK, run("two")], ["One two"]),
    ([run("One"), BREAK, BREAK, run("two")], ["One", "two"]),
    ([run("One"), '<w:r><w:br w:type="page"/></w:r>', run("two")], ["One", "two"]),
    ([run("One "), f'<w:del w:id="1">{run("two ")}</w:del>', run("three")], ["One three"]),
    ([run("One "), f'<w:ins w:id="1">{run("two ")}</w:ins>', run("three")], ["One two three"]),
    ([run("One "), f'<w:moveFrom w:id="1">{run("two ")}</w:moveFrom>', run("a")], ["One a"]),
    ([run("One "), link(run("two")), run(" three")], ["One two three"]),
    ([run("Page "), field("PAGE", run("3")), run(" of it")], ["Page of it"]),
    ([run("On "), field("DATE", run("May")), run(" here")], ["On here"]),
    ([run("See "), field("REF a", run("the pump")), run(".")], ["See the pump."]),
    ([run("See "), f'<w:fldSimple w:instr="REF a">{run("this")}</w:fldSimple>'], ["See this"]),
    ([run("See "), f'<w:fldSimple w:instr="DATE">{run("May")}</w:fldSimple>'], ["See"]),
    ([run("It is "), "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>", run(" now")], ["It is now"]),
    ([run("See "), ruby(run("the manual"), "x"), run(" first.")], ["See the manual first."]),
    ([ruby(run("b"), "x", "<w:t>a</w:t>", "<w:t>c</w:t>")], ["abc"]),
    ([run("a "), ruby("", "x"), run(" b")], ["a b"]),
    (["<w:r><w:t>co</w:t><w:noBreakHyphen/><w:t>op</w:t></w:r>"], ["co-op"]),
    (["<w:r><w:t>co</w:t><w:softHyphen/><w:t>op</w:t></w:r>"], ["coop"]),
    (["<w:sdt><w:sdtPr/><w:sdtContent>", run("One"), "</w:sdtContent></w:sdt>"], ["One"]),
    ([run("See {0} at https://a.b/c")], ["See at"]),
]


@pytest.mark.parametrize(("content", "sentences"), TABLE)
def test_a_paragraph_is_read_as_a_reader_sees_it(tmp_path, content, sentences):
    data = docx(paragraph(*content))
    documents, skeleton = read(tmp_path, data)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str).data == data
    again, _ = read(tmp_path, filled(documents, skeleton).data)
    # A line break before a capital is the end of a sentence.
    assert " ".join(again[0].source) == " ".join(sentences).upper()


def test_runs_are_written_with_their_properties(tmp_path):
    italic = "<w:rPr><w:i/></w:rPr>"
    data = docx(
        paragraph(
            run("Press "),
            '<w:proofErr w:type="gramStart"/>',
            run("the ", "<w:i/>"),
            run("red", '<w:i/><w:lang w:val="en-GB"/>'),
            run(" button."),
        )
    )
    text = part(filled(*read(tmp_path, data)).data)
    assert text.count("<w:r>") == 3
    assert f'<w:r>{italic}<w:t xml:space="preserve">THE RED</w:t></w:r>' in text
    assert "proofErr" not in text


def test_what_says_nothing_about_looks_is_no_code(tmp_path):
    font = '<w:rFonts w:ascii="A"{}/><w:sz w:val="24"/>'
    data = docx(
        paragraph(run("One ", font.format("")), run("two ", font.format(' w:hint="eastAsia"')))
        + paragraph(run("Three "), run("four", '<w:rFonts w:hint="eastAsia"/><w:noProof/>'))
    )
    documents, skeleton = read(tmp_path, data)
    assert skeleton.text.count("\x02f") == 2
    assert part(filled(documents, skeleton).data).count("<w:r>") == 2


def test_everything_else_in_the_package_stays(tmp_path):
    documents, skeleton = read(tmp_path, manual())
    data = filled(documents, skeleton, lambda sentence: f"{sentence} So.").data
    with zipfile.ZipFile(io.BytesIO(manual())) as old, zipfile.ZipFile(io.BytesIO(data)) as new:
        assert old.namelist() == new.namelist()
        for name in old.namelist():
            if not name.startswith("word/") or "styles" in name:
                assert old.read(name) == new.read(name)
    text = part(data)
    for kept in ("_Toc1", "PAGEREF", 'w:footnoteReference w:id="2"', "<w:tcPr/>", "Heading1"):
        assert text.count(kept) == part(manual()).count(kept)


def test_a_heading_and_its_entry_are_translated_alike(tmp_path):
    (document,), skeleton = read(tmp_path, manual())
    numbered = document.translated([f"Satz {n}" for n in range(len(document.source))])
    data = skeleton.fill_and_report([numbered]).data
    assert document.source.count("The pump") == 2
    heading = python_docx.Document(io.BytesIO(data)).paragraphs[2].text
    assert heading == f"Satz {document.source.index('The pump')}"
    assert heading in part(data).partition("PAGEREF")[0]


def test_parts_come_in_reading_order(tmp_path):
    (document,), _ = read(tmp_path, manual())
    last = ["It is on the left.", "Is it?", "Page of the manual"]
    assert list(document.source)[-3:] == last


def test_a_text_box_is_translated_once_and_written_twice(tmp_path):
    box = text_box(paragraph(run("A box "), run("of text", "<w:b/>"), run(".")))
    documents, skeleton = read(tmp_path, docx(paragraph(run("Before. "), box, run("After."))))
    assert documents[0].source == ("Before.", "After.", "A box of text.")
    text = part(filled(documents, skeleton).data)
    assert text.count("A BOX ") == text.count("OF TEXT") == 2
    assert text.index("A BOX ") < text.index("mc:Fallback") < text.rindex("A BOX ")


def test_tracked_changes_stay_and_are_counted(tmp_path):
    documents, skeleton = read(tmp_path, SAMPLES["changed.docx"]())
    result = filled(documents, skeleton)
    assert "2 tracked changes, translated as if accepted" in result.notes
    text = part(result.data)
    assert '<w:del w:id="1" w:author="A"><w:r><w:delText>never</w:delText></w:r></w:del>' in text
    assert re.search(r'<w:ins w:id="2" w:author="A"><w:r><w:t [^>]*>ALWAYS<', text)


def test_a_bibliography_is_kept_and_noted(tmp_path):
    begin = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        "<w:r><w:instrText>ADDIN ZOTERO_BIBL</w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    )
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    body = (
        paragraph(run("We know."))
        + paragraph(begin, run("Miller, A."))
        + paragraph(run("Smith, B."), end)
    )
    documents, skeleton = read(tmp_path, docx(body))
    assert documents[0].source == ("We know.",)
    assert any("bibliography" in note for note in filled(documents, skeleton).notes)


def test_the_language_is_named(tmp_path):
    result = filled(*read(tmp_path, manual(), "de"))
    assert '<w:lang w:val="de-DE"/>' in part(result.data, "word/styles.xml")
    result = filled(*read(tmp_path, manual(), "ja"))
    assert '<w:lang w:eastAsia="ja-JP" w:val="en-GB"/>' in part(result.data, "word/styles.xml")


def test_a_text_from_right_to_left_says_so(tmp_path):
    body = (
        paragraph(run("One "), run("two", "<w:b/>"))
        + paragraph(run("Three"), properties='<w:keepNext/><w:jc w:val="left"/>')
        + paragraph(run("Four"), properties="")
    )
    text = part(filled(*read(tmp_path, docx(body), "ar")).data)
    assert text.count("<w:bidi/>") == 3
    assert "<w:keepNext/><w:bidi/><w:jc" in text
    assert "<w:rPr><w:b/><w:bCs/><w:rtl/></w:rPr>" in text
    assert "bidi" not in part(filled(*read(tmp_path, docx(body), "de")).data)


def test_a_text_from_left_to_right_is_no_longer_the_other_way(tmp_path):
    body = paragraph(run("One two", "<w:rtl/>"), properties="<w:bidi/>")
    text = part(filled(*read(tmp_path, docx(body), "en", "ar")).data)
    assert "bidi" not in text and "rtl" not in text


def test_other_prefixes_and_the_strict_variant_are_read(tmp_path):
    old = docx(paragraph(run("One "), run("two", "<w:b/>"), run(".")))
    transitional = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with zipfile.ZipFile(io.BytesIO(old)) as package:
        parts = {name: package.read(name).decode() for name in package.namelist()}
    text = parts["word/document.xml"].replace(
        transitional, "http://purl.oclc.org/ooxml/wordprocessingml/main"
    )
    parts["word/document.xml"] = re.sub(r"\bw:", "x:", text).replace("xmlns:w=", "xmlns:x=")
    result = filled(*read(tmp_path, archive(parts)))
    assert '<x:r><x:rPr><x:b/></x:rPr><x:t xml:space="preserve">TWO</x:t></x:r>' in part(
        result.data
    )


def test_another_library_sees_the_same_structure(tmp_path):
    document = python_docx.Document()
    document.core_properties.title = "The pump"
    document.add_heading("The pump", 1)
    own = document.add_paragraph("Press the ")
    own.add_run("red button").bold = True
    own.add_run(", then wait. It takes ")
    own.add_run("long").italic = True
    own.add_run(".")
    comment = document.add_comment(own.runs[1], text="Is it red?", author="A")
    assert comment is not None
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Part", "Number"
    document.sections[0].header.paragraphs[0].text = "A header"
    document.add_paragraph()._p.append(
        parse_xml(
            f'<w:fldSimple {nsdecls("w")} w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>'
        )
    )
    out = io.BytesIO()
    document.save(out)
    result = filled(*read(tmp_path, out.getvalue(), "de"))
    new = python_docx.Document(io.BytesIO(result.data))
    assert [p.text for p in new.paragraphs] == [p.text.upper() for p in document.paragraphs]
    assert [p.style.name for p in new.paragraphs] == [p.style.name for p in document.paragraphs]
    runs = [(r.text, r.bold, r.italic) for r in new.paragraphs[1].runs if r.text]
    assert runs == [
        ("PRESS THE ", None, None),
        ("RED BUTTON", True, None),
        (", THEN WAIT. IT TAKES ", None, None),
        ("LONG", None, True),
        (".", None, None),
    ]
    assert [cell.text for cell in new.tables[0].rows[0].cells] == ["PART", "NUMBER"]
    assert new.sections[0].header.paragraphs[0].text == "A HEADER"
    assert new.core_properties.title == "THE PUMP"
    assert [c.text for c in new.comments] == ["IS IT RED?"]


PIECES = st.sampled_from(
    [
        run("One "),
        run("two. "),
        run("Three", "<w:b/>"),
        run(" four", "<w:i/>"),
        run("."),
        TAB,
        BREAK,
        run("   ", "<w:u/>"),
        link(run("five "), run("six", "<w:b/>")),
        field("PAGE", run("3")),
        field("REF a", run("seven"), BREAK, run("eight")),
        field("XE a"),
        "<w:bookmarkEnd/>",
        f'<w:ins w:id="1">{run("nine ")}{link(run("ten"))}</w:ins>',
        "<w:del><w:r/></w:del>",
        text_box(paragraph(run("Eleven"))),
        *(
            f'<w:r><w:fldChar w:fldCharType="{step}"/></w:r>'
            for step in ("begin", "separate", "end")
        ),
        link(run("a"), TAB, run("b")),
        f"<w:sdt><w:sdtContent>{run('c d')}</w:sdtContent></w:sdt>",
    ]
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(PIECES, max_size=8), min_size=1, max_size=3), st.integers(0, 2))
def test_whatever_a_paragraph_holds_stays(tmp_path_factory, paragraphs, kind):
    folder = tmp_path_factory.mktemp("docx")
    data = docx(paragraph(run("Begin.")) + "".join(paragraph(*own) for own in paragraphs))
    documents, skeleton = read(folder, data)
    assert filled(documents, skeleton, str).data == data
    change = [str.upper, lambda s: " ".join(reversed(s.split())), lambda s: f"{s} <&> {s}"][kind]
    result = filled(documents, skeleton, change)
    old, new = part(data), part(result.data)
    for tag in (
        "w:fldChar",
        "w:instrText",
        "w:hyperlink",
        "w:ins ",
        "w:del>",
        "w:sdt>",
        "w:br",
        "w:tab",
        "w:bookmarkEnd",
        "w:drawing",
    ):
        assert old.count(f"<{tag}") == new.count(f"<{tag}"), tag
    read(folder, result.data)


def test_hidden_text_is_translated_and_noted(tmp_path):
    text = paragraph(
        run("Seen. "), run("Hidden. ", "<w:vanish/>"), run("Shown.", '<w:vanish w:val="0"/>')
    )
    documents, skeleton = read(tmp_path, docx(text))
    assert documents[0].source == ("Seen.", "Hidden.", "Shown.")
    assert "1 piece of hidden text, translated like the rest" in filled(documents, skeleton).notes


def test_the_base_text_of_ruby_is_translated_below_its_reading(tmp_path):
    source = docx(paragraph(run("See "), ruby(run("the manual"), "man"), run(" first.")))
    documents, skeleton = read(tmp_path, source)
    result = filled(documents, skeleton, lambda _: "Zuerst the manual lesen.")
    opening, closing = ruby("|", "man").split("|")
    assert (run("Zuerst ") + opening + run("the manual") + closing + run(" lesen.")) in part(
        result.data
    )
    assert filled(documents, skeleton, lambda s: s).data == source
    assert "1 ruby text kept above translated words" in result.notes


def test_text_around_ruby_in_its_run_stays_around_it(tmp_path):
    source = docx(paragraph(ruby(run("b"), "x", "<w:t>a </w:t>", "<w:t> c</w:t>")))
    documents, skeleton = read(tmp_path, source)
    opening, closing = ruby("|", "x").split("|")
    bold = "<w:b/>"
    assert (run("A ", bold) + opening + run("B") + closing + run(" C", bold)) in part(
        filled(documents, skeleton).data
    )
