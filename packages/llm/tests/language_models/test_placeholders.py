"""Words that come out as they go in, as placeholders."""

from __future__ import annotations

from docmt_files.base.documents import InlineCode
from docmt_llm.prompting.placeholders import Placeholders, can_be_placeholders


def test_words_become_placeholders_and_come_back():
    sentence = Placeholders.of("Copy {0} from {1} to {0}.", ["{0}", "{1}", "{0}"])
    assert sentence.text == "Copy ⟦1⟧ from ⟦2⟧ to ⟦3⟧."
    assert sentence.words == {"⟦1⟧": "{0}", "⟦2⟧": "{1}", "⟦3⟧": "{0}"}
    target = "Aus ⟦2⟧ ⟦1⟧ nach ⟦ 3 ⟧ kopieren."
    assert not list(sentence.faults(target))
    assert sentence.restore(target)[0] == "Aus {1} {0} nach {0} kopieren."


def test_each_must_be_there_once_and_no_other():
    sentence = Placeholders.of("Copy {0} to {1}.", ["{0}", "{1}"])
    assert list(sentence.faults("Kopieren nach ⟦2⟧.")) == ["⟦1⟧ is missing"]
    assert list(sentence.faults("⟦1⟧ nach ⟦2⟧ und ⟦2⟧.")) == ["⟦2⟧ occurs too often"]
    assert list(sentence.faults("⟦1⟧ nach ⟦2⟧ ⟦3⟧")) == ["⟦3⟧ is not in the sentence"]
    assert sentence.restore("⟦1⟧ nach ⟦2⟧ ⟦3⟧")[0] == "{0} nach {1}"
    assert sentence.restore("⟦1⟧ ⟦3⟧ nach ⟦2⟧⟦")[0] == "{0} nach {1}"
    assert list(sentence.faults("⟦1⟧ nach ⟦2⟧⟦")) == ["a placeholder is damaged"]


def test_the_word_itself_may_be_written():
    sentence = Placeholders.of("Copy {0} to {1}.", ["{0}", "{1}"])
    assert not list(sentence.faults("{0} nach ⟦2⟧ kopieren."))
    assert list(sentence.faults("{0} ⟦1⟧ nach ⟦2⟧.")) == ["⟦1⟧ occurs too often"]


def test_only_as_many_as_are_given_become_placeholders():
    sentence = Placeholders.of("a {0} b {0}", ["{0}"])
    assert sentence.text == "a ⟦1⟧ b {0}"
    assert sentence.restore("x ⟦1⟧ y {0}")[0] == "x {0} y {0}"


def test_placeholders_of_the_source_itself_stay():
    sentence = Placeholders.of("Write ⟦1⟧ for {0}.", ["{0}"])
    assert sentence.text == "Write ⟦1⟧ for ⟦2⟧."
    assert not list(sentence.faults("Schreiben Sie ⟦1⟧ für ⟦2⟧."))
    assert sentence.restore("Schreiben Sie ⟦1⟧ für ⟦2⟧.")[0] == "Schreiben Sie ⟦1⟧ für {0}."


def test_a_sentence_without_words_has_none():
    sentence = Placeholders.of("Copy it.")
    assert (sentence.text, sentence.words) == ("Copy it.", {})
    assert list(sentence.faults("Kopieren ⟦1⟧.")) == ["⟦1⟧ is not in the sentence"]


CODES = [InlineCode(7, 1), InlineCode(11, 0), InlineCode(15)]


def test_inline_codes_are_placeholders_whose_places_are_known():
    sentence = Placeholders.of("Select Open in {0}.", ["{0}"], CODES)
    assert sentence.text == "Select ⟦1⟧Open⟦2⟧ in ⟦3⟧⟦4⟧."
    assert dict(sentence.words) == {"⟦4⟧": "{0}"}
    assert sentence.meanings == {
        "⟦1⟧": "begin of formatting",
        "⟦2⟧": "end of formatting",
        "⟦3⟧": "a mark",
    }
    assert sentence.restore("In ⟦3⟧⟦4⟧ ⟦1⟧Öffnen⟦2⟧.") == ("In {0} Öffnen.", (7, 13, 3))


def test_inline_codes_that_are_lost_or_doubled_have_no_places_and_are_no_fault():
    sentence = Placeholders.of("Select Open in it.", [], CODES)
    for target in ("⟦1⟧Öffnen⟦2⟧ darin.", "⟦1⟧Öffnen⟦2⟧ ⟦3⟧ darin ⟦3⟧.", "Öffnen darin."):
        text, codes = sentence.restore(target)
        assert text == "Öffnen darin."
        assert codes is None
        assert not list(sentence.faults(target))


def test_a_mark_takes_the_space_before_a_full_stop_with_it():
    sentence = Placeholders.of("Nobody knew.", [], [InlineCode(11)])
    assert sentence.restore("Niemand wusste es ⟦1⟧.") == ("Niemand wusste es.", (17,))
    assert sentence.restore("⟦1⟧ Niemand wusste es.") == ("Niemand wusste es.", (0,))


def test_a_code_within_words_that_stay_is_before_them():
    sentence = Placeholders.of("Run {0} now.", ["{0}"], [InlineCode(5)])
    assert sentence.text == "Run ⟦1⟧⟦2⟧ now."
    assert sentence.words == {"⟦2⟧": "{0}"}


def test_short_words_cannot_be_told_from_others():
    assert can_be_placeholders(["{0}", "open", "%s"])
    assert not can_be_placeholders(["{0}", "in"])
