"""Translation memories: those that docmt writes, and those that it translates."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.bilingual import tmx_files as tmx
from docmt_files.bilingual.tmx_files import write_tmx

TMX_1_4B = """
<!ELEMENT tmx (header, body)> <!ATTLIST tmx version CDATA #FIXED "1.4">
<!ELEMENT header (note | ude | prop)*>
<!ATTLIST header creationtool CDATA #REQUIRED creationtoolversion CDATA #REQUIRED
  segtype (block | paragraph | sentence | phrase) #REQUIRED o-tmf CDATA #REQUIRED
  adminlang CDATA #REQUIRED srclang CDATA #REQUIRED datatype CDATA #REQUIRED
  o-encoding CDATA #IMPLIED creationdate CDATA #IMPLIED creationid CDATA #IMPLIED
  changedate CDATA #IMPLIED changeid CDATA #IMPLIED>
<!ELEMENT body (tu*)>
<!ELEMENT tu ((note | prop)*, tuv+)>
<!ATTLIST tu tuid CDATA #IMPLIED datatype CDATA #IMPLIED srclang CDATA #IMPLIED
  segtype CDATA #IMPLIED creationid CDATA #IMPLIED>
<!ELEMENT tuv ((note | prop)*, seg)>
<!ATTLIST tuv xml:lang CDATA #REQUIRED creationid CDATA #IMPLIED changeid CDATA #IMPLIED>
<!ELEMENT prop (#PCDATA)> <!ATTLIST prop type CDATA #REQUIRED>
<!ELEMENT note (#PCDATA)> <!ELEMENT ude ANY>
<!ELEMENT seg (#PCDATA | bpt | ept | it | ph | hi | ut)*>
<!ELEMENT bpt (#PCDATA | sub)*>
<!ATTLIST bpt i CDATA #REQUIRED x CDATA #IMPLIED type CDATA #IMPLIED>
<!ELEMENT ept (#PCDATA | sub)*> <!ATTLIST ept i CDATA #REQUIRED>
<!ELEMENT it (#PCDATA | sub)*> <!ATTLIST it pos CDATA #REQUIRED x CDATA #IMPLIED>
<!ELEMENT ph (#PCDATA | sub)*> <!ATTLIST ph x CDATA #IMPLIED type CDATA #IMPLIED>
<!ELEMENT hi (#PCDATA | bpt | ept | it | ph | hi | ut)*> <!ATTLIST hi type CDATA #IMPLIED>
<!ELEMENT ut (#PCDATA | sub)*> <!ATTLIST ut x CDATA #IMPLIED>
<!ELEMENT sub (#PCDATA | bpt | ept | it | ph | hi | ut)*>
"""
"""What the specification says about elements and attributes, in the words of these tests."""


def check_structure(text):
    """Check a memory by the element and attribute rules of TMX 1.4b."""
    from io import StringIO

    dtd = etree.DTD(StringIO(TMX_1_4B))
    assert dtd.validate(etree.fromstring(text.encode())), dtd.error_log


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1), TEXT)
def test_any_sentences_are_written(pairs, name):
    document = Document(name, *zip(*pairs, strict=True))
    text = write_tmx([document, Document("2", ("a",), ("b",))], "en_GB", "de")
    check_structure(text)
    segments = [seg.text or "" for seg in etree.fromstring(text.encode()).iter("seg")]
    expected = [side for pair in [*pairs, ("a", "b")] for side in pair]
    assert [replaced(a) for a in segments] == [replaced(a) for a in expected]


def replaced(text):
    return "".join(c if c in "\t\n\r" or " " <= c not in "\ufffe\uffff" else "\ufffd" for c in text)


HEADER = (
    '<header creationtool="a" creationtoolversion="1" segtype="sentence" o-tmf="a" '
    'adminlang="en" srclang="en" datatype="plaintext"/>'
)


def memory(units):
    return f'<tmx version="1.4">{HEADER}<body>{units}</body></tmx>'


def fill(folder, text, change=str.upper, target="de"):
    path = folder / "in.tmx"
    path.write_bytes(text.encode())
    (document,), skeleton = tmx.read(path, "en", target)
    return document, skeleton.fill_and_report(
        [document.translated([change(s) for s in document.source])]
    )


def test_units_without_a_translation_get_one(tmp_path):
    source = (
        '<tuv xml:lang="en-GB"><seg>One <bpt i="1">&lt;b></bpt>two<ept i="1">&lt;/b></ept></seg>'
    )
    text = memory(f"<tu>\n  {source}</tuv>\n</tu>")
    document, filled = fill(tmp_path, text, target="de_AT")
    assert document.source == ("One two",)
    assert filled.text == memory(
        f'<tu>\n  {source}</tuv>\n  <tuv creationid="docmt" xml:lang="de-AT"><seg>ONE <bpt i="1">'
        '&lt;b></bpt>TWO<ept i="1">&lt;/b></ept></seg></tuv>\n</tu>'
    )
    check_structure(filled.text)
    assert fill(tmp_path, filled.text, str.lower)[1].text == filled.text.replace(
        "ONE", "one"
    ).replace("TWO", "two")


def test_translations_are_kept_with_a_note(tmp_path):
    units = (
        '<tu><tuv xml:lang="EN-US"><seg>a</seg></tuv><tuv xml:lang="de-CH"><seg>b</seg></tuv></tu>'
        '<tu><tuv xml:lang="en"><seg>c</seg></tuv><tuv xml:lang="fr"><seg>d</seg></tuv></tu>'
        '<tu><tuv xml:lang="fr"><seg>e</seg></tuv></tu>'
        '<tu><tuv xml:lang="en"><seg>f</seg></tuv><tuv xml:lang="de" creationid="x"><seg/></tuv>'
        "</tu>"
    )
    document, filled = fill(tmp_path, memory(units))
    assert document.source == ("c", "f")
    assert filled.text == memory(units).replace(
        "c</seg></tuv>", 'c</seg></tuv><tuv creationid="docmt" xml:lang="de"><seg>C</seg></tuv>'
    ).replace(
        '<tuv xml:lang="de" creationid="x"><seg/>',
        '<tuv changeid="docmt" xml:lang="de" creationid="x"><seg>F</seg>',
    )
    notes = " ".join(filled.notes)
    assert "1 unit kept, which has a translation already" in notes
    assert "1 unit without text in en kept" in notes
    check_structure(filled.text)
    done = memory(units[: units.index("</tu>") + 5])
    with pytest.raises(InputError, match=r"in\.tmx: no unit has a source .en. without"):
        fill(tmp_path, done)


def test_a_variant_without_a_language_is_no_target(tmp_path):
    unknown = "<tuv><seg>a</seg></tuv>"
    unit = f'<tu><tuv xml:lang="en"><seg>a</seg></tuv>{unknown}<tuv xml:lang="de"><seg/></tuv></tu>'
    _, filled = fill(tmp_path, memory(unit), target=None)
    assert unknown in filled.text and "<seg>A</seg></tuv></tu>" in filled.text
