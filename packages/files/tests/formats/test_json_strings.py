"""JSON files of strings: text is translated, and everything else stays."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files import Input
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.strings import json_strings


def read(folder, text, name="in.json", target=None):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return json_strings.read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def test_quotes_of_a_translation_are_escaped(tmp_path) -> None:
    documents, skeleton = read(tmp_path, '["one", "two"]')
    written = filled(documents, skeleton, lambda s: f'"{s}\\ \x07').text
    assert json.loads(written) == ['"one\\ \x07', '"two\\ \x07']


def test_keys_are_never_translated(tmp_path) -> None:
    documents, skeleton = read(tmp_path, '{"one" : {"two"\n: "three"}}')
    assert filled(documents, skeleton).text == '{"one" : {"two"\n: "THREE"}}'


def test_arb_names_its_new_language(tmp_path) -> None:
    text = '{"@@locale": "en", "@@x": "keep me", "title": "one"}'
    documents, skeleton = read(tmp_path, text, "app_en.arb", "pt-BR")
    expected = '{"@@locale": "pt_BR", "@@x": "keep me", "title": "ONE"}'
    assert filled(documents, skeleton).text == expected


def test_what_is_kept_though_it_may_be_text_is_counted(tmp_path) -> None:
    text = json.dumps(
        {
            "a": "foo_bar",
            "b": "logo.png",
            "c": "{n, choice, 0#no files|1#one file}",
            "d": "\ud800 x",
            "e": "one",
            "lang": "en",
            "f": "<a title='Read it' href='x'>two</a>",
        }
    )
    documents, skeleton = read(tmp_path, text)
    notes = filled(documents, skeleton).notes
    assert notes[1:] == (
        "2 strings taken for names in a program, and not translated: 'foo_bar', 'logo.png'",
        "1 string with half of a character (a lone surrogate) not translated",
        "the texts in 1 ICU message (plural, select, choice) not translated: translate them by "
        "hand",
        "1 attribute in the tags of strings (such as title or alt) not translated",
    )


def test_plural_forms_that_cannot_be_copied_are_noted(tmp_path) -> None:
    text = '{"file_one": "a file", "file_other": "files", "day": {"one": "x", "other": "y"}}'
    documents, skeleton = read(tmp_path, text, target="ru")
    note = "2 messages with plural forms: the target language (ru) also needs few, many"
    assert filled(documents, skeleton).notes[-1].startswith(note)
    documents, skeleton = read(tmp_path, text, target="de")
    assert len(filled(documents, skeleton).notes) == 1


def test_a_key_that_names_the_source_language_is_noted(tmp_path) -> None:
    documents, skeleton = read(tmp_path, '{"en": {"a": "one"}}')
    note = "the key 'en' names the source language, and is kept"
    assert filled(documents, skeleton).notes[-1] == note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": "x",,}', r"in\.json, line 1: is not valid JSON .*Fix this line"),
        ('{\n/* a comment\n"a": "x"}', r"in\.json, line 3: is not valid JSON"),
        ('{"a": "x"}\n{"a": "y"}\n', r"line 2: is not valid JSON .*name the file \.jsonl"),
        ('"one two"', "has a single value"),
        ("", "is not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": 1}', "has no text"),
    ],
)
def test_what_is_not_json_is_refused(tmp_path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_the_name_says_what_is_json_and_what_a_corpus(tmp_path) -> None:
    (tmp_path / "a.json").write_text('{"id": "a", "source": ["One. Two."]}')
    (tmp_path / "a.jsonl").write_text('{"id": "a", "source": ["One. Two."]}')
    assert Input().read(tmp_path / "a.json", "en")[0][0].source == ("a", "One.", "Two.")
    (document,), _ = Input().read(
        tmp_path / "a.jsonl", "en", read_corpus=lambda *_: ([Document("corpus", ("One.",))], None)
    )
    assert document.id == "corpus"


STRING = st.text(st.characters(exclude_characters="\0"), max_size=12) | st.sampled_from(
    ["One. Two", "a <b>c</b>", "{n} x", "x\n\ny", "it's", "a | b"]
)
VALUE = st.recursive(
    STRING | st.none() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRING, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150)
@given(VALUE, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_filled_with_its_source_a_file_is_as_it_was(
    tmp_path_factory, value, ascii_only, indent
) -> None:
    text = json.dumps(
        {"text": "some words", "value": value}, ensure_ascii=ascii_only, indent=indent
    )
    if not ascii_only and any("\ud800" <= c <= "\udfff" for c in text):
        return
    folder = tmp_path_factory.mktemp("json")
    documents, skeleton = read(folder, text)
    assert filled(documents, skeleton, str).text == text
    other = json.loads(filled(documents, skeleton, lambda s: f"{s}Ü\"'").text)

    def structure(value):
        if isinstance(value, dict):
            return {key: structure(item) for key, item in value.items()}
        if isinstance(value, list):
            return [structure(item) for item in value]
        return "" if isinstance(value, str) else repr(value)

    assert structure(other) == structure(json.loads(text))


@pytest.mark.by_default(2)
@pytest.mark.parametrize("unit", ['"a b",', '["a b",', '{"a":', '"\\ud83d\\ude00 x",', '"a\\n",'])
def test_reading_takes_linear_time(tmp_path, unit: str) -> None:
    count = 300 if unit[0] in "[{" else 4_000
    body = unit * count + '"x"' + "".join({"[": "]", "{": "}"}.get(unit[0], "") * count)
    start = time.process_time()
    read(tmp_path, body if unit[0] in "[{" else f"[{body}]")
    assert time.process_time() - start < 3


@pytest.mark.parametrize("name", ["en.json", "en.jsonc"])
def test_comments_and_commas_at_the_end_stay(tmp_path, name):
    text = '// it\'s "c"\n{"a": "one // two", /* "b": "no", */\r\n"c": ["x \\u00e9",],\n}\n'
    documents, skeleton = read(tmp_path, text, name)
    assert documents[0].source == ("one // two", "x é")
    assert filled(documents, skeleton).text == text.replace("one // two", "ONE // TWO").replace(
        "x \\u00e9", "X \\u00c9"
    )


def test_an_error_after_a_comment_has_its_line(tmp_path):
    with pytest.raises(InputError, match="line 3: is not valid JSON"):
        read(tmp_path, '{ // one\n"a": "b" /* two\n*/ "c": "d"}')
