"""Words that come out as they go in, as placeholders."""

from __future__ import annotations

from docmt.engines.placeholders import Placeholders, can_be_placeholders


def test_words_become_placeholders_and_come_back():
    sentence = Placeholders.of("Copy {0} from {1} to {0}.", ["{0}", "{1}", "{0}"])
    assert sentence.text == "Copy ⟦1⟧ from ⟦2⟧ to ⟦3⟧."
    assert sentence.words == {"⟦1⟧": "{0}", "⟦2⟧": "{1}", "⟦3⟧": "{0}"}
    target = "Aus ⟦2⟧ ⟦1⟧ nach ⟦ 3 ⟧ kopieren."
    assert not list(sentence.faults(target))
    assert sentence.restore(target) == "Aus {1} {0} nach {0} kopieren."


def test_each_must_be_there_once_and_no_other():
    sentence = Placeholders.of("Copy {0} to {1}.", ["{0}", "{1}"])
    assert list(sentence.faults("Kopieren nach ⟦2⟧.")) == ["⟦1⟧ is missing"]
    assert list(sentence.faults("⟦1⟧ nach ⟦2⟧ und ⟦2⟧.")) == ["⟦2⟧ occurs too often"]
    assert list(sentence.faults("⟦1⟧ nach ⟦2⟧ ⟦3⟧")) == ["⟦3⟧ is not in the sentence"]
    assert sentence.restore("⟦1⟧ nach ⟦2⟧ ⟦3⟧") == "{0} nach {1} "
    assert sentence.restore("⟦1⟧ ⟦3⟧ nach ⟦2⟧⟦") == "{0} nach {1}"
    assert list(sentence.faults("⟦1⟧ nach ⟦2⟧⟦")) == ["a placeholder is damaged"]


def test_the_word_itself_may_be_written():
    sentence = Placeholders.of("Copy {0} to {1}.", ["{0}", "{1}"])
    assert not list(sentence.faults("{0} nach ⟦2⟧ kopieren."))
    assert list(sentence.faults("{0} ⟦1⟧ nach ⟦2⟧.")) == ["⟦1⟧ occurs too often"]


def test_only_as_many_as_are_given_become_placeholders():
    sentence = Placeholders.of("a {0} b {0}", ["{0}"])
    assert sentence.text == "a ⟦1⟧ b {0}"
    assert sentence.restore("x ⟦1⟧ y {0}") == "x {0} y {0}"


def test_placeholders_of_the_source_itself_stay():
    sentence = Placeholders.of("Write ⟦1⟧ for {0}.", ["{0}"])
    assert sentence.text == "Write ⟦1⟧ for ⟦2⟧."
    assert not list(sentence.faults("Schreiben Sie ⟦1⟧ für ⟦2⟧."))
    assert sentence.restore("Schreiben Sie ⟦1⟧ für ⟦2⟧.") == "Schreiben Sie ⟦1⟧ für {0}."


def test_a_sentence_without_words_has_none():
    sentence = Placeholders.of("Copy it.")
    assert (sentence.text, sentence.words) == ("Copy it.", {})
    assert list(sentence.faults("Kopieren ⟦1⟧.")) == ["⟦1⟧ is not in the sentence"]


def test_short_words_cannot_be_told_from_others():
    assert can_be_placeholders(["{0}", "open", "%s"])
    assert not can_be_placeholders(["{0}", "in"])
