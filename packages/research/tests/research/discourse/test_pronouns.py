"""APT, on examples whose cases are worked out by hand."""

from __future__ import annotations

import pytest

from docmt.alignment.links import Alignment
from docmt.alignment.statistical import align_words
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.text.word_splitting import stem
from docmt_research.discourse import PronounSettings, Text, pronoun_accuracy
from docmt_research.discourse.pronouns import CASES


def text(*rows: tuple[str, str, str], languages=("en", "de")) -> Text:
    """A document of these sentences: source, translation, reference."""
    source, hypothesis, reference = (
        [Document("1", tuple(row[side] for row in rows), tuple(row[side] for row in rows))]
        for side in range(3)
    )
    return Text.of(source, hypothesis, reference, languages=languages, tokenized=True)


def alignment(*lines: str) -> Alignment:
    pairs = ([pair.split("-") for pair in line.split()] for line in lines)
    return Alignment([frozenset((int(i), int(j)) for i, j in line) for line in pairs], "file")


SIX = text(
    ("it rains", "es regnet", "es regnet"),
    ("it fell", "dies fiel", "es fiel"),
    ("it fell", "er fiel", "sie fiel"),
    ("see it", "siehe", "siehe es"),
    ("see it", "siehe es", "siehe"),
    ("see it", "siehe", "siehe"),
)
OURS = alignment("0-0 1-1", "0-0 1-1", "0-0 1-1", "0-0", "0-0 1-1", "0-0")
THEIRS = alignment("0-0 1-1", "0-0 1-1", "0-0 1-1", "0-0 1-1", "0-0", "0-0")
EQUIVALENT = PronounSettings(equivalent=[["es", "dies"]])


def test_each_of_the_six_cases_is_found():
    score = pronoun_accuracy(SIX, OURS, THEIRS, EQUIVALENT)
    assert [o["case"] for o in score.occurrences] == list(CASES)
    assert dict(score.counts) == dict.fromkeys(CASES, 1)
    assert score.score == pytest.approx(100 * (1 + 0.5) / 6)
    assert score.occurrences[1] == {
        "document": "1",
        "sentence": 2,
        "word": 1,
        "pronoun": "it",
        "reference": ["es"],
        "translation": ["dies"],
        "case": "equivalent",
    }


def test_weights_are_settings_and_cases_can_be_left_out():
    weights = (1.0, 0.8, 0.0, 0.0, None, None)
    score = pronoun_accuracy(
        SIX, OURS, THEIRS, PronounSettings(equivalent=[["ES", "dies"]], weights=weights)
    )
    assert score.score == pytest.approx(100 * 1.8 / 4)
    assert score.parts == {"it": (pytest.approx(45), 4)}
    assert "weights:1,0.8,0,0,-,-" in score.signature


def test_without_equivalents_such_pronouns_are_different():
    assert pronoun_accuracy(SIX, OURS, THEIRS).counts["different"] == 2


def test_each_pronoun_has_its_own_accuracy():
    two = text(("I saw it", "ich sah ihn", "ich sah es"))
    links = alignment("0-0 1-1 2-2")
    score = pronoun_accuracy(two, links, links)
    assert score.parts == {"i": (100, 1), "it": (0, 1)}
    only = pronoun_accuracy(two, links, links, PronounSettings(source=["It"]))
    assert (only.score, only.counts["different"]) == (0, 1)
    assert "pronouns:it" in only.signature


@pytest.mark.parametrize(
    ("settings", "case"),
    [
        (PronounSettings(repair=False), "different"),
        (PronounSettings(repair=False, other_is_same=True), "same"),
        (PronounSettings(target=()), "different"),
    ],
)
def test_words_that_are_not_pronouns_count_as_one(settings, case):
    noun = text(("see it", "siehe Haus", "siehe Hütte"))
    links = alignment("0-0 1-1")
    assert pronoun_accuracy(noun, links, links, settings).counts[case] == 1


def test_without_a_list_of_the_target_language_all_words_are_compared():
    rows = text(("see it", "ver algo", "ver algo"), languages=("en", "es"))
    links = alignment("0-0 1-1")
    score = pronoun_accuracy(rows, links, links)
    assert score.score == 100
    assert "target:all-words" in score.signature and "repair:no" in score.signature
    assert any("no list of the pronouns of the target language" in note for note in score.notes)


def test_one_pronoun_in_common_is_enough():
    rows = text(("it is", "der es ist", "es das ist"))
    links = alignment("0-0 0-1 1-2")
    assert pronoun_accuracy(rows, links, links).counts["same"] == 1


