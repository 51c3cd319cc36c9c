"""Invisible characters in words do not reach the translator, and files keep theirs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files import Input
from docmt_files.base.errors import printable
from docmt_files.text.running import read_text

READ = [
    ("the docu\u00adment", "the document"),
    ("\u00adthe docu\u00ad\u00adment\u00ad", "the document"),
    ("the work\u200bbook", "the workbook"),
    ("a\u2060b\ufeffc", "abc"),
    ("Auf\u200clage", "Auflage"),
    ("the \ufb01le and the o\ufb03ce", "the file and the office"),
    ("non\u2011breaking", "non-breaking"),
    ("10\u00b2 and \u00bd\u2122", "10\u00b2 and \u00bd\u2122"),
    ("\u0645\u06cc\u200c\u0631\u0648\u0645", "\u0645\u06cc\u200c\u0631\u0648\u0645"),
    ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
    (
        "a \U0001f468\u200d\U0001f469\u200d\U0001f467 b",
        "a \U0001f468\u200d\U0001f469\u200d\U0001f467 b",
    ),
    ("a \U0001f3f3\ufe0f\u200d\U0001f308 b", "a \U0001f3f3\ufe0f\u200d\U0001f308 b"),
    ("\u1780\u200b\u1781", "\u1780\u200b\u1781"),
    ("one \u200etwo\u200f three", "one two three"),
    ("one \u2068two\u2069 three", "one two three"),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_a_translator_reads_visible_characters(text, expected):
    (document,), skeleton = read_text(text, "en")
    assert document.source == (expected,)
    assert skeleton.fill([document.translated(document.source)]) == text


def test_sentences_beside_invisible_characters_have_places_of_their_own():
    (document,), skeleton = read_text("\u00adOne two. Three\u00ad four.\u200b Five.", "en")
    assert document.source == ("One two.", "Three four.", "Five.")
    filled = skeleton.fill([document.translated(["A.", "Three four.", "C."])])
    assert filled == "A. Three\u00ad four.\u200b C."


def test_marks_of_direction_are_codes():
    (document,), skeleton = read_text("Open \u2068{0}\u2069 now \u200e(C++)\u200e please.", "en")
    filled = skeleton.fill([document.translated(["Bitte jetzt (C++) \u00f6ffnen."])])
    assert [filled.count(mark) for mark in "\u2068\u2069\u200e"] == [1, 1, 2]
    assert filled.index("\u2068") < filled.index("{0}") < filled.index("\u2069")
    assert "\u200e(C++)\u200e" in filled


def test_a_translation_may_have_other_marks_of_direction(tmp_path):
    path = tmp_path / "a.html"
    path.write_text("<p>Open <b>\u200ethe file</b> now.</p>", encoding="utf-8")
    (document,), skeleton = Input().read(path, "en", "de")
    filled = skeleton.fill_and_report([document.translated(["\u200fJetzt die \u200fDatei."])])
    assert filled.kept == 0 and filled.text.count("\u200f") == 2
    assert filled.text.count("\u200e") == 1 and "around" not in "".join(filled.notes)


def test_a_lone_mark_of_direction_is_kept_once():
    (document,), skeleton = read_text("Open \u202bthe file now.", "en")
    filled = skeleton.fill([document.translated(["Jetzt \u00f6ffnen."])])
    assert filled.count("\u202b") == 1


NAMES = {
    "a.txt": "The docu\u00adment.\n",
    "a.html": "<p>The docu&shy;ment.</p>",
    "a.md": "The docu&shy;ment.\n",
    "a.json": '{"k": "The docu\\u00adment."}',
    "a.properties": "k=The docu\\u00adment.\n",
    "a.srt": "1\n00:00:01,000 --> 00:00:02,000\nThe docu\u00adment.\n",
    "strings.xml": '<resources><string name="k">The docu&#173;ment.</string></resources>',
}


@pytest.mark.parametrize("name", NAMES)
def test_every_format_leaves_soft_hyphens_out_and_counts_them(tmp_path, name):
    path = tmp_path / name
    path.write_text(NAMES[name], encoding="utf-8")
    (document,), skeleton = Input().read(path, "en", "de")
    assert document.source == ("The document.",)
    same = skeleton.fill_and_report([document.translated(document.source)])
    assert same.text == NAMES[name]
    filled = skeleton.fill_and_report([document.translated(["Das Dokument."])])
    assert "Das Dokument." in filled.text and filled.kept == 0
    assert (
        "1 invisible character left out of the sentences to translate: soft hyphen (U+00AD, 1)"
        in filled.notes
    )


@given(
    st.text(
        "ab. \n\u00ad\u200b\u200d\u200e\u2068\u2069\ufb01\u0645\u202a\u202c&<>",
        min_size=1,
        max_size=40,
    )
)
def test_any_file_is_the_same_with_its_source_as_translation(text):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.txt", "a.html"):
            path = Path(folder) / name
            path.write_text(f"A word {text}", encoding="utf-8", newline="")
            (document,), skeleton = Input().read(path, "en", "de")
            filled = skeleton.fill_and_report([document.translated(document.source)])
            assert filled.text == f"A word {text}"
            upper = [sentence.upper() for sentence in document.source]
            assert skeleton.fill_and_report([document.translated(upper)]).kept == 0


def test_messages_show_invisible_characters_by_their_numbers():
    assert printable("a\u00adb\u200bc\ufeff") == "a\\xadb\\u200bc\\ufeff"
    assert printable("lost: \u200d (2)") == "lost: \\u200d (2)"
