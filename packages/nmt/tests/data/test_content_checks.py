"""Numbers, symbols and addresses of translations."""

from __future__ import annotations

import lzma
from itertools import chain

import pytest

from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.translators.checks.content_checks import (
    differing_content,
    emptied_pairs,
    superfluous_words,
)

DIFFERENT = [
    ("The fee is £25.", "Die Gebühr ist §25.", "symbols", "£ became §"),
    ("+44 20 7946 0958", "+4 20 7946 0958", "numbers", "44 became 4"),
    ("on 12/31/2025", "am 12/31.2025", "symbols", "/ lost"),
    ("Version 2", "Version 3", "numbers", "2 became 3"),
    ("Write to a@b.org.", "Schreiben Sie an a@b.or.", "symbols", "a@b.org became a@b.or"),
    ("See https://a.org/x.", "Siehe dort.", "symbols", "https://a.org/x lost"),
    ("It is 20.", "Es ist.", "numbers", "20 lost"),
    ("A file", "500 Dateien", "numbers", "500 added"),
    ("a → b", "a b", "symbols", "→ lost"),
]

ALIKE = [
    ("1,000.50 m", "1.000,50 m"),
    ("10,000", "10 000"),
    ("2 files", "zwei Dateien"),
    ("Twelve files", "12 Dateien"),
    ("at 8:30, 9:00", "um 08:30, 9 Uhr"),
    ("50 % and 5 percent", "50 Prozent und 5 %"),
    ("Mail a@b.org.", "Schreiben Sie a@b.org!"),
    ("20,000", "2万"),
    ("well-known – x", "bekannt x"),
]


@pytest.mark.parametrize(("source", "target", "kind", "detail"), DIFFERENT)
def test_what_differs_is_found(source, target, kind, detail):
    assert (kind, detail) in list(differing_content(source, target))
    assert list(differing_content(source, source)) == []


@pytest.mark.parametrize(("source", "target"), ALIKE)
def test_what_languages_write_differently_is_the_same(source, target):
    assert list(differing_content(source, target)) == []
    assert list(differing_content(target, source)) == []


def test_references_of_manuals_hardly_differ():
    source, target = (
        lzma.decompress(corpus_file(f"manuals.{side}.xz").read_bytes()).decode().splitlines()
        for side in ("en", "de")
    )
    pairs = [pair for pair in zip(source, target, strict=True) if pair[0] != "<d>"]
    found = list(chain.from_iterable(differing_content(*pair) for pair in pairs))
    assert len(found) <= 0.005 * len(pairs)


@pytest.mark.parametrize(
    ("source", "target", "words", "superfluous"),
    [
        ("In a src/styles folder", "In einem Kon src-Ordner src/styles", ["src/styles"], ["src"]),
        ("Run npm run dev.", "Starten Sie npm run dev npm.", ["npm run dev"], ["npm"]),
        ("See a.b.", "Siehe a.b a.b.", ["a.b"], ["a.b"]),
        ("The src of src/a", "Das src von src/a", ["src/a"], []),
        ("Put it in doc/Datei.", "In doc/Datei.", ["doc/Datei"], []),
        ("Open it.", "Öffnen.", [], []),
    ],
)
def test_words_of_codes_are_as_often_as_in_the_source(source, target, words, superfluous):
    assert superfluous_words(source, target, words) == superfluous
    assert superfluous_words(source, source, words) == []


@pytest.mark.parametrize(
    ("source", "target", "emptied"),
    [
        ("Open the <b>file</b>.", "Öffnen Sie die <b></b>.", ["<b></b>"]),
        ("the file (old)", "die Datei ()", ["()"]),
        ("the “new” file", "die „“ Datei", ["„“"]),
        ("call f() now", "rufen Sie f() auf", []),
        ('a "b" "c"', '"b" "c" a', []),
    ],
)
def test_pairs_of_marks_are_not_emptied(source, target, emptied):
    assert emptied_pairs(source, target) == emptied
    assert emptied_pairs(source, source) == []
