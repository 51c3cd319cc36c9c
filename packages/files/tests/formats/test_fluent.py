"""Fluent files. What others break: selectors that are not the first of a value, the indentation of
lines, comments, categories of the target language, and braces in a translation."""

from __future__ import annotations

import re

import pytest
from fluent.syntax import FluentParser, ast

from docmt_files.core.scopes import key_path, value_in_scopes
from docmt_files.strings import fluent
from formats.every_format import translated, write_sample
from formats.samples.fluent import SAMPLES

SAMPLE = SAMPLES["app.ftl"]
_KEPT = re.compile(r"(\{.*?\}|Pump Friends|\d(?:\.\d)?)")


def capital(sentence):
    """A sentence in capitals, with its placeables and the words that stand for them."""
    pieces = _KEPT.split(sentence)
    return "".join(piece if i % 2 else piece.upper() for i, piece in enumerate(pieces))


def read(folder, text, target=None):
    documents, skeleton = fluent.read(write_sample(folder, "a.ftl", text), "en", target)
    return skeleton.keep_words(documents, lambda *_: True)


def filled(folder, text, target=None, change=capital):
    documents, skeleton = read(folder, text, target)
    return skeleton.fill_and_report(translated(documents, change))


def test_text_is_replaced_and_the_rest_stays(tmp_path):
    report = filled(tmp_path, SAMPLE)
    assert report.kept == 0
    assert report.text.lower() == SAMPLE.lower()
    for kept in (
        "# A license",
        "\n    .accesskey = W\n",
        ".gender = masculine",
        "this is no message",
    ):
        assert kept in report.text
    for new in (
        "title = WELCOME TO { -brand-name }\n",
        "    .tooltip = OPEN THE { $name } MENU\n",
        ' TEXT. SEE <b>ALL { $name }</b>.\n\n      ANOTHER PARAGRAPH { "{" }HERE{',
        "        [0] ARE NO FILES\n",
        "    } TODAY.\n",
        "last = THE END",
    ):
        assert new in report.text
    assert "1 entry not valid in Fluent, and left as before; the first at line 37" in report.notes
    assert "1 term with the name of a brand not translated" in report.notes
    assert any(note.startswith("1 attribute with keys") for note in report.notes)


def test_a_term_and_a_number_stand_as_words_in_a_sentence(tmp_path):
    documents, _ = read(tmp_path, SAMPLE, "ru")
    assert documents[0].source[:3] == (
        "Welcome to Pump Friends",
        "Open the {name} menu",
        "The friends of pumps",
    )
    assert [s for s in documents[0].source if "cat" in s][:4] == [
        "His 1 cat",
        "His 2 cats",
        "His 5 cats",
        "His 1.5 cats",
    ]


def variants(text, name):
    """The variants of each select expression of a message, with their texts."""
    entries = FluentParser().parse(text).body
    (entry,) = (e for e in entries if isinstance(e, ast.Message) and e.id.name == name)
    found = [e.expression for e in entry.value.elements if isinstance(e, ast.Placeable)]
    return [
        {v.key.name if hasattr(v.key, "name") else v.key.value: v for v in each.variants}
        for each in found
        if isinstance(each, ast.SelectExpression)
    ]


@pytest.mark.parametrize(
    ("target", "files", "place"),
    [
        ("de", ["0", "one", "other"], ["other"]),
        ("ru", ["0", "one", "few", "many", "other"], ["other"]),
        ("ja", ["0", "other"], ["other"]),
        ("ar", ["0", "zero", "one", "two", "few", "many", "other"], ["other"]),
    ],
)
def test_selectors_have_the_categories_of_the_target_language(tmp_path, target, files, place):
    text = filled(tmp_path, SAMPLE, target).text
    (found,) = variants(text, "files")
    assert set(found) == set(files)
    assert [name for name, variant in found.items() if variant.default] == ["other"]
    (found,) = variants(text, "place")
    assert list(found) == place
    junk = [e for e in FluentParser().parse(text).body if isinstance(e, ast.Junk)]
    assert len(junk) == 1


def test_a_form_has_the_word_of_its_number(tmp_path):
    text = "a = { $n ->\n    [one] { $n } file\n   *[other] { $n } files\n}\n"
    polish = {"1 file": "1 plik", "2 files": "2 pliki", "5 files": "5 plików"}
    report = filled(tmp_path, text, "pl", lambda s: polish.get(s, "1.5 pliku"))
    assert report.text == (
        "a = { $n ->\n    [one] { $n } plik\n    [few] { $n } pliki\n    [many] { $n } plików\n"
        "   *[other] { $n } pliku\n}\n"
    )


def test_lines_of_a_paragraph_are_one_sentence(tmp_path):
    text = "a =\n    A text that is wrapped after forty characters or\n    so. It goes on.\n"
    documents, _ = read(tmp_path, text)
    assert documents[0].source == (
        "A text that is wrapped after forty characters or so.",
        "It goes on.",
    )
    assert filled(tmp_path, text).text == text[:3] + text[3:].upper()


@pytest.mark.parametrize("target", [".b = c", "[one] c", "*[other] c", "a { $b } c", "a } c"])
def test_a_translation_that_would_be_syntax_is_not_written(tmp_path, target):
    text = "a =\n    One word\nb = Two words\n"
    report = filled(tmp_path, text, change={"One word": target, "Two words": "Zwei"}.get)
    assert report.text == "a =\n    One word\nb = Zwei\n"
    assert report.kept == 1


def test_a_message_has_its_name_and_comments(tmp_path):
    _, skeleton = read(tmp_path, SAMPLE)
    (scope,) = skeleton.found.blocks[0].scopes
    assert key_path(scope) == "title"
    assert value_in_scopes(scope, "note") == "The title of the window"
    assert key_path(skeleton.found.blocks[1].scopes[0]) == "title.tooltip"
