"""The words that messages are made of."""

from __future__ import annotations

import pytest

from docmt_files.base.wording import counted, did_you_mean, first_few, nearest


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 documents"), (1, "1 document"), (2, "2 documents"), (1234, "1,234 documents")],
)
def test_a_noun_agrees_with_its_number(number, words):
    assert counted(number, "document") == words


@pytest.mark.parametrize(
    ("items", "words"), [("", ""), ("a", "a"), ("abc", "a, b, c"), ("abcd", "a, b, c and 1 more")]
)
def test_a_long_list_ends_with_how_many_more_there_are(items, words):
    assert first_few(items) == words


def test_a_misspelled_name_gets_the_nearest_known_ones():
    known = ["training", "validation", "translation"]
    assert nearest("trainning", known) == ["training"]
    assert did_you_mean("trainning", known) == "did you mean 'training'?"
    assert did_you_mean("validaton", known, most=2) == "did you mean 'validation' or 'translation'?"


def test_a_name_unlike_all_others_gets_no_suggestion():
    assert nearest("xyz", ["training"]) == []
    assert did_you_mean("xyz", ["training"]) == ""
