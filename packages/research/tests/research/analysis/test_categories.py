"""The categories of source sentences."""

from __future__ import annotations

import json

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_research.analysis.categories import FIRST, OTHER, CategorySettings, categorize

PRONOUN, TERM, ELLIPSIS = "ambiguous pronoun", "repeated term", "ellipsis"


def categories(*sentences, language="en", **settings):
    """The categories of each sentence of a document."""
    found = categorize([Document("1", sentences)], language, CategorySettings(**settings))
    return [
        {name for name, rows in found.members.items() if rows[index]}
        for index in range(len(sentences))
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It sleeps in the garden.", {PRONOUN}),
        ("Then I gave it to Anna.", {PRONOUN}),
        ("The dog wags its tail.", {OTHER}),
        ("Yesterday Anna said that they left.", {OTHER}),
        ("I saw the old grey dog, and it barked.", {OTHER}),
        ("When they saw the dog, we ran away.", {PRONOUN}),
        ("I know that you sleep.", {OTHER}),
        ("I did.", {ELLIPSIS}),
        ("She really can't.", {ELLIPSIS}),
        ("We do not either.", {ELLIPSIS}),
        ("Perhaps you will want to.", {ELLIPSIS}),
        ("Did he?", {ELLIPSIS}),
        ("So do I!", {ELLIPSIS}),
        ("The red one.", {ELLIPSIS}),
        ("Who are you?", {OTHER}),
        ("I sleep.", {OTHER}),
        ("Does it?", {ELLIPSIS, PRONOUN}),
        ("", set()),
    ],
)
def test_sentences_are_put_into_categories(sentence, expected):
    assert categories("Good morning to all of you", sentence)[1] == expected


def test_the_first_sentence_of_a_document_is_in_no_other_category():
    assert categories("", "It did.", "It did.") == [set(), {FIRST}, {PRONOUN, ELLIPSIS}]


def test_a_name_at_the_beginning_is_known_from_the_rest_of_the_document():
    first = "I met a friend."
    assert categories(first, "Anna says they sleep.")[1] == {PRONOUN}
    assert PRONOUN not in categories(first, "Anna says they sleep.", "I like Anna.")[1]


def test_terms_are_repeated_by_stems_and_within_a_distance():
    text = ("The dogs were barking all day.", "I was reading for some time.", "A dog was barking.")
    assert categories(*text) == [{FIRST}, {OTHER}, {TERM}]
    assert categories(*text, max_term_distance=1)[2] == {OTHER}
    assert categories(*text, max_term_distance=2)[2] == {TERM}
    # Within a sentence nothing needs context, and every document begins anew.
    assert categories("We sat there all day.", "A dog was barking at another dog.")[1] == {OTHER}
    both = categorize([Document("1", ("A dog.",)), Document("2", ("Well.", "A dog was he."))], "en")
    assert not both.members[TERM].any()
    assert both.documents.tolist() == [0, 1, 1]


def test_other_languages_have_the_categories_of_their_lists():
    german = categorize([Document("1", ("Der Hund bellt.", "Der Hund rennt."))], "de")
    assert list(german.members) == [TERM, OTHER, FIRST]
    assert german.members[TERM].tolist() == [False, True]
    assert any("ambiguous pronoun" in note and "determiners" in note for note in german.notes)
    lists = {"pronouns": ["er", "sie"], "determiners": ["der"], "function_words": ["der", "er"]}
    assert categories("Da.", "Er bellt.", language="de", **lists)[1] == {PRONOUN}
    assert categories("Da.", "Der Hund, er bellt.", language="de", **lists)[1] == {OTHER}
    with pytest.raises(InputError, match="no lists of words of 'cy'"):
        categories("Bore da.", language="cy")


def test_settings_are_read_from_a_file(tmp_path):
    path = tmp_path / "lists.json"
    path.write_text(json.dumps({"pronouns": ["He"], "max_fragment_words": 1}))
    settings = CategorySettings.read(path)
    found = categorize([Document("1", ("Well.", "He sleeps."))], "en", settings)
    assert found.members[PRONOUN].tolist() == [False, True]
    assert "own:pronouns" in found.settings and "fragment:1" in found.settings
    for value, message in (
        ({"pronoun": ["he"]}, "unknown key 'pronoun'"),
        ({"pronouns": "he"}, "pronouns is 'he'"),
        ({"max_fragment_words": 0}, "max_fragment_words is 0"),
        ([], "does not hold a JSON object"),
    ):
        path.write_text(json.dumps(value))
        with pytest.raises(InputError, match=message):
            CategorySettings.read(path)
