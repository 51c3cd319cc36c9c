"""The texts in ICU messages. What others break: names of branches that are translated, `#` that is
lost, categories of the source language, apostrophes that begin to quote."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_files.strings import java_properties, json_strings
from formats.every_format import translated
from tables import rows

FILES = "{n, plural, one {# file} other {# files}}"


def read(folder, message, target=None, suffix=".json"):
    path = folder / f"in{suffix}"
    text = json.dumps({"key": message}) if suffix == ".json" else f"key={message}\n"
    path.write_text(text, encoding="utf-8")
    module = json_strings if suffix == ".json" else java_properties
    documents, skeleton = module.read(path, "en", target)
    return skeleton.keep_words(documents, lambda *_: True)


def filled(documents, skeleton, change):
    text = skeleton.fill(translated(documents, change))
    return json.loads(text)["key"] if text.startswith("{") else text[4:-1]


TABLE = rows("formats/contracts/message_branches.yaml")


@pytest.mark.parametrize(("message", "target", "sentences", "capitals"), TABLE)
def test_branches_are_translated_with_the_categories_of_the_target_language(
    tmp_path, message, target, sentences, capitals
):
    documents, skeleton = read(tmp_path, message, target)
    assert list(documents[0].source) == sentences
    in_braces = re.compile(r"\{\w+\}")

    def capital(sentence):
        names = iter(in_braces.findall(sentence))
        return in_braces.sub(lambda _: next(names), sentence.upper())

    assert filled(documents, skeleton, capital) == capitals
    if target is None:
        assert filled(documents, skeleton, str) == message


def test_a_form_has_the_word_of_its_number(tmp_path):
    documents, skeleton = read(tmp_path, FILES, "pl")
    polish = {"1 file": "1 plik", "2 files": "2 pliki", "5 files": "5 plików"}
    assert filled(documents, skeleton, lambda s: polish.get(s, s.replace("files", "pliku"))) == (
        "{n, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}"
    )


@pytest.mark.parametrize("suffix", [".json", ".properties"])
def test_an_apostrophe_before_a_brace_or_a_number_does_not_quote(tmp_path, suffix):
    documents, skeleton = read(tmp_path, "{n, plural, other {Names of # files}}", "fr", suffix)
    message = filled(documents, skeleton, lambda _: "l'un d'2 noms d'")
    expected = {".json": "l'un d’# noms d’", ".properties": "l''un d''# noms d''"}[suffix]
    assert message.endswith(f"other {{{expected}}}}}")


def test_a_translation_that_would_break_a_message_is_not_written(tmp_path):
    documents, skeleton = read(tmp_path, FILES, "de")
    report = skeleton.fill_and_report(translated(documents, lambda s: f"{s} }} {{"))
    assert json.loads(report.text)["key"] == FILES
    assert report.kept == 2


def test_after_a_string_that_is_kept_the_others_are_translated(tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps({"a": FILES, "b": "Open it", "c": FILES.replace("file", "page")}))
    documents, skeleton = json_strings.read(path, "en", "de")
    change = {"file": "} }", "files": "} }"}
    text = skeleton.fill(translated(documents, lambda s: change.get(s, s.upper())))
    strings = json.loads(text)
    assert strings["a"] == FILES
    assert strings["b"] == "OPEN IT"
    assert strings["c"] == "{n, plural, one {# PAGE} other {# PAGES}}"


def test_messages_of_another_form_are_counted(tmp_path):
    choice = "{n, choice, 0#no files|1#one file}"
    message = f"Open {{n, plural, one {{a}} other}} or {choice} {{g, select, other {{x {choice}}}}}"
    documents, skeleton = read(tmp_path, message, "de")
    report = skeleton.fill_and_report(translated(documents, str.upper))
    assert any(note.startswith("the texts in 3 ICU messages") for note in report.notes)


def test_no_branch_is_lost_where_two_have_a_name(tmp_path):
    message = "{n, plural, one {a cat} one {the cat} other {cats}}"
    documents, skeleton = read(tmp_path, message, "ja")
    assert filled(documents, skeleton, str) == message


def test_a_file_that_forms_would_make_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("docmt_files.strings.message_branches.MAX_CHARACTERS", 60)
    with pytest.raises(InputError, match=r"in\.json.*plural forms of ar"):
        read(tmp_path, FILES, "ar")


WORDS = st.sampled_from(["a file", "the cat's {name}", "# days", "It''s {n}", " <b>new</b> "])


def messages(inner):
    plural = st.builds("{{n, plural, =0{{{0}}} one{{{1}}} other {{{2}}}}}".format, *[inner] * 3)
    select = st.builds("{{g, select, male {{{0}}}\n other{{{1}}}}}".format, inner, inner)
    return st.lists(st.one_of(WORDS, plural, select), min_size=1, max_size=3).map(" ".join)


def names_in(message):
    return re.findall(r"[{,]\s*(n|g|name)\b|(=0|one|few|many|other|male)\s*\{", message)


@given(st.recursive(WORDS, messages, max_leaves=8), st.sampled_from([None, "de", "ru", "ja"]))
def test_any_message_keeps_its_branches_and_arguments(tmp_path_factory, message, target):
    folder = tmp_path_factory.mktemp("message")
    documents, skeleton = read(folder, f"The end {message}", target)
    before = json.loads(skeleton.text)["key"]
    assert target is not None or before == f"The end {message}"
    assert filled(documents, skeleton, str) == before
    after = filled(documents, skeleton, lambda s: s.replace("a", "e"))
    assert sorted(names_in(after)) == sorted(names_in(before))
    assert after.count("#") == before.count("#")
