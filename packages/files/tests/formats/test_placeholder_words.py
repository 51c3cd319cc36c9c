"""Protected codes that stay in the text of sentences as words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from docmt_files import BlockSkeleton, Input, word_spans
from docmt_files.core.inline import Code, Text
from docmt_files.core.protection.placeholders import (
    message_placeholders,
    placeholder_words,
    protect,
)

WORDS = [
    ("{0}", "{0}"),
    ("${name}", "${name}"),
    ("%s", "%s"),
    ("%(n)d", "%(n)d"),
    ("{{x}}", "{{x}}"),
    ("https://a.org/b_c", "https://a.org/b_c"),
    ("me@a.org", "me@a.org"),
    ("`a_b()`", "a_b()"),
    ("[[A b]]", "A b"),
    ("![[a]]", None),
    ("`` a`b ``", None),
    ("{n, plural, other {# b}}", None),
    ("<code>x</code>", None),
    ("<x id='1'/>", None),
]


@pytest.mark.parametrize(("code", "words"), WORDS)
def test_placeholders_addresses_and_code_spans_stand_for_words(
    code: str, words: str | None
) -> None:
    assert placeholder_words(code) == words


def read(tmp_path: Path, text: str, name: str = "a.md") -> BlockSkeleton:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    _, skeleton = Input().read(path, "en", "de")
    assert isinstance(skeleton, BlockSkeleton)
    return skeleton


def always(_: str, words: Sequence[str]) -> bool:
    return bool(words)


TEXT = "Click {0} to call `my_list()` or **write** to me_too@a.org, not {0}, please.\n"


def test_sentences_have_their_words(tmp_path: Path) -> None:
    skeleton = read(tmp_path, TEXT)
    (document,), kept = skeleton.keep_words([], always)
    text = "Click {0} to call my_list() or write to me_too@a.org, not {0}, please."
    assert document.source == (text,)
    (sentence,) = kept.sentences_of(document)
    assert sentence.protected == ("{0}", "my_list()", "me_too@a.org", "{0}")
    assert kept.fill([document.translated(document.source)]) == TEXT


def fill(skeleton: BlockSkeleton, target: str, can_keep: Any = always) -> str:
    (document,), kept = skeleton.keep_words([], can_keep)
    assert len(document) == 1
    return kept.fill([document.translated([target])])


def test_codes_go_where_the_words_are(tmp_path: Path) -> None:
    target = "Bitte an me_too@a.org write oder my_list(): {0}, {0}."
    filled = fill(read(tmp_path, TEXT), target)
    assert filled.count("{0}") == 2
    assert "me_too@a.org" in filled
    assert "`my_list()`: {0}, {0}." in filled
    assert filled.count("**") == 2


@pytest.mark.parametrize("target", ["Nun {a}{b} von {c} öffnen.", "Nun {a} {b} von {c} öffnen."])
def test_words_written_together_stay_together(tmp_path: Path, target: str) -> None:
    skeleton = read(tmp_path, "Open {a}{b} of {c} now.")
    assert fill(skeleton, target) == "Nun {a}{b} von {c} öffnen."


@pytest.mark.parametrize(
    "target", ["Nichts davon.", "{0} {0} {0} my_list() me_too@a.org", "{0}{0}", "", "my_list()"]
)
def test_words_that_are_missing_or_too_many_are_placed_as_codes(
    tmp_path: Path, target: str
) -> None:
    filled = fill(read(tmp_path, TEXT), target)
    assert filled.count("{0}") == 2
    assert filled.count("`my_list()`") == 1
    assert filled.count("me_too@a.org") == 1


def test_what_cannot_be_kept_is_taken_out(tmp_path: Path) -> None:
    skeleton = read(tmp_path, TEXT)
    (document,), kept = skeleton.keep_words([], lambda *_: False)
    assert kept == skeleton
    assert "{0}" not in document.source[0]


def test_a_word_that_stands_elsewhere_in_its_sentence_is_taken_out(tmp_path: Path) -> None:
    (document,), kept = read(tmp_path, "The list is a `list` here.\n").keep_words([], always)
    assert document.source == ("The list is a here.",)
    assert kept.sentences_of(document)[0].protected == ()


def test_sentences_without_such_codes_stay_as_they_are(tmp_path: Path) -> None:
    skeleton = read(tmp_path, "One **two** three. {n, plural, other {# x}} four\n")
    documents, kept = skeleton.keep_words([], always)
    assert kept == skeleton
    assert len(documents) == 1


def test_words_that_are_parts_of_each_other_are_told_apart(tmp_path: Path) -> None:
    skeleton = read(tmp_path, "From `a.b` to `a.b.c` and `x`.\n")
    assert skeleton.keep_words([], always)[0][0].source == ("From a.b to a.b.c and x.",)
    assert fill(skeleton, "Zu a.b.c von a.b, x.") == "Zu `a.b.c` von `a.b`, `x`.\n"


TARGET = "Now {a} to the file."


def test_only_a_lost_word_is_placed_by_alignment(tmp_path: Path) -> None:
    skeleton = read(tmp_path, "Copy {a} to the {b} file now.\n")
    (document,), kept = skeleton.keep_words([], always)
    target = document.translated([TARGET])

    def align(_, indices):
        assert list(indices) == [0]
        words = [[text[a:b] for a, b in word_spans(text)] for text in (TARGET, document.source[0])]
        return {0: [[float(one == other) for other in words[0]] for one in words[1]]}

    assert kept.fill_and_report([target], align).text == "Now {a} to the {b} file.\n"


def test_html_has_them_too(tmp_path: Path) -> None:
    skeleton = read(tmp_path, "<p>You have <b>%d files</b> in {folder} now.</p>\n", "a.html")
    (document,), kept = skeleton.keep_words([], always)
    assert document.source == ("You have %d files in {folder} now.",)
    filled = kept.fill([document.translated(["In {folder} sind jetzt %d Dateien."])])
    assert "In {folder} sind" in filled
    assert filled.count("%d") == 1


PATHS = [
    "./source",
    "../x.md",
    "~/notes/a.txt",
    "/usr/local/bin",
    "C:\\Users\\me",
    "./",
    "../../a-b/",
    "/users/{id}/files",
    "./${name}/a.txt",
    "/api/v1/{name}",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_stands_for_a_word(path):
    for text in (f"Put it in {path}.", f"({path}, now)", f"{path} is new"):
        parts = list(protect([Text(0, len(text), text)]))
        assert [text[p.start : p.end] for p in parts if isinstance(p, Code)] == [path]
    assert placeholder_words(path) == path


@pytest.mark.parametrize(
    "text", ["and/or", "km/h", "10/12/2024", "he/she/it", "one. / two", "... / x", "a: b", "5/6"]
)
def test_a_slash_in_prose_is_no_path(text):
    assert list(protect([Text(0, len(text), text)])) == [Text(0, len(text), text)]


@pytest.mark.parametrize("word", ["{0}MB", "{n}px", "{{size}}GB", "${time}ms", "-Xmx<size-in-MB>M"])
def test_a_unit_stays_with_its_placeholder(word):
    text = f"It has {word}; now."
    assert [text[slice(*span)] for span in message_placeholders(text)] == [word]
    assert placeholder_words(word) == word


def test_an_element_with_a_hyphen_is_no_placeholder():
    assert message_placeholders("Go to <my-link>the page</my-link>.") == []


def test_where_all_words_are_lost_the_spaces_of_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": "Read the {b}manual{/b} first."}')
    documents, skeleton = Input().read(path, "en", "de")
    (document,), skeleton = skeleton.keep_words(list(documents), always)
    assert isinstance(skeleton, BlockSkeleton)
    filled = skeleton.fill_and_report([document.translated(["Lies das Handbuch zuerst."])])
    without = filled.text.replace("{b}", "").replace("{/b}", "")
    assert without == '{"a": "Lies das Handbuch zuerst."}'
    assert (filled.text.count("{b}"), filled.text.count("{/b}")) == (1, 1)