def test_a_pronoun_near_a_wrong_alignment_is_taken_if_it_is_free():
    # "it" is aligned with the verb in the translation; "es" next to it belongs to no pronoun.
    rows = text(("it rains", "heute regnet es", "es regnet"))
    found = pronoun_accuracy(rows, alignment("0-1 1-1"), alignment("0-0 1-1"))
    assert found.counts["same"] == 1
    assert found.occurrences[0]["translation"] == ["regnet", "es"]
    # Without any link, it is looked for around the translations of the neighbors.
    assert pronoun_accuracy(rows, alignment("1-1"), alignment("0-0")).counts["same"] == 1
    # A pronoun that translates another one is not free, nor is one that is three words away.
    taken = text(("it saw her", "sah es", "es sah sie"))
    links = alignment("0-0 1-0 2-1")
    assert (
        pronoun_accuracy(taken, links, alignment("0-0 2-2")).occurrences[0]["case"] == "different"
    )
    far = text(("it rains", "regnet heute hier es", "es regnet"))
    assert pronoun_accuracy(far, alignment("0-0"), alignment("0-0")).counts["different"] == 1


def test_an_empty_translation_translates_no_pronoun():
    rows = text(("it rains", "", "es regnet"), ("I see", "ich sehe", "ich sehe"))
    score = pronoun_accuracy(rows, alignment("", "0-0"), alignment("0-0", "0-0"))
    assert score.counts["not in translation"] == 1
    assert score.score == 50


def test_degenerate_input_is_said_in_words():
    rows = text(("house", "Haus", "Haus"))
    with pytest.raises(InputError, match=r"source has none of the pronouns.*source language"):
        pronoun_accuracy(rows, alignment("0-0"), alignment("0-0"))
    with pytest.raises(InputError, match="no list of the pronouns of 'pi'"):
        pronoun_accuracy(
            text(("so", "ich", "ich"), languages=("pi", "de")), alignment(""), alignment("")
        )
    with pytest.raises(InputError, match="six cases, but 2 weights"):
        PronounSettings(weights=(1.0, 0.0))
    with pytest.raises(InputError, match="not from 0 to 1"):
        PronounSettings(weights=(1.0, 2.0, 0, 0, 0, 0))
    with pytest.raises(InputError, match="cases that have no weight"):
        pronoun_accuracy(SIX, OURS, THEIRS, PronounSettings(weights=(None,) * 6))


def test_a_translation_into_another_language_is_noticed():
    rows = text(("I see it", "I see it", "ich sehe es"))
    links = alignment("0-0 1-1 2-2")
    (wrong, few) = pronoun_accuracy(rows, links, links).notes
    assert "the translation has 0 pronouns of 'de', the reference 2; check" in wrong
    assert "it is of 2 pronouns" in few


@pytest.fixture(scope="module")
def dev() -> list[Document]:
    return list(
        corpora.read(corpus_file("dev.en.xz"), corpus_file("dev.de.xz"), boundaries="markers")
    )


def align(text: Text, side: str) -> Alignment:
    return align_words(
        [(stem(s.source, "en"), stem(getattr(s, side), "de")) for s in text.sentences]
    )


def test_real_text_scored_against_itself_is_right_wherever_it_has_a_pronoun(dev):
    same = Text.of(dev, dev, dev, languages=("en", "de"))
    links = align(same, "reference")
    score = pronoun_accuracy(same, links, links)
    assert score.counts["same"] > 300
    assert score.counts["not in translation"] == score.counts["not in reference"] == 0
    without = {o["case"] for o in score.occurrences} - {"same"}
    assert without <= {"different", "in neither"}
    assert all(
        not set(o["translation"]) & {"ich", "du", "er", "es", "wir"}
        for o in score.occurrences
        if o["case"] == "different"
    )


def test_pronouns_of_real_text_that_are_exchanged_lower_the_score(dev):
    swapped = [
        d.translated([f" {s} ".replace(" er ", " sie ").replace(" Er ", " Sie ") for s in d.target])
        for d in dev
    ]
    text = Text.of(dev, swapped, dev, languages=("en", "de"))
    ours, theirs = align(text, "hypothesis"), align(text, "reference")
    score = pronoun_accuracy(text, ours, theirs)
    same = pronoun_accuracy(Text.of(dev, dev, dev, languages=("en", "de")), theirs, theirs)
    assert score.parts["he"][0] < same.parts["he"][0] - 30
    assert score.parts["i"][0] == pytest.approx(same.parts["i"][0], abs=5)
