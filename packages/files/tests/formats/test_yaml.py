"""YAML files of strings: text is translated in every style, and everything else stays."""

from __future__ import annotations

import io
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from docmt_files import Input
from docmt_files.base.errors import InputError


def read(folder, text, name="en.yml", target=None):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return Input().read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    made = skeleton.fill_and_report([document.translated([change(s) for s in document.source])])
    return made.data.decode()


TABLE = [
    # YAML, sentences, the file filled with the sentences in upper case
    ("a: one two # no\n", ["one two"], "a: ONE TWO # no\n"),
    ("a: &b one\nc: *b\nd: {<<: *b}\n", ["one"], "a: &b ONE\nc: *b\nd: {<<: *b}\n"),
    ("a: 'it''s'\nb: \"x \\\"y\\\"\"\n", ["it's", 'x "y"'], "a: 'IT''S'\nb: \"X \\\"Y\\\"\"\n"),
    ('a: "caf\\u00e9 \\U0001F600 \\xe9"\n', ["café 😀 é"], 'a: "CAFÉ 😀 É"\n'),
    ("a: |\n  one\n\n  two\n", ["one", "two"], "a: |\n  ONE\n\n  TWO\n"),
    ("a: >-\n  one\n  two.\n\n  Three\n", ["one two.", "Three"], "a: >-\n  ONE TWO.\n\n  THREE\n"),
    ("a: |2-\n    one\nb: c d\n", ["one", "c d"], "a: |2-\n    ONE\nb: C D\n"),
    ("a: one\n  two\nb: 12\nc: ~\nd: 2020-01-01\n", ["one two"], None),
    ("- a b\n- [c d, e f]\n- ? g\n  : h i\n", ["a b", "c d", "e f", "h i"], None),
    ("a: !ruby/sym b c\nd: !!str e f\ng: !!binary aGVsbG8=\n", ["e f"], None),
    ("---\r\na: b c\r\n...\r\n---\r\nd: e f\r\n", ["b c", "e f"], None),
    ("id: Read more\ntranslation: read it\nlang: en\nicon: a/b.png\n", ["read it"], None),
    ('date: "%Y-%m-%d"\norder: [:year, :month]\nunit: "%n %u"\nx: y z\n', ["y z"], None),
    ("a: x %{n} of\n", ["x of"], "a: X %{n} OF\n"),
]


@pytest.mark.parametrize(("text", "sentences", "expected"), TABLE)
def test_strings_of_every_style_are_translated_and_the_rest_stays(
    tmp_path, text, sentences, expected
):
    documents, skeleton = read(tmp_path, text)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str) == text
    if expected is not None:
        assert filled(documents, skeleton) == expected


@pytest.mark.parametrize(
    ("translation", "written"),
    [
        ("eins zwei", "eins zwei"),
        ("nein, danke - ja", "nein, danke - ja"),
        ("a:b", "a:b"),
        ("Letzte Prüfung: heute", "'Letzte Prüfung: heute'"),
        ("Nr. 5 #1", "'Nr. 5 #1'"),
        ("Ja", "Ja"),
        ("No", "'No'"),
        ("null", "'null'"),
        ("12", "'12'"),
        ("- eins", "'- eins'"),
        ("&copy; l'an", '"&copy; l\'an"'),
        ("ein\x07 zwei", '"ein\\x07 zwei"'),
    ],
)
def test_a_plain_string_gets_quotation_marks_only_where_yaml_needs_them(
    tmp_path, translation, written
):
    text = "a: one two\nb: 'x y'\n"
    documents, skeleton = read(tmp_path, text)
    new = filled(documents, skeleton, lambda s: translation if s == "one two" else s)
    assert new == f"a: {written}\nb: 'x y'\n"


def test_a_placeholder_that_comes_to_the_beginning_is_quoted(tmp_path):
    documents, skeleton = read(tmp_path, "a: deleted %{type} now\n")
    documents, skeleton = skeleton.keep_words(documents, lambda *_: True)
    assert documents[0].source == ("deleted %{type} now",)
    assert filled(documents, skeleton, lambda _: "%{type} jetzt gelöscht") == (
        'a: "%{type} jetzt gelöscht"\n'
    )


