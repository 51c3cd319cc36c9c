"""Where a sentence has terms."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_nmt.text.word_boundaries import is_word_boundary
from docmt_nmt.translators.glossary import Glossary, Term


def found(sentence: str, *terms: str, **keys: bool) -> list[str]:
    """The texts of the terms that a sentence has."""
    glossary = Glossary([Term(tuple(term.split("|")), ("x",), **keys) for term in terms])
    return [match.text for match in glossary.find(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A bulb.", ["bulb"]),
        ("Bulb, BULB (bulb) bulb-holder", ["Bulb", "BULB", "bulb", "bulb"]),
        ("two bulbs", ["bulbs"]),
        ("a bulbous bulb", ["bulb"]),
        ("suburb_bulb", []),
        ("a light  bulb", ["light bulb"]),
        ("a light\u00a0bulb", ["light bulb"]),
        ("a light bulb bulb", ["light bulb", "bulb"]),
        ("2bulb", []),
        ("", []),
    ],
)
def test_whole_words_are_found_the_longest_first(sentence: str, expected: list[str]) -> None:
    assert found(sentence, "bulb|bulbs", "light bulb") == expected


def test_case_matters_if_asked_for() -> None:
    assert found("IT is it", "IT", match_case=True) == ["IT"]
    assert found("IT is it", "IT") == ["IT", "it"]


def test_parts_of_words_are_found_if_asked_for() -> None:
    assert found("Unterseeboote", "seeboot", whole_words=False) == ["seeboot"]


def test_letters_are_composed() -> None:
    assert found("cafe\u0301", "café") == ["café"]
    assert found("cafe\u0301", "cafe") == []


def test_what_is_not_a_letter_is_part_of_a_term() -> None:
    assert found("Use C++, %s and {0}!", "C++", "%s", "{0}") == ["C++", "%s", "{0}"]


@pytest.mark.parametrize(
    ("sentence", "term", "is_found"),
    [
        ("我喜欢北京的夏天", "北京", True),
        ("我的iPhone手机", "iPhone", True),
        ("我的iPhones手机", "iPhone", False),
        ("このテストは", "テスト", True),
        ("このコンテストは", "テスト", False),
        ("ผมอยู่กรุงเทพครับ", "กรุงเทพ", True),
        ("ผมอยู่กรุงเทพครับ", "อย", False),
        ("학교에서", "학교", False),
        ("Москва", "москва", True),
        ("Москвой", "Москв", False),
    ],
)
def test_words_of_other_scripts(sentence: str, term: str, is_found: bool) -> None:
    assert bool(found(sentence, term)) == is_found


@given(st.text(), st.text(min_size=1))
def test_what_is_found_is_there_and_does_not_overlap(sentence: str, term: str) -> None:
    if not " ".join(term.split()):
        return
    glossary = Glossary([Term((term,), ())])
    text, end = glossary.normalize(sentence), 0
    for match in glossary.find(sentence):
        assert match.start >= end
        end = match.start + len(match.text)
        assert text[match.start : end] == match.text
        assert is_word_boundary(text, match.start) and is_word_boundary(text, end)


def test_a_long_sentence_and_many_terms_take_no_long() -> None:
    terms = [Term((f"a{'b' * i} {i}",), ("x",)) for i in range(1, 999)]
    glossary = Glossary([*terms, *(Term((f"word {i}",), ()) for i in range(10_000))])
    begin = time.process_time()
    assert glossary.find("a" * 10_000 + " word 77") == [
        (glossary.terms[998 + 77], "word 77", 10_001)
    ]
    assert time.process_time() - begin < 5
