"""First words are lowercased unless the corpus usually capitalizes them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_nmt.text.casing import FirstWordCase
from docmt_nmt.text.normalization import Normalization

ANY = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" “.aAbBßİŉǅÄ\u0308"))


@pytest.fixture(scope="module")
def case(german) -> FirstWordCase:
    return FirstWordCase.learn(german)


def test_words_with_a_capital_within_sentences_are_the_list(case):
    assert {"Mönche", "Buddha", "Herr"} <= case.kept
    assert not {"Und", "Der", "Die", "Das", "mönche"} & case.kept


@pytest.mark.parametrize(
    ("text", "applied"),
    [
        ("Und die Mönche", "und die Mönche"),
        ("„Dann ging er.“", "„dann ging er.“"),
        ("Mönche gingen. Dann", "Mönche gingen. Dann"),
        ("USA und McVeigh", "USA und McVeigh"),
        ("5 Das", "5 Das"),
        ("… Das", "… Das"),
        ("", ""),
    ],
)
def test_only_the_first_word_is_lowercased(case, text, applied):
    assert case.apply(text) == applied
    assert case.invert(applied) == text


def test_a_word_in_two_cases_goes_by_its_more_frequent_one():
    assert FirstWordCase.learn(["a Rose", "a Rose", "a rose"]).kept == {"Rose"}
    assert FirstWordCase.learn(["a Rose", "a rose"]).kept == set()
    assert FirstWordCase.learn(["Rose. Rose: “Rose"]).kept == set()


def test_a_first_word_with_combining_marks_is_one_word():
    case = FirstWordCase.learn(["im U\u0308brigen"])
    assert case.apply("U\u0308brigen") == "U\u0308brigen"
    assert case.apply("U\u0308bung") == "u\u0308bung"


def test_real_text_that_begins_with_a_capital_comes_back(case, unseen):
    # The others are lines of verse.
    large = [text for text in unseen if case.invert(text) == text]
    assert len(large) > 0.75 * len(unseen)
    for text in large:
        assert case.invert(case.apply(text)) == text


def test_text_comes_back_up_to_its_first_letter(case):
    @given(ANY)
    def comes_back(text):
        text = Normalization("nfkd", "de").apply(text)
        back = case.invert(case.apply(text))
        assert back == case.invert(text)
        changed = [i for i, (a, b) in enumerate(zip(text, back, strict=True)) if a != b]
        assert len(changed) <= 1
        assert not changed or not re.search(r"\w", text[: changed[0]])

    comes_back()


def test_a_list_survives_its_file(case, tmp_path):
    case.save(tmp_path / "first-word.txt")
    assert FirstWordCase.load(tmp_path / "first-word.txt").kept == case.kept


@pytest.mark.parametrize("line", ["london", "New York", "5", "", "USA"])
def test_a_line_that_is_not_a_capitalized_word_is_named(tmp_path, line):
    (tmp_path / "list").write_text(f"London\n{line}\nMr\n")
    with pytest.raises(InputError, match="list, line 2"):
        FirstWordCase.load(tmp_path / "list")
