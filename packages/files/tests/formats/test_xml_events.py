"""The parts of XML texts, with their places."""

from __future__ import annotations

import time
from contextlib import suppress
from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from docmt_files.base.errors import InputError
from docmt_files.core.xml_encodings import decode_xml, encode_xml
from docmt_files.core.xml_events import (
    MAX_DEPTH,
    XML_LANG,
    attribute_texts,
    attribute_value_range,
    raw_name,
    read_events,
)
from docmt_files.storage.characters import escape_attribute, escape_text


def shown(text, **options):
    """Each event as its kind, its range of the text, and what it means."""
    return [
        (event.kind, text[event.start : event.end], event.text or event.name)
        for event in read_events(text, "in.xml", **options)
    ]


def test_parts_have_their_places():
    text = (
        "\ufeff<?xml version='1.0'?>\n<!-- a --><r>é &amp;\r\n\rb<b x='1'/>𝄞<![CDATA[<c>]]>"
        "<!--d--><?e f ?><g\n>]</g ></r >\n<!-- h -->"
    )
    assert shown(text) == [
        ("start", "<r>", "r"),
        ("text", "é ", "é "),
        ("text", "&amp;", "&"),
        ("text", "\r\n", "\n"),
        ("text", "\rb", "\nb"),
        ("start", "<b x='1'/>", "b"),
        ("end", "", "b"),
        ("text", "𝄞", "𝄞"),
        ("cdata", "<![CDATA[<c>]]>", "<c>"),
        ("comment", "<!--d-->", "d"),
        ("instruction", "<?e f ?>", "f "),
        ("start", "<g\n>", "g"),
        ("text", "]", "]"),
        ("end", "</g >", "g"),
        ("end", "</r >", "r"),
    ]
    assert shown("<a b='/'></a>") == [("start", "<a b='/'>", "a"), ("end", "</a>", "a")]
    assert shown("<a/>") == [("start", "<a/>", "a"), ("end", "", "a")]


def test_names_have_their_namespaces_and_attributes_their_places():
    text = """<p:a xmlns:p="u" xmlns='v' p:b = "1 &lt;\n2" c='"' xml:lang="en"><d/></p:a>"""
    start, inner, _, end = read_events(text, "in.xml")
    assert (start.name, start.namespace, start.local_name) == ("{u}a", "u", "a")
    assert (inner.name, inner.namespace) == ("{v}d", "v")
    assert dict(start.attributes) == {"{u}b": "1 < 2", "c": '"', XML_LANG: "en"}
    assert raw_name(text, start) == raw_name(text, end) == "p:a"
    values = {key: attribute_value_range(text, start, key) for key in start.attributes}
    assert {key: text[a:b] for key, (a, b) in values.items()} == {
        "{u}b": "1 &lt;\n2",
        "c": '"',
        XML_LANG: "en",
    }
    assert "".join(part.text for part in attribute_texts(text, *values["{u}b"])) == "1 < 2"
    with pytest.raises(KeyError):
        attribute_value_range(text, inner, "c")


DOCTYPES = [
    ("<!DOCTYPE a><a/>", False, "has a document type"),
    ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&d;</a>", True, "'d', which is not declared"),
    ("<!DOCTYPE a [<!ENTITY b 'c'>]><a d='&b;'/>", True, "'b', which is not expanded"),
    ("<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>", True, "declares something else"),
    ("<!DOCTYPE a [<!ENTITY b 'c'> x]><a/>", True, "declares something else"),
    ("<!DOCTYPE a [<!ENTITY b 'c>]><a/>", True, "declares something else"),
    ("<!DOCTYPE a [<!ENTITY b 'c'>", True, "declares something else"),
    ("<!DOCTYPE a SYSTEM 'b'><a d='&amp;&c;'/>", True, "'c', which is not expanded"),
    ("<a>&c;</a>", True, "line 1: is not valid XML (undefined entity"),
]


@pytest.mark.parametrize(("text", "doctype", "problem"), DOCTYPES)
def test_other_declarations_and_entities_are_refused(text, doctype, problem):
    with pytest.raises(InputError) as caught:
        read_events(text, "in.xml", doctype=doctype)
    assert "in.xml, line 1" in str(caught.value)
    assert problem in str(caught.value)


ENTITIES = [
    "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    '<!DOCTYPE a [\n<!-- ] > --><?pi ]>?>\n<!ENTITY b "]>\'" >\n] >\n',
    "<!DOCTYPE a SYSTEM 'b' [<!ENTITY % b SYSTEM 'c'> %b;]>",
    "<!DOCTYPE a SYSTEM 'b'>",
    "<!DOCTYPE a PUBLIC 'b' \"c\" [<!ELEMENT a (#PCDATA)>]>",
    "<?xml version='1.0' standalone='yes'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>",
    "<!DOCTYPE a [<!ENTITY x 'é'><!ENTITY b '&x;&x;&x;<c/>'><!NOTATION n SYSTEM 'é'>]>",
    "<!DOCTYPE a [<!ENTITY b PUBLIC 'é' 'http://127.0.0.1:1/'>]>",
]


@pytest.mark.parametrize("doctype", ENTITIES)
def test_an_entity_is_a_part_of_its_own_and_never_expanded(doctype):
    text = f"{doctype}<a>é&b; é<c>&b;</c></a>"
    events = read_events(text, "in.xml", doctype=True)
    assert [(event.kind, event.text) for event in events if event.text] == [
        ("text", "é"),
        ("entity", "&b;"),
        ("text", " é"),
        ("entity", "&b;"),
    ]
    assert all(a.end == b.start for a, b in pairwise(events))
    assert text[events[0].start : events[-1].end] == text[text.index("<a>") :]


