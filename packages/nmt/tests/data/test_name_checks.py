"""Names that translations have lost, with and without a corpus that says which words are names."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.runs.bundled import DEFAULT
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.translators.checks.name_checks import NameLearner, lost_names

BUNDLED = frozenset(SystemRun.load(DEFAULT).thresholds().translated_words.split())
NONE: frozenset[str] = frozenset()
EN_DE = ("en", "de")


def lost(source, target, languages=EN_DE, translated=BUNDLED):
    document = Document("a", tuple(source), tuple(target))
    return dict(lost_names(document, languages, translated))


@pytest.mark.parametrize(
    ("source", "target", "names"),
    [
        ("Astro processes your files.", "Die meisten Dateien.", "Astro"),
        ("Ask Emmeline now.", "Fragen Sie jetzt.", "Emmeline"),
        ("The guide is by Dr. Quimby.", "Der Leitfaden ist von Drücken.", "Quimby"),
        ("Open OmegaT and Zotero.", "Öffnen Sie Zotero.", "OmegaT"),
        ("Open Zotero and then Kdenlive.", "Öffnen Sie es.", "Zotero, Kdenlive"),
    ],
)
def test_a_name_in_no_form_in_the_translation_is_lost(source, target, names):
    assert lost([source], [target]) == {0: names}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Select Settings and then Save.", "Wählen Sie Einstellungen und dann Speichern."),
        ("Ask Emmeline now.", "Emmelines Rat hilft."),
        ("The Andréa file.", "Die ANDREA-Datei."),
        ("About the Bandlimited Thing", "Über das begrenzte Ding"),
        ("Yeah, open it.", "Ja, öffnen Sie es."),
        ("I think so.", "Ich glaube schon."),
        ("Unplug the device.", "Trennen Sie das Gerät."),
        ("A Zotero-based tool.", "Ein Werkzeug mit Zotero."),
        ("打开文件。", "Öffnen Sie die Datei."),
        ("", ""),
    ],
)
def test_a_word_that_is_translated_is_not_a_name(source, target):
    assert lost([source], [target]) == lost([target], [target]) == {}


def test_a_word_that_a_document_translates_each_time_is_not_a_name():
    source = ["Ask the Quaestor today."] * 3
    assert lost(source, ["Fragen Sie heute den Schatzmeister."] * 3) == {}
    assert lost(source[:2], ["Fragen Sie heute den Schatzmeister."] * 2) == dict.fromkeys(
        (0, 1), "Quaestor"
    )


def test_without_a_corpus_a_name_is_what_the_document_keeps_elsewhere():
    source = ["Ask Anna now.", "Anna knows it.", "Now tell Anna.", "Open the Window menu."]
    target = ["Fragen Sie Anna.", "Anna weiß es.", "Sagen Sie es.", "Öffnen Sie das Menü Fenster."]
    assert lost(source, target, translated=NONE) == {2: "Anna"}
    assert lost(source[1:], target[1:], translated=NONE) == {}


def test_without_a_corpus_mixed_case_is_a_name_unless_the_script_differs():
    assert lost(["Open OmegaT."], ["Öffnen Sie es."], translated=NONE) == {0: "OmegaT"}
    assert lost(["Open OmegaT."], ["Откройте его."], ("en", "ru"), NONE) == {}


@pytest.mark.parametrize("languages", [("zh", "en"), ("ar", "he"), ("ja", "zh"), ("xx", "yy")])
def test_languages_without_capitals_have_no_names(languages):
    assert lost(["打开文件。 افتح الملف", "漢字"], ["", "x"], languages, NONE) == {}


def test_a_corpus_that_translates_new_capitalized_words_knows_no_names():
    """As German does, whose nouns have capitals."""
    german, english = NameLearner("de"), NameLearner("en")
    for number in range(60):
        word = "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")
        german.add(f"Sie sehen das Ding{word} dort.", f"You see the thing {word[::-1]}x there.")
        english.add(f"You see Q{word} there.", f"Sie sehen Q{word} dort.")
    assert german.translated() == []
    assert english.translated() == ["see", "there", "you"]


@cache
def demo(split):
    """The documents of a split of the bundled corpus."""
    files = [corpus_file(f"{split}.{side}.xz") for side in ("en", "de")]
    return list(corpora.read(*files, boundaries="markers"))


@cache
def learned():
    """The words that the bundled corpus translates."""
    learner = NameLearner("en")
    for document in demo("train"):
        for pair in zip(document.source, document.target, strict=True):
            learner.add(*pair)
    return frozenset(learner.translated())


def test_right_translations_have_hardly_lost_a_name():
    found = [lost(each.source, each.target, translated=learned()) for each in demo("test")]
    assert sum(map(len, found)) <= 0.01 * sum(map(len, demo("test")))


def test_most_names_that_are_deleted_from_right_translations_are_found():
    """Each name in each sentence. The corpus has a pronoun in place of some, so that these are not
    names for sure."""
    tried = missed = 0
    for document in demo("test"):
        for index, (source, target) in enumerate(
            zip(document.source, document.target, strict=True)
        ):
            for name in ("Sāvatthī", "Ānanda", "Sāriputta", "Rājagaha", "Isipatana"):
                if f" {name}" in source and name in target:
                    damaged = [*document.target]
                    damaged[index] = target.replace(name, "")
                    names = lost(document.source, damaged, translated=learned())
                    tried, missed = tried + 1, missed + (name not in names.get(index, ""))
    assert tried > 20
    assert missed < 0.25 * tried


@given(st.text("bcdfghjklmnpqrstvwxz", min_size=5, max_size=12), st.booleans())
@example("zotero", False)
def test_a_new_name_is_found_where_it_is_lost_and_not_where_it_is_kept(name, inflected):
    name = name.capitalize()
    source = [f"Then ask {name} for the file."]
    kept = f"Fragen Sie dann {name}{'s Freund' if inflected else ''} nach der Datei."
    assert lost(source, [kept]) == {}
    assert lost(source, [kept.replace(name, "")]) in ({0: name}, {})
    assert lost(source, ["Fragen Sie."], translated=frozenset({"ask", "then"})) == {0: name}


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4), st.booleans())
def test_a_document_that_keeps_every_word_has_lost_no_name(source, known):
    assert lost(source, source, translated=BUNDLED if known else NONE) == {}
    document = Document("a", tuple(source), tuple("" for _ in source))
    for index, names in lost_names(document, ("en", "zh"), BUNDLED):
        assert all(name in source[index] for name in names.split(", "))
