"""Which terms recur and were translated in several ways."""

from __future__ import annotations

import numpy as np
import pytest

from docmt.alignment.aligned_sentence import AlignedSentence
from docmt.translating.recurring_terms import alike, recurring_terms

NONE: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())


def aligned(source: str, target: str, links: str | None = None) -> AlignedSentence:
    """A sentence with links such as `0-0 1-2`; default: the words are in the same order."""
    left, right = source.split(), target.split()
    pairs = [(i, i) for i in range(min(len(left), len(right)))]
    if links is not None:
        pairs = [(int(i), int(j)) for i, _, j in (link.partition("-") for link in links.split())]
    weights = np.zeros((len(left), len(right)), np.float32)
    for i, j in pairs:
        weights[i, j] = 0.9
    return AlignedSentence(left, right, weights)


def find(*sentences, languages=("en", "de"), log_probabilities=None, words=NONE):
    log_probabilities = log_probabilities or [-1.0] * len(sentences)
    found = recurring_terms(list(sentences), log_probabilities, languages, words)
    return {term.source: [(t.forms, t.sentences) for t in term.translations] for term in found}


MONKS = [("The mendicant", "Der Bettler")] * 2 + [("A mendicant", "Ein Mönch")]


def test_the_most_frequent_translation_wins() -> None:
    sentences = [aligned(*pair) for pair in MONKS]
    assert find(*sentences) == {"mendicant": [(("Bettler",), (0, 1)), (("Mönch",), (2,))]}


def test_two_sentences_are_no_recurrence_and_one_is_no_majority() -> None:
    sentences = [aligned(*pair) for pair in MONKS]
    assert find(*sentences[1:]) == {}
    assert find(*sentences[1:], aligned("A mendicant", "Ein Asket")) == {}


def test_of_two_as_frequent_ones_the_more_probable_wins() -> None:
    sentences = [aligned(*pair) for pair in (*MONKS, MONKS[-1])]
    for values, winner in (([-1, -1, -2, -2], "Bettler"), ([-2, -2, -1, -1], "Mönch")):
        assert find(*sentences, log_probabilities=values)["mendicant"][0][0] == (winner,)


def test_inflected_forms_and_compounds_are_alike() -> None:
    assert alike("Bettelmönch", "Bettelmönche")
    assert alike("Haus", "Häuser")
    assert alike("System", "Betriebssystem")
    assert not alike("Bettler", "Mönch")
    forms = "Mönch", "Mönchs", "Bettelmönche"
    assert find(*(aligned("The mendicant", f"Der {form}") for form in forms)) == {}


def test_half_of_a_compound_is_not_a_term_but_the_pair_is() -> None:
    # "system" alone is no term here, as each time another word belongs to it.
    compounds = "Betriebssystem", "Betriebssystem", "Arbeitsprogramm"
    sentences = [aligned("The operating system", f"Das {word}", "0-0 1-1") for word in compounds]
    for sentence in sentences:
        sentence.weights[2, 1] = 0.8
    assert find(*sentences) == {
        "operating system": [(("Betriebssystem",), (0, 1)), (("Arbeitsprogramm",), (2,))]
    }


SKIPPED = [
    (
        "function words",
        "These mendicants",
        [("Diese Mönche",), ("Diese Asketen",)],
        {"words": (frozenset({"mendicants"}), frozenset())},
    ),
    ("short words", "The cat", [("Die Katze",), ("Der Kater",)], {}),
    ("numbers and marks", "The 1000s", [("Die Katze",), ("Der Kater",)], {}),
    ("verbs in German", "They wander", [("Sie gehen",), ("Sie wandern",)], {}),
    ("first words in German", "Mendicants wander", [("Bettler gehen",), ("Mönche gehen",)], {}),
    ("what is linked one way", "The mendicant", [("Der Bettler", ""), ("Der Mönch", "")], {}),
]


@pytest.mark.parametrize(("_what", "source", "targets", "keys"), SKIPPED)
def test_what_is_unclear_is_no_term(_what, source, targets, keys) -> None:
    sentences = [aligned(source, *target) for target in (targets[0], *targets)] * 2
    assert find(*sentences, **keys) == {}


def test_other_languages_have_no_capitals_for_nouns() -> None:
    pairs = [("The monk", "le moine"), ("The monk", "le moine"), ("A monk", "un bonze")]
    found = find(*(aligned(*pair) for pair in pairs), languages=("en", "fr"))
    assert found == {"monk": [(("moine",), (0, 1)), (("bonze",), (2,))]}
    assert find(*(aligned(*pair) for pair in pairs)) == {}


def test_an_empty_translation_has_no_terms() -> None:
    assert find(*(aligned("The mendicant", "") for _ in range(3))) == {}
