"""Short lines are passages of their own, wrapped lines go on, and the file stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.core.inline import Block, Code, LineEnd, Text
from docmt_files.core.sentence_cutting import cut_into_sentences
from docmt_files.markup import html, markdown
from docmt_files.strings import json_strings
from docmt_files.text import running

ADDRESS = ["First line of the address", "Second line of the address", "12 Main Street"]
FORM = ["Name: John Smith", "phone number: 123 456", "E-mail address: none"]
LETTER = [
    "Dear Ms. Smith,",
    "thank you for your letter and the box.",
    "Best regards,",
    "John Miller",
]
POEM = ["The woods are lovely, dark and deep,", "But I have promises to keep,"]
CHINESE = ["张三先生", "北京市朝阳区", "电话：无"]
WRAPPED = ["The monks of the old monastery by the river were taught by", "Ananda for years"]
LIST = ["You need", "* a pen", "* some paper"]


def sentences(lines, *, is_broken, language="en"):
    """The sentences of lines that are broken by codes, or wrapped."""
    parts, at = [], 0
    for line in lines:
        if parts:
            end = Code(at, at + 1, "void", text="\n") if is_broken else LineEnd(at, at + 1, " ")
            parts.append(end)
            at += 1
        parts.append(Text(at, at + len(line), line))
        at += len(line)
    block = Block(tuple(parts), lambda text, _: text)
    return [sentence.text for sentence in cut_into_sentences(block, language)]


@pytest.mark.parametrize("is_broken", [True, False])
@pytest.mark.parametrize("lines", [ADDRESS, FORM, LETTER, POEM, CHINESE])
def test_each_short_line_is_a_passage(lines, is_broken):
    language = "zh" if lines is CHINESE else "en"
    assert sentences(lines, is_broken=is_broken, language=language) == lines


@pytest.mark.parametrize("is_broken", [True, False])
def test_a_full_line_goes_on_before_a_name(is_broken):
    assert sentences(WRAPPED, is_broken=is_broken) == [" ".join(WRAPPED)]


@pytest.mark.parametrize("is_broken", [True, False])
def test_a_line_goes_on_in_lower_case(is_broken):
    lines = ["How to build", "a house"]
    assert sentences(lines, is_broken=is_broken) == ["How to build a house"]


def test_terms_in_lower_case_are_passages_and_a_sentence_is_not():
    assert sentences(["apple", "bread", "butter"], is_broken=True) == ["apple", "bread", "butter"]
    assert sentences(["one may", "open it", "here."], is_broken=True) == ["one may open it here."]


def test_unevenly_wrapped_prose_goes_on_before_a_name():
    lines = ["The function uses the", "JavaScript engine, which is part of", "the program."]
    assert sentences(lines, is_broken=False) == [" ".join(lines)]


def test_lines_that_are_too_long_to_be_wrapped_are_passages():
    lines = ["word " * 25 + "end", "Another line"]
    assert sentences(lines, is_broken=True) == lines
    assert len(sentences(lines, is_broken=False)) == 1


def test_a_bullet_is_not_translated():
    assert sentences(LIST, is_broken=True) == ["You need", "a pen", "some paper"]


def test_a_number_between_lines_is_kept():
    assert sentences(["John Smith", "12345", "London"], is_broken=True) == ["John Smith", "London"]


def read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="\n")
    module = {"md": markdown, "html": html, "txt": running, "json": json_strings}
    return module[name.partition(".")[2]].read(path, "en")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.html",
            "<p>Name: Jo<br>Phone: 12<br/>\nCity: Rome",
            ["Name: Jo", "Phone: 12", "City: Rome"],
        ),
        ("a.html", "<p><b>Jo Smith<br>Main Street</b></p>", ["Jo Smith", "Main Street"]),
        ("a.md", "Jo Smith  \nMain Street\\\nRome\n", ["Jo Smith", "Main Street", "Rome"]),
        ("a.md", "> **Note**\n> Do not stop.\n", ["Note", "Do not stop."]),
        ("a.md", "| a<br>B |\n| --- |\n", ["a", "B"]),
        ("a.txt", "Jo Smith\r\nMain Street\r\n\r\nRome", ["Jo Smith", "Main Street", "Rome"]),
        ("a.json", '{"a": "Jo Smith<br>Main Street"}', ["Jo Smith", "Main Street"]),
    ],
)
def test_every_format_has_the_same_passages(tmp_path, name, text, expected):
    (document,), skeleton = read(tmp_path, name, text)
    assert list(document.source) == expected
    assert skeleton.fill([document.translated(document.source)]) == text
    filled = skeleton.fill([document.translated([f"x{s}" for s in document.source])])
    for sentence in expected:
        filled = filled.replace(f"x{sentence}", sentence)
    assert filled == text


LINES = st.lists(
    st.sampled_from(
        [
            "Jo Smith",
            "is it",
            "Phone: 1",
            "- a B",
            "**Note**",
            "+49 1",
            "张三",
            "&amp; Q",
            "`a`",
            "x " * 40,
        ]
    ),
    min_size=1,
    max_size=6,
)


@given(
    LINES, st.sampled_from(["\n", "  \n", "<br>\n"]), st.sampled_from(["a.md", "a.html", "a.txt"])
)
def test_filled_with_its_source_a_file_is_the_same(tmp_path_factory, lines, end, name):
    text = "Word\n\n" + end.join(lines)
    (document,), skeleton = read(tmp_path_factory.mktemp("in"), name, text)
    assert skeleton.fill([document.translated(document.source)]) == text
    kept = skeleton.fill_and_report([document.translated([s + "y" for s in document.source])]).kept
    assert kept == 0
