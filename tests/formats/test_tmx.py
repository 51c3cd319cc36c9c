"""Translation memories: those that docmt writes, and those that it translates."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from docmt import corpora
from docmt.documents import Document
from docmt.formats.tmx import write_tmx

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
<!ATTLIST tuv xml:lang CDATA #REQUIRED creationid CDATA #IMPLIED>
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


def test_what_is_written_is_read_again(tmp_path):
    documents = [
        Document("a & <b>", ('One "two".', "]]> 'x'"), ("Eins <zwei>.", "ß & 𝄞")),
        Document("c", ("Three.",), ("Drei.",)),
    ]
    path = tmp_path / "out.tmx"
    path.write_text(write_tmx(documents, "en_GB", "de"), encoding="utf-8")
    assert list(corpora.read(path)) == documents
    header = etree.parse(path).find("header")
    assert (header.get("srclang"), header.get("segtype")) == ("en-GB", "sentence")
