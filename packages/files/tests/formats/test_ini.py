"""INI files of strings: values are translated, and everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files import Input


def read(folder, text):
    path = folder / "en-GB.ini"
    path.write_text(text, encoding="utf-8", newline="")
    return Input().read(path, "en", "de")


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


TABLE = [
    # INI, sentences, the file filled with the sentences in upper case
    ("A=\"one two\"\n", ["one two"], "A=\"ONE TWO\"\n"),
    ("A = one two \n", ["one two"], "A = ONE TWO \n"),
    # A comment behind a value, and one in its place.
    ("A=\"one\" ; two\nB=three ; four\n", ["one", "three"], "A=\"ONE\" ; two\nB=THREE ; four\n"),
    ("; a=b\n#c = d\n[e f]\r\ng=one; two\r\n", ["one; two"],
     "; a=b\n#c = d\n[e f]\r\ng=ONE; TWO\r\n"),
    ('A="one \\"two\\""\n', ['one "two"'], 'A="ONE \\"TWO\\""\n'),
    ('A="one "_QQ_"two"_QQ_""\n', ['one "two"'], 'A="ONE "_QQ_"TWO"_QQ_""\n'),
    ("A='one two'\n", ["one two"], "A='ONE TWO'\n"),
    ("A=one=two\nB=x\nC=\"\"\n", ["one=two", "x"], "A=ONE=TWO\nB=X\nC=\"\"\n"),
    ("on=true\nlog = off\nA=\"Yes\"\n", ["Yes"], "on=true\nlog = off\nA=\"YES\"\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentences", "expected"), TABLE)
def test_values_are_translated_and_the_rest_stays(tmp_path, text, sentences, expected):
    documents, skeleton = read(tmp_path, text)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str).text == text
    assert filled(documents, skeleton).text == expected


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ('A="one"\nB="c"\n', '"Zwei"'),
        ('A="one"\nB=""_QQ_"c"_QQ_""\n', '"Zwei"'),
        ("A=one\n", '"Zwei"'),
    ],
)
def test_quotation_marks_are_written_as_the_file_writes_them(tmp_path, text, new):
    documents, skeleton = read(tmp_path, text)
    written = filled(documents, skeleton, lambda s: new if s == "one" else s).text
    marks = {'"_QQ_"': '""_QQ_"Zwei"_QQ_""', '\\"': '"\\"Zwei\\""'}
    quoted = marks['"_QQ_"' if "_QQ_" in text else '\\"'] if '"' in text else "“Zwei”"
    assert written == text.replace('"one"', quoted).replace("=one", f"={quoted}")


@settings(max_examples=60, deadline=None)
@given(
    st.text(min_size=1, max_size=9).map(lambda text: " ".join(text.split())),
    st.sampled_from(['"one two"', "'one two'", "one two"]),
)
def test_a_translation_stays_in_its_value(tmp_path_factory, translation, value):
    text = f"A={value}\nB=three\n"
    documents, skeleton = read(tmp_path_factory.mktemp("ini"), text)
    made = filled(documents, skeleton, lambda s: translation if s == "one two" else s).text
    assert made.startswith("A=") and made.endswith("\nB=three\n")
    assert len(skeleton.find(made).blocks) == 2
    assert made.count("\n") == 2


def test_keys_in_sections_are_places_and_other_lines_are_counted(tmp_path):
    (document,), skeleton = read(tmp_path, "[Main]\nA=one two\n  three four\n")
    assert [s.key for s in skeleton.sentences_of(document)] == ["Main.A"]
    assert skeleton.found.kept == ("1 line without a key not translated",)
