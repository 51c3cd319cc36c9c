"""Sentence pairs without boundaries get those of another version of the corpus."""

from __future__ import annotations

import random

from docmt_files.base.documents import Document
from docmt_nmt.corpora import read
from docmt_nmt.corpora.demo import corpus_file
from docmt_research.reproduction import recover_documents


def document(name: str, *words: str) -> Document:
    """A document of sentences, the translation of each in capitals."""
    return Document(name, words, tuple(word.upper() for word in words))


def pairs(*words: str) -> list[tuple[str, str]]:
    return [(word, word.upper()) for word in words]


A, B = document("a", "one", "two", "three"), document("b", "four", "five", "six")


def recovered(lines, *other):
    """The sentences of each document by its id, and the source sentences that were left out."""
    documents, left_out = recover_documents(lines, other)
    return {d.id: d.source for d in documents}, [source for source, _ in left_out]


def test_each_pair_is_in_the_document_that_has_it():
    lines = pairs("four", "five", "one", "two", "three")
    assert recovered(lines, A, B) == ({"b": ("four", "five"), "a": ("one", "two", "three")}, [])


def test_documents_keep_both_sides_as_they_are_in_the_lines():
    (found,), _ = recover_documents([("one", "ONE"), ("two ", "ZWO"), ("three", "THREE")], [A])
    assert found == Document("a", ("one", "two ", "three"), ("ONE", "ZWO", "THREE"))


def test_what_is_between_sentences_of_a_document_is_in_it():
    lines = pairs("one", "unknown", "four", "three")
    assert recovered(lines, A, B) == ({"a": ("one", "unknown", "four", "three")}, [])


def test_between_documents_a_known_side_decides():
    lines = [*pairs("one", "two"), ("three", "another"), ("another", "FOUR"), *pairs("five")]
    assert recovered(lines, A, B)[0] == {"a": ("one", "two", "three"), "b": ("another", "five")}


def test_what_may_be_in_either_document_is_left_out():
    lines = [*pairs("one"), ("?", "?"), ("three", "x"), ("?", "?"), *pairs("five")]
    assert recovered(lines, A, B) == ({"a": ("one",), "b": ("five",)}, ["?", "three", "?"])


def test_a_sentence_of_several_documents_is_where_it_goes_on_or_begins():
    other = document("c", "one", "seven", "three")
    assert recovered(pairs("seven", "three", "one", "two"), A, other) == (
        {"c": ("seven", "three"), "a": ("one", "two")},
        [],
    )


def test_a_sentence_that_may_end_one_document_and_begin_the_next_is_left_out():
    other = document("c", "seven", "one")
    assert recovered(pairs("seven", "one", "two"), A, other) == (
        {"c": ("seven",), "a": ("two",)},
        ["one"],
    )


def test_parts_of_a_document_have_ids_of_their_own():
    lines = pairs("one", "two", "four", "five", "three", "three")
    assert list(recovered(lines, A, B)[0]) == ["a", "b", "a/2"]


def test_a_corpus_without_its_boundaries_gets_them_back():
    sides = [corpus_file(f"test.{side}.xz") for side in ("en", "de")]
    documents = list(read(*sides))
    lines = [p for d in documents for p in zip(d.source, d.target or (), strict=True)]
    found, left_out = recover_documents(lines, documents)
    assert not left_out
    assert [d.source for d in found] == [d.source for d in documents]
    # With a tenth of the sentences split otherwise, most still are where they were.
    drawn = random.Random(1)
    changed = [pair if drawn.random() < 0.9 else (pair[0] + "!", pair[1] + "!") for pair in lines]
    again, lost = recover_documents(changed, documents)
    assert len(lost) < 0.01 * len(lines)
    assert {d.id for d in again} == {d.id for d in documents}
