"""Signs that text has moved between the sentences of an answer."""

from __future__ import annotations

from docmt_llm.answers.misplaced_text import (
    contains_other,
    find_misplaced_text,
    find_shared_text,
    is_repeated,
)

SOURCES = {
    0: "The old harbour lies behind the hill.",
    1: "In 1847 the Marbury family bought it.",
    2: "They had ships in every sea of the world.",
    3: "Nobody remembers their names today.",
    4: "The last of them died in Lisbon.",
}
TARGETS = {
    0: "Der alte Hafen liegt hinter dem Hügel.",
    1: "1847 kaufte ihn die Familie Marbury.",
    2: "Sie hatte Schiffe auf allen Meeren der Welt.",
    3: "Heute erinnert sich niemand an ihre Namen.",
    4: "Der Letzte von ihnen starb in Lissabon.",
}


def found(targets):
    return {(index, fault.kind) for index, fault in find_misplaced_text(SOURCES, targets)}


def test_good_translations_have_none():
    assert not found(TARGETS)


def test_sentences_that_have_been_joined_and_shifted():
    shifted = {
        0: f"{TARGETS[0]} {TARGETS[1]}",
        1: TARGETS[2],
        2: TARGETS[3],
        3: TARGETS[4],
        4: TARGETS[4],
    }
    kinds = found(shifted)
    assert (0, "other-sentence") in kinds  # Marbury and 1847
    assert (4, "repeated") in kinds


def test_the_same_for_different_sentences():
    # Nothing says which of the two is the wrong one.
    assert found({**TARGETS, 3: TARGETS[2]}) == {(2, "repeated"), (3, "repeated")}


def test_a_translation_in_that_of_its_neighbor():
    assert (2, "other-sentence") in found({**TARGETS, 2: f"{TARGETS[2]} {TARGETS[3]}"})


def test_a_number_that_has_left_its_sentence():
    moved = {
        **TARGETS,
        0: "Der alte Hafen liegt seit 1847 hinter dem Hügel.",
        1: "Die Familie Marbury kaufte ihn.",
    }
    assert (0, "other-sentence") in found(moved)


def test_a_name_that_is_repeated_has_not_moved():
    repeated = {**TARGETS, 2: "Die Familie Marbury hatte Schiffe auf allen Meeren der Welt."}
    assert not found(repeated)


def test_a_translation_out_of_proportion_to_the_others():
    assert (3, "out-of-proportion") in found({**TARGETS, 3: "Niemand."})


def test_a_translation_that_ends_in_the_middle():
    assert found({**TARGETS, 2: "Sie hatte Schiffe auf allen Meeren"}) == {(2, "other-ending")}
    without = {index: target.rstrip(".") for index, target in TARGETS.items()}
    assert not found(without)  # as all do


def test_a_translation_may_contain_another_as_its_source_does():
    inner, outer = "Nobody remembers their names.", '"Nobody remembers their names," he said.'
    target = "Niemand erinnert sich an ihre Namen"
    assert not contains_other(outer, f"„{target}“, sagte er.", inner.rstrip("."), target)
    assert contains_other("He said nothing.", f"{target}, sagte er.", inner, target)
    assert not contains_other("Yes, of course.", "Ja, natürlich.", "Yes.", "Ja")


def test_sentences_that_say_the_same_may_have_the_same_translation():
    target = "Klicken Sie auf die Schaltfläche."
    assert not is_repeated("Click the button.", target, "Click on the button.", target)
    assert is_repeated("The door is closed.", target, "The door is open.", target)


def test_a_text_given_for_two_sentences_near_each_other_counts_for_both():
    assert {index for index, _ in find_shared_text(SOURCES, {**TARGETS, 3: TARGETS[0]})} == {0, 3}
    assert not list(find_shared_text(SOURCES, TARGETS))
