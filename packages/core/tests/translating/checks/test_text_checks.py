"""Punctuation, spaces, tags, lengths and copies of texts beside their translations."""

from __future__ import annotations

import pytest

from docmt.translating.checks.acronym_checks import lost_acronyms
from docmt.translating.checks.copy_checks import copied_run, short_copies
from docmt.translating.checks.length_checks import unusual_lengths
from docmt.translating.checks.punctuation_checks import (
    ending_difference,
    lost_capital,
    punctuation_differences,
    space_differences,
)
from docmt.translating.checks.string_checks import (
    space_differences_of_strings,
    tag_differences,
    without_tags,
)

EN_DE = ("en", "de")


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("Save the file?", "Datei sichern.", "question mark became stop"),
        ("Loading…", "Laden", "dots became none"),
        ("Name:", "Name", "colon became none"),
        ("Aug.", "August", ""),
        ('It is "here."', "Es ist „hier“.", ""),
    ],
)
def test_the_mark_at_the_end_is_kept(source, target, found):
    assert ending_difference(source, target, "de") == found
    assert ending_difference(source, target, "th") == ""


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ('The page "Home" moved', "Die Seite „Start wurde verschoben",
         ["1 quotation marks instead of 2"]),
        ('The page "Home" moved', "Die Seite „Start“ wurde verschoben", []),
        ('Type "delete" now', "Escriba delete ahora", ["0 quotation marks instead of 2"]),
        ("The user's page", "Die Seite", []),
        ("It was paid, and sent", "Bezahlt,, und gesendet", [",, within the text"]),
        ("Are you sure? It moves.", "Sicher. Es zieht um.", ["? lost"]),
        ("Wait...", "Warten…", []),
        ("a 5\" disk", "eine Platte von 5 Zoll", []),
    ],
)  # fmt: skip
def test_marks_within_a_text_are_kept(source, target, found):
    assert list(punctuation_differences(source, target, "de")) == found


@pytest.mark.parametrize(
    ("language", "target", "found"),
    [
        ("de", "Wenn nicht , dann", ["a space before ','"]),
        ("fr", "Attention : oui", []),
        ("de", "Achtung : ja", ["a space before ':'"]),
        ("ru", "уже есть.Пожалуйста", ["no space after '.'"]),
    ],
)
def test_spaces_about_marks_are_those_of_the_language(language, target, found):
    assert list(space_differences("If not, then: yes. Please", target, language)) == found


@pytest.mark.parametrize(
    ("source", "target", "word"),
    [
        ("Save the file", "sichern Sie", "sichern"),
        ("IPv4 address", "IPv4-Adresse", ""),
        ("Cancel", "abbrechen", ""),
        ("Docutils is missing", "docutils fehlt", ""),
        ("The builder", "dummyビルダー", ""),
        ("WARNING: It is gone.", "Warnung: Es ist weg.", "Warnung"),
        ("WARNING: It is gone.", "WARNUNG: Es ist weg.", ""),
    ],
)
def test_a_lost_capital_is_seen(source, target, word):
    assert lost_capital(source, target) == word


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("Name: ", "Nome:", ["no space at the end"]),
        ("Name", " Nome", ["a space at the beginning"]),
        ("one\ntwo", "um dois", ["0 line breaks instead of 1"]),
        ("one two", "um  dois", ["a double space"]),
        ("one\ttwo", "um dois", ["0 tabs instead of 1"]),
        (" a\\nb ", " c\\nd ", []),
    ],
)
def test_spaces_and_line_breaks_of_strings_are_kept(source, target, found):
    assert list(space_differences_of_strings(source, target, "pt")) == found
    assert list(space_differences_of_strings(source, target.strip(), "ja")) == [
        each for each in found if "at the" not in each
    ]


def test_tags_of_strings_are_counted():
    assert list(tag_differences("a<br>b<h1>c</h1>", "a b<h1>c</h1>")) == ["<br> lost"]
    assert list(tag_differences("a <b>b</b>", "a <b>b")) == ["</b> lost"]
    assert list(tag_differences('<a href="x">b</a>', "<a href='x'>c</a>")) == []
    assert list(tag_differences('<a href="/en">b</a>', '<a href="/de">c</a>')) == [
        'href="/en" lost', 'href="/de" added']  # fmt: skip
    assert without_tags("<b>Name:</b>\\n") == "Name:"


def test_lengths_are_held_beside_those_of_the_file():
    pairs = [("x" * size, "y" * (size + size % 7)) for size in range(20, 80)]
    assert list(unusual_lengths(pairs)) == []
    cut = [*pairs, ("x" * 60, "y" * 20), ("x" * 20, "y" * 80)]
    assert [(i, kind) for i, kind, _ in unusual_lengths(cut)] == [
        (60, "too-short"),
        (61, "too-long"),
    ]
    assert list(unusual_lengths(cut[-2:-1])) == [(0, "too-short", "30% of the usual length")]
    assert list(unusual_lengths([("x" * 60, "你" * 22), ("Use a POS.", "使用 a POS。")])) == []


def test_short_copies_are_seen_where_the_file_or_the_words_say_so():
    pairs = [
        ("Roles", "Roles"),
        ("Delete the role", "Funktion löschen"),
        ("Expiry date", "Expiry date"),
        ("Sign in", "Sign in"),
        ("Blackfire", "Blackfire"),
        ("Blackfire is here", "Blackfire ist hier"),
        ("Open {name}", "Open {name}"),
    ]
    assert dict(short_copies(pairs, EN_DE)) == {
        0: "Roles is not translated",
        2: "date is not translated",
    }
    assert dict(short_copies(pairs, ("en", "pt")))[3] == "in is not translated"
    assert list(short_copies(pairs, ("en", "en-GB"))) == []


def test_copied_words_within_a_translation_are_seen():
    source = "Open the list of users and close it."
    assert copied_run(source, "Öffnen Sie the list of users.", EN_DE) == "the list of users"
    assert copied_run(source, "Öffnen Sie die Liste.", EN_DE) == ""


def test_lost_acronyms_are_seen_but_for_those_that_a_language_translates():
    pairs = [
        ("Export it as a CSV file.", "Als Datei exportieren."),
        ("The VAT is low.", "Die MWST ist niedrig."),
        ("The GIS field", "Das Feld"),
        ("A GIS is here", "Ein Informationssystem ist da"),
        ("This AND that", "Dies und das"),
        ("SAVE ALL NOW", "Jetzt sichern"),
    ]
    assert list(lost_acronyms(pairs, EN_DE)) == [(0, "CSV lost")]