@settings(max_examples=60, deadline=None)
@given(
    st.text(min_size=1, max_size=12).map(lambda s: " ".join(s.split())).filter(str.strip),
    st.sampled_from(["a: one two\n", "a: [one two, c]\n", "{a: one two}\n", "- one two\n"]),
)
def test_any_translation_is_read_back_by_yaml(tmp_path_factory, translation, text):
    folder = tmp_path_factory.mktemp("yaml")
    documents, skeleton = read(folder, text)
    new = filled(documents, skeleton, lambda _: translation)
    if new == text:
        return
    for version in ("1.1", "1.2"):
        yaml = YAML(typ="safe", pure=True)
        yaml.version = version
        value = yaml.load(io.StringIO(new))
        value = value["a"] if isinstance(value, dict) else value
        assert (value[0] if isinstance(value, list) else value) == translation


@pytest.mark.parametrize(
    ("key", "target", "new"),
    [
        ("en", "de", "de"),
        ("en", "no", '"no"'),
        ("en_GB", "pt-BR", "pt_BR"),
        ("'en-US'", "zh_Hant", "'zh-Hant'"),
        ("fr", "de", "fr"),
        ("entry", "de", "entry"),
    ],
)
def test_the_outermost_key_names_the_new_language(tmp_path, key, target, new):
    documents, skeleton = read(tmp_path, f"# en: x\n{key}:\n  a: one\n", target=target)
    assert filled(documents, skeleton) == f"# en: x\n{new}:\n  a: ONE\n"


PLURALS = (
    "en:\n  n:\n    one: One file  # x\n    other: '%{n} files'\n  m: {one: a b, other: c d}\n"
)


def test_the_plural_forms_of_the_target_language_are_added(tmp_path):
    documents, skeleton = read(tmp_path, PLURALS, target="ru")
    assert filled(documents, skeleton) == (
        "ru:\n  n:\n    one: ONE FILE  # x\n    other: '%{n} FILES'\n    few: '%{n} FILES'\n"
        "    many: '%{n} FILES'\n  m: {one: A B, other: C D, few: C D, many: C D}\n"
    )
    (note,) = skeleton.found.kept
    assert note.startswith("2 messages with plural forms")


def test_a_language_with_the_same_plural_forms_gets_none(tmp_path):
    documents, skeleton = read(tmp_path, PLURALS, target="de")
    assert filled(documents, skeleton, str) == PLURALS.replace("en:", "de:", 1)
    assert not skeleton.found.kept


def test_a_word_that_may_be_a_truth_value_is_kept_with_a_note(tmp_path):
    documents, skeleton = read(tmp_path, "a: Yes\nb: one two\nc: true\n")
    assert documents[0].source == ("one two",)
    assert skeleton.found.kept[0].startswith("1 word such as yes or no")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: one\n b: two\n", "line 2: is not valid YAML"),
        ("a: [one\n", "is not valid YAML"),
        ("a: one\x02\n", r"line 1: has a character that YAML does not allow \(U\+0002\)"),
        ("Only one sentence.\n", "has a single value"),
        ("a: " + "[" * 300 + "]" * 300, "more than 250 lists and tables"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_aliases_are_never_expanded(tmp_path):
    lines = ["a0: &a0 [one two]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    started = time.process_time()
    documents, _ = read(tmp_path, "\n".join(lines))
    assert documents[0].source == ("one two",)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("en:\n  a:\n    b: one\n  c: [two]\n", ["a.b", "c.0"]),
        ("pt-BR: {a: one}\n", ["a"]),
        ("app: {a: one}\n", ["app.a"]),
        ("en: {a: one}\nde: {a: two}\n", ["en.a", "de.a"]),
        ("en: one\n", ["en"]),
    ],
)
def test_keys_are_those_of_a_program_without_the_language(tmp_path, text, keys):
    (document,), skeleton = read(tmp_path, text)
    assert [s.key for s in skeleton.sentences_of(document)] == keys
