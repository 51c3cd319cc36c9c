"""Sentences in capitals are translated in lower case, and their translations have capitals."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docmt_nmt
from docmt.output import Output
from docmt.translating import TextRequest, translate_files, translate_texts
from docmt.translating.capitals import Capitals, is_in_capitals
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators import Translator, planned

WORDS = {"OPEN", "THE", "FILE", "CONCLUSION", "SAVE", "AND", "ΑΡΧΕΙΟ", "DOSYA", "ÖFFNEN", "ABOUT"}


def capitals(*sentences, languages=("en", "de")):
    return Capitals.of(sentences, languages, WORDS.__contains__)


def test_a_small_ß_is_between_capitals():
    assert is_in_capitals("DIE GRÖßE") and not is_in_capitals("Größe") and not is_in_capitals("ß")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("CONCLUSION", "Conclusion"),
        ("OPEN THE FILE", "Open the file"),
        ("1. OPEN THE FILE!", "1. Open the file!"),
        ("SAVE THE PDF", "Save the PDF"),
        ("SAVE A FILE AND THE UNUSUAL MP3", "Save a file and the unusual MP3"),
        ("THE NASA FILE", "The NASA file"),
        ("NASA", "NASA"),
        ("JSON API", "JSON API"),
        ("HELP", "Help"),
        ("OPEN the FILE", "OPEN the FILE"),
        ("Open the file", "Open the file"),
        ("A", "A"),
        ("5", "5"),
        ("文件", "文件"),
    ],
)
def test_words_are_in_lower_case_and_acronyms_are_not(sentence, expected):
    found = capitals("It can help.", "Our NASA mission.").lowered(sentence)
    assert found == expected and len(found) == len(sentence)


def test_kept_words_stay():
    made = capitals()
    assert (
        made.lowered("OPEN {name} AND ./SaveD", ["{name}", "./SaveD"]) == "Open {name} and ./SaveD"
    )
    assert made.raised("{name} und ./SaveD öffnen", ["{name}", "./SaveD"]) == (
        "{name} UND ./SaveD ÖFFNEN"
    )


@pytest.mark.parametrize(
    ("language", "translation", "expected"),
    [
        ("de", "Straße öffnen", "STRASSE ÖFFNEN"),
        ("tr", "dizin ısı", "DİZİN ISI"),
        ("el", "Άνοιγμα αρχείου ή μαΐου", "ΑΝΟΙΓΜΑ ΑΡΧΕΙΟΥ Ή ΜΑΪΟΥ"),
        ("fr", "Été", "ÉTÉ"),
        ("ja", "ファイル", "ファイル"),
    ],
)
def test_capitals_are_of_the_target_language(language, translation, expected):
    assert capitals(languages=("en", language)).raised(translation) == expected


def test_turkish_sources_have_two_kinds_of_i():
    made = Capitals.of([], ("tr", "en"), lambda _: True)
    assert made.lowered("DİZİN ISI") == "Dizin ısı"


@given(st.text(), st.lists(st.text(min_size=1), max_size=2))
def test_any_sentence_has_its_length_and_letters(sentence, kept):
    made = Capitals.of([], ("en", "de"), lambda _: True)
    found = made.lowered(sentence, kept)
    assert len(found) == len(sentence)
    assert found == sentence or is_in_capitals(found.upper())


@dataclass(frozen=True)
class Answering(Translator):
    """A translator without attention, such as a language model."""

    languages = ("en", "de")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        made = []
        for document in planned(self, request).request.documents:
            made.append(Translation.of(document.id, document.source, document.source))
        return made


def test_other_translators_read_capitals():
    (found,) = translate_texts(Answering(), TextRequest(("OPEN THE FILE",)))
    assert found.sentences[0].source == "OPEN THE FILE"


@pytest.fixture(scope="module")
def translator():
    return docmt_nmt.load()


def test_a_text_in_capitals_is_translated_into_capitals(translator):
    text = "OPEN THE FILE\n\nOpen the file\n\nHTML"
    (found,) = translate_texts(translator, TextRequest((text,)))
    first, second, third = found.text.split("\n\n")
    assert first == second.upper() != "OPEN THE FILE" and third == "HTML"
    assert [pair.source for pair in found.sentences] == text.split("\n\n")
    assert [pair.target for pair in found.sentences] == [first, second, third]


def test_codes_and_other_outputs_have_the_capitals(translator, tmp_path):
    (tmp_path / "a.html").write_text("<p>OPEN THE <b>FILE</b> <code>x_y</code></p><p>{n} FILES</p>")
    source = str(tmp_path / "a.html")
    for name, kind in (("b.html", "same"), ("b.jsonl", "jsonl")):
        translate_files(translator, [source], [str(tmp_path / name)], form=Output(kind))
    page = (tmp_path / "b.html").read_text()
    assert "<b>DATEI</b>" in page and "<code>x_y</code>" in page and "{n}" in page
    shown = json.loads((tmp_path / "b.jsonl").read_text())
    assert shown["source"][0].startswith("OPEN THE FILE")
    assert shown["target"][0].replace("x_y", "").isupper()