def test_a_billion_laughs_are_one_code():
    entities = "".join(f"<!ENTITY l{n + 1} '{f'&l{n};' * 10}'>" for n in range(30))
    text = f"<!DOCTYPE a [<!ENTITY l0 'lol'>{entities}]><a>&l30;</a>"
    events = read_events(text, "in.xml", doctype=True)
    assert [event.kind for event in events] == ["start", "entity", "end"]


def test_a_document_type_without_declarations_has_no_effect():
    assert len(shown("<!DOCTYPE a SYSTEM 'a.dtd'><a/>", doctype=True)) == 2


@pytest.mark.parametrize(
    "unit",
    ["<!ENTITY a 'b'>", "<!-- c -->", "<?p?>", "%a;", " ", "<!ENTITY ", "<!--", "<?", "'", "["],
)
def test_declarations_are_read_in_linear_time(unit):
    text = f"<!DOCTYPE a [{unit * (300_000 // len(unit))}"
    started = time.process_time()
    for end in ("", "]><a/>"):
        with suppress(InputError):
            read_events(text + end, "in.xml", doctype=True)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no element found"),
        ("<a>", "no element found"),
        ("<a>\n</b>", "line 2: is not valid"),
        ("<a>\0</a>", "line 1: holds a NUL character"),
        ("<a b='1' b='2'/>", "duplicate attribute"),
        ("<a:b/>", "unbound prefix"),
        ("<a/><b/>", "junk after document element"),
        ("<a>\ud800</a>", "half a surrogate pair"),
        ("<a>&#0;</a>", "invalid character"),
        ("<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1), "250 elements in each other"),
        ("<a>\x01</a>", "not well-formed"),
    ],
)
def test_what_is_not_well_formed_is_an_error_with_its_line(text, problem):
    with pytest.raises(InputError, match=problem):
        read_events(text, "in.xml")


PIECES = st.lists(
    st.sampled_from(
        (
            "<a>",
            "</a>",
            "<b c='d &amp; &#x41;'>",
            "</b>",
            "<e/>",
            "<p:f xmlns:p='u' p:g=\"h\" />",
            "text",
            "é",
            "𝄞",
            "&amp;",
            "&lt;",
            "&#233;",
            "\n",
            "\r\n",
            "\r",
            "<!-- c -->",
            "<?pi x?>",
            "<![CDATA[<x>]]>",
            "]",
            ">",
            "'",
            " ",
            "\t",
        )
    ),
    max_size=25,
)


@settings(deadline=None)
@given(PIECES)
def test_parts_are_adjacent_and_mean_what_lxml_reads(pieces):
    text = f"<?xml version='1.0'?>\n<root>{''.join(pieces)}</root>\n"
    try:
        expected = etree.fromstring(text.encode())
    except etree.XMLSyntaxError:
        with pytest.raises(InputError):
            read_events(text, "in.xml")
        return
    events = read_events(text, "in.xml")
    assert all(a.end == b.start for a, b in pairwise(events))
    assert text[events[0].start : events[-1].end] == text.strip().partition("\n")[2]
    meant = "".join(event.text for event in events if event.kind in ("text", "cdata"))
    assert meant == "".join(expected.itertext(tag=etree.Element))
    elements = [(e.tag, dict(e.attrib)) for e in expected.iter(tag=etree.Element)]
    starts = [event for event in events if event.kind == "start"]
    assert [(event.name, dict(event.attributes)) for event in starts] == elements
    for event in starts:
        for key, value in event.attributes.items():
            place = attribute_value_range(text, event, key)
            assert "".join(part.text for part in attribute_texts(text, *place)) == value


@settings(deadline=None)
@given(st.text())
def test_what_is_escaped_is_read_again(value):
    kept = "".join(
        c if c in "\t\n\r" or " " <= c not in "\ufffe\uffff" else "\ufffd" for c in value
    )
    for quote in "\"'":
        text = f"<a b={quote}{escape_attribute(value)}{quote}>{escape_text(value)}</a>"
        element = etree.fromstring(text)
        assert (element.text or "") == kept
        assert element.get("b") == kept
        events = read_events(text, "in.xml")
        assert "".join(event.text for event in events) == kept


@pytest.mark.parametrize(
    "data",
    [
        b"<a>\xc3\xa9</a>",
        b"\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?><a/>",
        "\ufeff<?xml version='1.0' encoding=\"UTF-16\"?><a>é</a>".encode("utf-16-le"),
        "\ufeff<?xml version='1.0'?><a/>".encode("utf-16-be"),
    ],
)
def test_files_in_unicode_are_decoded_and_encoded_back(data):
    text = decode_xml(data, "in.xml")
    assert encode_xml(text, data) == data
    assert read_events(text, "in.xml")[0].name == "a"
    etree.parse(BytesIO(data))


@pytest.mark.parametrize(
    "unit", ["é", "\r\n", "&amp;", "<b/>", "<b c='é&amp;'>é</b>", "<!--x-->", "<![CDATA[x]]>", "] "]
)
def test_reading_takes_linear_time(unit):
    text = f"<a>{unit * (150_000 // len(unit))}</a>"
    started = time.process_time()
    read_events(text, "in.xml")
    assert time.process_time() - started < 1
