"""What is held out is not learned, in whole documents, whatever the order of the files."""

from __future__ import annotations

import random

import pytest

from docmt.adapting.cleaning import key_of
from docmt.adapting.division import MIN_PAIRS, TooFewPairsError, divide
from docmt_files.base.documents import Document


def documents(number, size=10, *, of="a"):
    return [
        Document(
            f"{of}{n}",
            tuple(f"Sentence {of} {letters(n)} {letters(i)}" for i in range(size)),
            tuple(f"Frase {of} {letters(n)} {letters(i)}" for i in range(size)),
        )
        for n in range(number)
    ]


def letters(number):
    """A number without digits, which count as equal."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


def sentences(parts):
    return {key_of(text) for each in parts for side in (each.source, each.target) for text in side}


def test_a_tenth_is_held_out_in_whole_documents():
    given = documents(300)
    found = divide(given)
    assert sum(map(len, found.held_out)) == 300
    assert all(each in given for each in found.held_out)
    assert not sentences(found.held_out) & sentences([*found.train, *found.valid])
    assert found.shared == 0
    assert sum(map(len, (*found.train, *found.valid, *found.held_out))) == 3000


def test_at_least_100_pairs_are_held_out_and_at_most_1000():
    assert sum(map(len, divide(documents(60)).held_out)) == 100
    assert sum(map(len, divide(documents(1500)).held_out)) == 1000


def test_the_order_of_the_documents_does_not_matter():
    given = documents(100)
    shuffled = random.Random(1).sample(given, len(given))
    assert divide(given).held_out == divide(shuffled).held_out


def test_sentences_of_held_out_documents_are_not_learned_from_others():
    given = documents(100)
    held_out = divide(given).held_out[0]
    louder = tuple(text.upper() + "!" for text in held_out.target)
    # A name whose hash comes late, so that the copy is not held out itself.
    copy = Document("a0 again", ("Another.", *held_out.source), ("Outra.", *louder))
    found = divide([*given, copy])
    assert held_out in found.held_out
    assert copy not in found.held_out
    assert found.shared == len(held_out)
    assert not sentences(found.held_out) & sentences([*found.train, *found.valid])


def test_a_memory_without_documents_is_held_out_in_stretches():
    (one,) = documents(1, 1000)
    found = divide([one])
    assert {len(each) for each in found.held_out} == {25}
    assert sum(map(len, found.held_out)) == 100


def test_documents_of_the_same_name_are_all_kept():
    found = divide([*documents(60), *documents(60, of="a")])
    assert sum(map(len, found.held_out)) + sum(map(len, found.train)) + found.shared >= 1000


def test_too_few_pairs_are_told_to_use_a_memory():
    with pytest.raises(TooFewPairsError, match="docmt memory add") as error:
        divide(documents(49))
    assert error.value.pairs == 490 < MIN_PAIRS


def test_an_empty_material_is_too_little():
    with pytest.raises(TooFewPairsError, match="no pairs are left"):
        divide([])


def test_what_was_held_out_before_stays_held_out_and_what_was_learned_is_learned_again():
    first = divide(documents(100))
    again = divide([*documents(60, of="b"), *first.held_out], first.held_out, first.train)
    assert set(first.held_out) <= set(again.held_out)
    assert not sentences(again.held_out) & sentences([*again.train, *again.valid])
    kept = sum(len(each) for each in [*again.train, *again.valid] if each.id.startswith("a"))
    assert kept == sum(map(len, first.train))
