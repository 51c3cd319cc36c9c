"""Paragraphs of OpenDocument files: their text is found and replaced, and their codes stay."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from formats.odf_packages import body, filled, part, read
from formats.samples.odf import package
from tables import rows

SPAN, HIDDEN = '<text:span text:style-name="T1">', '<text:span text:style-name="T5">'
TABLE = rows("formats/contracts/odf_paragraphs.yaml")


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
