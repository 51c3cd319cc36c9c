"""A translated sentence is one value: what is known about it goes where it goes."""

from __future__ import annotations

from dataclasses import replace

from docmt_files.base.documents import SentenceMatch, SentenceWarning
from docmt_nmt.base.translations import Candidate, TranslatedSentence, Translation
from docmt_nmt.translators.revisions import merge_revision

MATCH = SentenceMatch("fuzzy", 0.8, "Two", "Zwo")
ONE = TranslatedSentence("One.", "Eins.", -1.0, others=(Candidate("Ein.", -2.0),))
TWO = TranslatedSentence(
    "Two <b>.",
    "Zwei.",
    -0.5,
    truncated=True,
    positions=(Candidate("Zwo.", -3.0), Candidate("Zwei.", -0.5)),
    warnings=(SentenceWarning("copy", "x"), SentenceWarning("names", "y")),
    codes=(4,),
    match=MATCH,
)
EMPTY = TranslatedSentence("")
TRANSLATION = Translation("d", (ONE, EMPTY, TWO), (2, 1))


def test_views_of_a_document_name_the_sentences_by_their_indices() -> None:
    assert TRANSLATION.document.target == ("Eins.", "", "Zwei.")
    assert TRANSLATION.truncated == (2,)
    assert TRANSLATION.warnings == ((2, "copy", "x"), (2, "names", "y"))
    assert TRANSLATION.matches == {2: MATCH}


def test_alternatives_repeat_the_last_one_of_a_sentence_with_fewer() -> None:
    assert [each.sentences for each in TRANSLATION.alternatives] == [
        ("Eins.", "", "Zwei."),
        ("Ein.", "", "Zwei."),
    ]


def test_a_sentence_without_positions_is_the_best_one_at_each() -> None:
    assert [each.sentences for each in TRANSLATION.positions] == [
        ("Eins.", "", "Zwo."),
        ("Eins.", "", "Zwei."),
    ]


def test_a_part_has_its_sentences_with_all_that_is_known() -> None:
    part = TRANSLATION.part("p", 1, 2)
    assert (part.id, part.sentences) == ("p", (EMPTY, TWO))
    assert TRANSLATION.part("p", 0, 3) == replace(TRANSLATION, id="p")


def test_the_codes_of_a_repeated_sentence_are_placed_anew() -> None:
    repeated = TRANSLATION.with_origins([0, 2, 2])
    assert repeated.sentences == (ONE, replace(TWO, codes=()), TWO)


def test_a_later_translation_replaces_a_sentence_and_the_position_it_came_from() -> None:
    later = TranslatedSentence("Two.", "Zwei!", -0.25)
    merged = merge_revision(TRANSLATION, Translation("d", (EMPTY, EMPTY, later)), [2])
    assert merged.sentences[:2] == (ONE, EMPTY)
    assert merged.sentences[2] == replace(later, positions=(TWO.positions[0], later.best))


def test_a_joined_document_has_the_sizes_of_its_chunks() -> None:
    joined = Translation("d", (ONE,), (3,), is_joined=True)
    assert joined.document.joined == (3,) and joined.part("e", 0, 3).sentences == (ONE,)
