"""Running text: sentences are found, and everything around them stays."""

from __future__ import annotations

import io
import re
import sys
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_files.core.inline import Text
from docmt_files.core.protection.placeholders import protect
from docmt_files.text import running
from tables import rows

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    | st.sampled_from('  \n\n..!?。"-1)aB他她')
)


def read(tmp_path, text, language="en"):
    path = tmp_path / "in.txt"
    path.write_text(text, encoding="utf-8", newline="\n")
    return running.read(path, language, plain_text=True)


def filled(documents, skeleton, change=lambda sentence: sentence):
    (document,) = documents
    return skeleton.fill([document.translated([change(s) for s in document.source])])


TABLE = rows("formats/contracts/running.yaml")


@pytest.mark.parametrize(("text", "sentences", "expected"), TABLE)
def test_structure_stays(tmp_path, text, sentences, expected):
    documents, skeleton = read(tmp_path, text)
    assert documents[0].id == str(tmp_path / "in.txt")
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, lambda sentence: f"[{sentence}]") == expected


ON_FOOT = "和她的朋友们在下了一整天的大雨之后沿着那条小河慢慢地"
"""So a line is as long as wrapped lines are."""


def test_chinese_needs_no_spaces(tmp_path):
    documents, skeleton = read(tmp_path, f"他来了。她{ON_FOOT}走\n了！\n真的吗？\n", "zh")
    assert documents[0].source == ("他来了。", f"她{ON_FOOT}走了！", "真的吗？")
    assert (
        filled(documents, skeleton, lambda s: s + "x")
        == f"他来了。x 她{ON_FOOT}走了！x\n真的吗？x\n"
    )
    others = dict(zip(documents[0].source, ["她来了。", "他走了！", "真的？"], strict=True))
    assert filled(documents, skeleton, others.get) == "她来了。他走了！\n真的？\n"
    english = dict(zip(documents[0].source, ["He came.", "She left!", "Really?"], strict=True))
    assert filled(documents, skeleton, english.get) == "He came. She left!\nReally?\n"


def test_english_into_chinese_loses_its_spaces(tmp_path):
    documents, skeleton = read(tmp_path, "He came. She left!\n")
    chinese = dict(zip(documents[0].source, ["他来了。", "她走了！"], strict=True))
    assert filled(documents, skeleton, chinese.get) == "他来了。她走了！\n"


def test_an_empty_translation_leaves_one_space(tmp_path):
    documents, skeleton = read(tmp_path, "One. Two. Three.\n")
    assert skeleton.fill([documents[0].translated(["Eins.", "", "Drei."])]) == "Eins. Drei.\n"


def _letters(text):
    """A text without white space, invisible characters, hyphens, ligatures and brackets."""
    return re.sub(
        r"[\s\[\]\u2010-]",
        "",
        "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf"),
    )


def _has_words(text):
    """Whether a text has a letter or digit outside placeholders and addresses."""
    parts = protect([Text(0, len(text), text)])
    return any(c.isalnum() for part in parts if isinstance(part, Text) for c in part.text)


@given(TEXT, st.sampled_from(["en", "de", "zh", "xx"]))
@example("{0}", "en")
def test_filled_with_its_source_a_file_is_the_same(tmp_path_factory, text, language):
    folder = tmp_path_factory.mktemp("running")
    if not _has_words(text):
        with pytest.raises(InputError, match="has no text"):
            read(folder, text, language)
        return
    documents, skeleton = read(folder, text, language)
    assert filled(documents, skeleton) == text
    marked = filled(documents, skeleton, lambda sentence: f"[{sentence}]")
    count = sum(text.count(mark) for mark in "[]")
    assert sum(marked.count(mark) for mark in "[]") == count + 2 * len(documents[0])
    assert _letters(marked) == _letters(text)
    for sentence in documents[0].source:
        assert sentence == sentence.strip()
        assert "\n" not in sentence


def test_standard_input_is_read(monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(b"Eins. Zwei."))
    monkeypatch.setattr(sys, "stdin", stdin)
    documents, _ = running.read("-", "de")
    assert documents[0].id == "standard input"
    assert documents[0].source == ("Eins.", "Zwei.")


@pytest.mark.parametrize("text", ["", " \n", "-----\n\n***\n"])
def test_a_file_without_a_word_is_an_error(tmp_path, text):
    with pytest.raises(InputError, match=r"in\.txt: has no text"):
        read(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt: no such file"):
        running.read(tmp_path / "none.txt", "en")


def test_addresses_and_placeholders_are_words_that_stay(tmp_path):
    text = "Write to help@example.com, or see https://example.com/a_b. Done %d files.\n"
    documents, skeleton = read(tmp_path, text)
    documents, skeleton = skeleton.keep_words(documents, lambda *_: True)
    assert [sentence.protected for sentence in skeleton.sentences_of(documents[0])] == [
        ("help@example.com", "https://example.com/a_b"),
        ("%d",),
    ]
    assert filled(documents, skeleton) == text


def parts(text):
    """The parts of a text in order, codes in brackets with their kind."""
    _, skeleton = running.read_text(text, "en")
    return [
        part.text if isinstance(part, Text) else f"[{part.kind} {text[part.start : part.end]}]"
        for block in skeleton.found.blocks
        for part in block.parts
        if part.end > part.start
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Press <b>Save</b> now.", ["Press ", "[open <b>]", "Save", "[close </b>]", " now."]),
        ("<0>Hi</0> there", ["[open <0>]", "Hi", "[close </0>]", " there"]),
        ('See <a href="x">it</a>.', ["See ", '[open <a href="x">]', "it", "[close </a>]", "."]),
        ("One<br>two<!-- no -->", ["One", "[void <br>]", "two", "[void <!-- no -->]"]),
        ("Run <code>make it</code>!", ["Run ", "[protected <code>make it</code>]", "!"]),
        ("Copy <file> to <place>.", None),
        ("See <b>this.", ["See ", "[void <b>]", "this."]),
        ("A vector<int> if x < y and z > w", ["A vector<int> if x < y and z > w"]),
        ("x <y and z> w", ["x <y and z> w"]),
        ("I <3 you, all < 3>", ["I <3 you, all < 3>"]),
    ],
)
def test_tags_of_plain_text_are_codes(text, expected):
    if expected is None:
        expected = ["Copy ", "[protected <file>]", " to ", "[protected <place>]", "."]
    assert parts(text) == expected
    documents, skeleton = running.read_text(text, "en")
    assert filled(documents, skeleton) == text


def test_a_pair_of_tags_may_go_over_lines():
    assert parts("a <i>b\nc</i> d") == [*("a ", "[open <i>]", "b", " ", "c", "[close </i>]", " d")]


def test_tags_go_around_the_words_that_translate_theirs():
    documents, skeleton = running.read_text("Press <b>Save</b> now.", "en")
    assert documents[0].source == ("Press Save now.",)
    done = [documents[0].translated(["Agora carregue Save."])]
    assert skeleton.fill(done) == "Agora carregue <b>Save</b>."


def test_a_file_may_begin_with_a_tag_of_a_word(tmp_path):
    (tmp_path / "note.txt").write_text("<b>Note</b> that it is hot.\n")
    documents, _ = running.read(tmp_path / "note.txt", "en")
    assert documents[0].source == ("Note that it is hot.",)


def test_many_open_tags_take_linear_time():
    text = "<a " * 60_000 + "<b x='" * 20_000 + "end"
    began = time.process_time()
    parts(text)
    assert time.process_time() - began < 10
