import re
from collections import Counter

import pytest

from docmt_files.base.documents import Document
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.translator import Translator, request_of
from docmt_research.completion import (
    CompletedDocument,
    antecedent_verb,
    complete_ellipsis,
    completed_by_rule,
    ends_in_auxiliary,
    is_elliptical,
    made_dialogues,
    teach,
    with_noun,
    with_pronoun,
)


@pytest.mark.parametrize(
    ("sentence", "completed"),
    [
        ("Yes, I did.", "Yes, I did know."),
        ("No, she doesn't.", "No, she doesn't know."),
        ("I really do!", "I really do know!"),
        ("Did they?", "Did they know?"),
        ("I won't.", "I won't know."),
        ("My brother does, but I am tired.", "My brother does know, but I am tired."),
        ("I did and you did not.", "I did and you did not know."),
        ("You would too", "You would know too"),
        ("I do, sir.", "I do know, sir."),
    ],
)
def test_the_verb_stands_where_it_was_left_out(sentence, completed):
    assert complete_ellipsis(sentence, "know") == completed
    assert is_elliptical(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I did my homework.",
        "Do you know him?",
        "I know what to do.",
        "He is taller than I do not know whom.",
        "Nothing here.",
        "That is what he did.",
        "As they do so, they sit down.",
        "This is the footprint of good will, and more.",
        "",
    ],
)
def test_a_sentence_with_its_verb_is_not_completed(sentence):
    assert complete_ellipsis(sentence, "know") is None
    assert not is_elliptical(sentence)


@pytest.mark.parametrize(
    ("sentence", "is_cue"),
    [
        ("Yes, I am.", True),
        ("I won't!", True),
        ("So have I, and he can too.", True),
        ("I am here.", False),
        ("Where?", False),
    ],
)
def test_a_clause_that_ends_in_an_auxiliary_is_a_cue(sentence, is_cue):
    assert ends_in_auxiliary(sentence) == is_cue


@pytest.mark.parametrize(
    ("before", "verb"),
    [
        (["Did you know him?"], "know"),
        (["You never called me."], "call"),
        (["He wants to leave.", "Oh."], "want"),  # surer than a verb after *to*
        (["I told you.", "She tried."], "try"),
        (["Good morning."], None),
    ],
)
def test_the_verb_of_the_nearest_sentence_with_one_is_the_antecedent(before, verb):
    assert antecedent_verb(before) == verb


def test_a_noun_takes_the_place_of_a_pronoun_and_a_pronoun_that_of_the_noun():
    assert with_noun("Ele está na mesa.", "livro", "m") == "O livro está na mesa."
    assert with_noun("Ele viu que ela caiu.", "chave", "f") is None
    assert with_pronoun("The book is on the table.", "book") == "It is on the table."
    assert with_pronoun("I saw the book.", "book") == "I saw it."
    assert with_pronoun("The book and the book.", "book") is None


class Uppercase(Translator):
    """Writes everything in capitals, and nothing for the word `nothing`."""

    languages = ("en", "pt")

    def translate(self, request, **_):
        return [
            Translation.of(d.id, d.source, [s.upper().replace("NOTHING", "") for s in d.source])
            for d in request_of(request).sources
        ]


def test_the_completed_sentence_is_translated_and_the_others_as_they_are():
    taught = teach(
        Uppercase(),
        [
            CompletedDocument("a", ("Did you see?", "I did."), "I did see."),
            CompletedDocument("b", ("Good.", "Yes.")),
        ],
    )
    assert taught == [
        Document("a", ("Did you see?", "I did."), ("DID YOU SEE?", "I DID SEE.")),
        Document("b", ("Good.", "Yes."), ("GOOD.", "YES.")),
    ]


def test_a_document_is_left_out_where_completion_changes_nothing_or_nothing_is_written():
    unchanged = CompletedDocument("a", ("See?", "I did."), "i did.")
    empty = CompletedDocument("b", ("nothing", "I did."), "I did see.")
    assert teach(Uppercase(), [unchanged, empty]) == []


def test_plain_documents_are_completed_by_the_verb_before():
    document = Document("d", ("One.", "Did you know him?", "I did.", "I did my best."))
    (found,) = completed_by_rule([document], most=1)
    assert found == CompletedDocument("d-2", ("Did you know him?", "I did."), "I did know.")


def test_made_dialogues_leave_out_a_verb_that_was_said_before():
    dialogues = list(made_dialogues(300))
    assert len({each.source for each in dialogues}) == 300
    for each in dialogues:
        left, whole = (re.findall(r"[\w']+", text) for text in (each.source[-1], each.completed))
        (verb,) = list((Counter(whole) - Counter(left)).elements())
        assert any(verb in line for line in each.source[:-1])
        assert ends_in_auxiliary(each.source[-1])
    assert list(made_dialogues(300)) == dialogues
