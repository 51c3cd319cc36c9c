"""Paragraphs of OpenDocument files: their text is found and replaced, and their codes stay."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.ground.errors import InputError
from formats.odf_packages import body, filled, part, read
from formats.samples.odf import package

SPAN, HIDDEN = '<text:span text:style-name="T1">', '<text:span text:style-name="T5">'
TABLE = [
    # the content of office:text, sentences, the content filled with the sentences in upper case
    (
        "<text:p>One.\n  Two &amp; &#233;.</text:p>",
        ["One.", "Two & é."],
        "<text:p>ONE.\n  TWO &amp; É.</text:p>",
    ),
    (
        "<text:h>a</text:h><text:list><text:list-item><text:number>1.</text:number><text:p>b</text:p>"
        "</text:list-item></text:list>",
        ["a", "b"],
        "<text:h>A</text:h><text:list><text:list-item><text:number>1.</text:number><text:p>B</text:p>"
        "</text:list-item></text:list>",
    ),
    # Spans that look the same are one, in sentences that change
    (
        f'<text:p>{SPAN}b</text:span><text:span text:style-name="T2">c</text:span> d</text:p>',
        ["bc d"],
        f"<text:p>{SPAN}BC</text:span> D</text:p>",
    ),
    (
        f'<text:p>{SPAN}b</text:span><text:span text:style-name="T3">c</text:span></text:p>',
        ["bc"],
        f'<text:p>{SPAN}B</text:span><text:span text:style-name="T3">C</text:span></text:p>',
    ),
    (
        f"<text:p>{SPAN}One.</text:span>{SPAN} Two.</text:span></text:p>",
        ["One.", "Two."],
        f"<text:p>{SPAN}ONE.</text:span>{SPAN} TWO.</text:span></text:p>",
    ),
    # Spans that show nothing are left out of sentences that change
    (
        f"<text:p>a {HIDDEN}b </text:span>c {SPAN}d</text:span></text:p>",
        ["a b c d"],
        f"<text:p>A B C {SPAN}D</text:span></text:p>",
    ),
    (
        f"<text:p>One {HIDDEN}two. Three</text:span> four.</text:p>",
        ["One two.", "Three four."],
        f"<text:p>ONE {HIDDEN}TWO. THREE</text:span> FOUR.</text:p>",
    ),
    # Notes, boxes and descriptions are blocks of their own
    (
        "<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>b"
        "</text:p></text:note-body></text:note> c</text:p>",
        ["a c", "b"],
        "<text:p>A<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>B"
        "</text:p></text:note-body></text:note> C</text:p>",
    ),
    (
        "<draw:frame><draw:image/><svg:title>a</svg:title><svg:desc>b</svg:desc></draw:frame>",
        ["a", "b"],
        "<draw:frame><draw:image/><svg:title>A</svg:title><svg:desc>B</svg:desc></draw:frame>",
    ),
    # Numbers alone are kept
    (
        "<text:p>12</text:p><text:p>a 12</text:p>",
        ["a 12"],
        "<text:p>12</text:p><text:p>A 12</text:p>",
    ),
    # White space in elements
    (
        '<text:p>a<text:s text:c="3"/>b<text:line-break/>c</text:p>',
        ["a b c"],
        '<text:p>A<text:s text:c="3"/>B<text:line-break/>C</text:p>',
    ),
    ("<text:p>a<text:tab/>b 1</text:p>", ["a", "b 1"], "<text:p>A<text:tab/>B 1</text:p>"),
    (
        f"<text:p>x {SPAN}a<text:tab/>b</text:span></text:p>",
        ["x a b"],
        f"<text:p>X {SPAN}A<text:tab/>B</text:span></text:p>",
    ),
    # What is in a range stays in it
    (
        '<text:p>a <text:bookmark-start text:name="x"/>b c<text:bookmark-end text:name="x"/>'
        " d</text:p>",
        ["a b c d"],
        '<text:p>A <text:bookmark-start text:name="x"/>B C<text:bookmark-end text:name="x"/>'
        " D</text:p>",
    ),
    # Fields and code are protected
    (
        '<text:p>On <text:date>May 2</text:date> run <text:span text:style-name="T4">a b</text:span>'  # noqa: E501
        " x</text:p>",
        ["On run x"],
        '<text:p>ON <text:date>May 2</text:date> RUN <text:span text:style-name="T4">a b</text:span>'  # noqa: E501
        " X</text:p>",
    ),
    # Comments and deletions are kept
    (
        "<text:p>a<office:annotation><text:p>b</text:p></office:annotation> c</text:p>",
        ["a c"],
        "<text:p>A<office:annotation><text:p>b</text:p></office:annotation> C</text:p>",
    ),
    (
        "<text:tracked-changes><text:deletion><text:p>x</text:p></text:deletion></text:tracked-changes>"
        "<text:p>a</text:p>",
        ["a"],
        "<text:tracked-changes><text:deletion><text:p>x</text:p></text:deletion></text:tracked-changes>"
        "<text:p>A</text:p>",
    ),
    # Ruby is kept with the text that it is on
    (
        "<text:p>a <text:ruby><text:ruby-base>b</text:ruby-base><text:ruby-text>x</text:ruby-text>"
        "</text:ruby> c</text:p>",
        ["a b c"],
        "<text:p>A <text:ruby><text:ruby-base>B</text:ruby-base><text:ruby-text>x</text:ruby-text>"
        "</text:ruby> C</text:p>",
    ),
    (
        "<text:p>a<![CDATA[ b <c> ]]> d<!-- e --></text:p>",
        ["a d"],
        "<text:p>A<![CDATA[ b <c> ]]> D<!-- e --></text:p>",
    ),
    # Attributes that a reader sees
    (
        '<text:p>a <text:a office:title="b &quot;c&quot;" xlink:href="x">d</text:a></text:p>',
        ["a d", 'b "c"'],
        '<text:p>A <text:a office:title="B &quot;C&quot;" xlink:href="x">D</text:a></text:p>',
    ),
    (
        '<text:p>a<text:alphabetical-index-mark text:string-value="b"/></text:p>',
        ["a", "b"],
        '<text:p>A<text:alphabetical-index-mark text:string-value="B"/></text:p>',
    ),
    (
        '<form:button form:label="a" form:name="b"/>',
        ["a"],
        '<form:button form:label="A" form:name="b"/>',
    ),
    # An entry of a table of contents is equal to its heading
    (
        '<text:index-body><text:p><text:a xlink:href="#">1.2 The pump<text:tab/>3</text:a></text:p>'
        "</text:index-body><text:h>The pump</text:h>",
        ["The pump", "The pump"],
        '<text:index-body><text:p><text:a xlink:href="#">1.2 THE PUMP<text:tab/>3</text:a></text:p>'
        "</text:index-body><text:h>THE PUMP</text:h>",
    ),
]


@pytest.mark.parametrize(("inner", "sentences", "expected"), TABLE)
def test_text_is_replaced_and_the_rest_stays(tmp_path, inner, sentences, expected):
    data = package(inner, own=False)
    documents, skeleton = read(tmp_path, data)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton).data == data
    result = filled(documents, skeleton, str.upper)
    assert body(part(result.data)) == expected
    assert not result.kept


def test_spans_may_come_to_stand_side_by_side(tmp_path):
    other = '<text:span text:style-name="T2">'
    inner = f"<text:p>{SPAN}Tea</text:span> {other}cups</text:span></text:p>"
    data = package(inner, own=False)
    documents, skeleton = read(tmp_path, data)
    result = filled(documents, skeleton, lambda _: "茶杯")
    assert body(part(result.data)) == (
        f"<text:p>{SPAN}茶</text:span>{other}杯</text:span></text:p>"
    )
    assert not result.kept


PIECES = st.lists(
    st.sampled_from(
        (
            "One two. ",
            "three",
            " ",
            "\n",
            "&amp;",
            "&#10;",
            SPAN,
            "</text:span>",
            '<text:span text:style-name="T2">',
            "<text:tab/>",
            "<text:s/>",
            "<text:line-break/>",
            '<text:a xlink:href="x" office:title="A b">',
            "</text:a>",
            '<text:span text:style-name="T4">',
            "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>",
            "</text:p></text:note-body></text:note>",
            "<draw:frame><draw:text-box><text:p>",
            "</text:p></draw:text-box></draw:frame>",
            '<text:bookmark-start text:name="a"/>',
            '<text:bookmark-end text:name="a"/>',
            "<text:ruby><text:ruby-base>",
            "</text:ruby-base><text:ruby-text>x</text:ruby-text></text:ruby>",
            "<text:date>x</text:date>",
            "<!-- c -->",
            "<![CDATA[x]]>",
            "{0}",
            "<text:span/>",
            '<text:change-start text:change-id="a"/>',
            '<text:change-end text:change-id="a"/>',
            "</text:p><text:p>",
            "</text:p><text:h>",
            "</text:h>",
            "<svg:title>x</svg:title>",
            "<text:index-body>",
            "</text:index-body>",
        )
    ),
    max_size=25,
)
_TAG = re.compile(r"<(/?)([\w:-]+)[^>]*?(/?)>")


def balanced(pieces):
    """As many of the pieces as make XML, with end tags for what is open."""
    text, stack = "", []
    for piece in pieces:
        own = list(stack)
        for closing, name, empty in _TAG.findall(piece) if not piece.startswith("<!") else ():
            if closing:
                if not own or own.pop() != name:
                    break
            elif not empty:
                own.append(name)
        else:
            text, stack = text + piece, own
    return text + "".join(f"</{name}>" for name in reversed(stack))


@settings(deadline=None)
@given(PIECES)
def test_filled_with_its_source_a_file_is_the_same(tmp_path_factory, pieces):
    folder = tmp_path_factory.mktemp("odf")
    data = package(balanced(["<text:p>", *pieces]), own=False)
    try:
        documents, skeleton = read(folder, data)
    except InputError as error:
        assert "has no text" in str(error)
        return
    assert filled(documents, skeleton).data == data
    for change in (str.upper, lambda _: "x", lambda sentence: f"{sentence[::-1]} <&> \0"):
        result = filled(documents, skeleton, change).data
        _, again = read(folder, result)
        assert len(again.found.blocks) == len(skeleton.found.blocks)
