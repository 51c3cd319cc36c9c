"""Contrastive suites of dropped pronouns, made from a parallel corpus."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_research.analysis.contrastive_suites import read_suite
from docmt_research.suites import SuiteSettings, make_suite, read_table, write_suite
from docmt_research.suites.dropped_pronouns import source_pronouns
from docmt_research.suites.exchange import exchanged

TABLE = read_table(("zh", "en"))


@pytest.mark.parametrize(
    ("pair", "sentence", "expected"),
    [
        ("I you", "I'm late.", "You're late."),
        ("I you", "But I am, and I was.", "But you are, and you were."),
        ("I you", "Am I late? I wasn't.", "Are you late? You weren't."),
        ("I you", "They gave me my hat.", "They gave you your hat."),
        ("I you", "She said: I know.", "She said: You know."),
        ("I you", "it’s what I’m doing", "it’s what you’re doing"),
        ("you I", "You're late.", "I'm late."),
        ("you I", "Did you call?", "Did I call?"),
        ("you I", "Don't you know?", "Don't I know?"),
        ("you I", "What do you want?", "What do I want?"),
        ("you I", "when you go", "when I go"),
        ("you I", "So did you.", "So did I."),
        ("you I", "I love you.", "I love me."),
        ("he she", "He told me himself.", "She told me herself."),
        ("he she", "I saw him and his dog.", "I saw her and her dog."),
        ("she he", "I saw her.", "I saw him."),
        ("she he", "She gave it to her to read.", "He gave it to him to read."),
        ("we they", "We lost our keys.", "They lost their keys."),
        ("they we", "I know them; they're late.", "I know us; we're late."),
        ("I you", "I really am late.", "You really are late."),
        ("you I", "You always were late.", "I always was late."),
        ("I you", "I-I am late.", "You-you are late."),
        ("I you", "<i>I am Jesus</i>", "<i>You are Jesus</i>"),
        ("we they", "We left the US.", "They left the US."),
    ],
)
def test_a_pronoun_is_exchanged_with_what_agrees(pair, sentence, expected):
    assert exchanged(sentence, TABLE, tuple(pair.split())) == expected


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ("you I", "I want you to go."),  # an object that is the subject of what follows
        ("you I", "Let you know."),
        ("you I", "Are you guys coming?"),
        ("she he", "I told her everything."),  # him, or his
        ("we they", "Let's go where we can."),
        ("he she", "It rains."),
        ("you I", "Thank you."),
        ("you I", "You know, music."),
        ("you I", "Chances are you're right."),  # am I're
        ("I you", "The problem was I'm black."),
        ("I you", "It began in World War I."),
        ("I you", "It's a gold mine."),
        ("I you", "<i>Jesus</i>"),
        ("she he", "She's on her back."),  # his
        ("she he", "It's in her in-box."),
        ("they we", "They took 'em."),  # no rule
        ("you I", "Y-you might want to."),  # y-I
        ("you I", "Why don't you?"),  # a proposal
        ("I you", "Ursula, I'm so sorry."),
        ("I you", "I don't know."),
        ("I you", "Tell me everything."),
        ("I you", "I mean it."),
        ("you I", "How are you?"),
    ],
)
def test_a_sentence_that_would_become_wrong_is_left_out(pair, sentence):
    assert exchanged(sentence, TABLE, tuple(pair.split())) is None


def test_words_of_two_sentences_are_not_exchanged_as_one():
    assert exchanged("They are. You are.", TABLE, ("you", "I")) == "They are. I am."
    assert exchanged("Late we are. You know?", TABLE, ("you", "I")) is None


def test_what_is_no_pronoun_in_the_source_is_not_taken_for_one():
    assert source_pronouns("有其他人吗", TABLE) == set()
    assert source_pronouns("他们和她們", TABLE) == {"they"}


def test_pronouns_of_the_source_are_found_within_the_text():
    assert source_pronouns("我们走吧", TABLE) == {"we"}
    assert source_pronouns("他说我", TABLE) == {"he", "I"}
    assert source_pronouns("到时再说", TABLE) == set()


def document(name, *pairs):
    source, target = zip(*pairs, strict=True)
    return Document(name, source, target)


CORPUS = [
    document(
        "a",
        ("约翰在哪", "Where is John?"),
        ("他走了", "He left."),
        ("很快", "Yes, soon."),
        ("回来了吗", "Is he back?"),  # he, and she below
        ("生病了", "He is ill."),
    ),
    document(
        "b",
        ("玛丽和他走了", "Mary left him."),
        ("回来了吗", "Is she back?"),  # he was said last, as above
        ("她回来了", "She is back."),
        ("他和她", "He knows her."),  # two persons
    ),
    document("c", ("走了", "He was gone."), ("饿了", "I'm hungry."), ("", "She left.")),
]


def test_cases_lack_the_pronoun_in_the_source_and_are_as_many_for_each():
    suite = make_suite(CORPUS, TABLE)
    assert [(c.id, c.candidates, c.distance) for c in suite.cases] == [
        ("a:4:he:she", ("Is he back?", "Is she back?"), 2),
        ("b:2:she:he", ("Is she back?", "Is he back?"), None),
    ]
    assert suite.found == {("he", "she"): 3, ("she", "he"): 1, ("I", "you"): 1}
    assert suite.cases[0].source == CORPUS[0].source[:4]
    assert suite.cases[0].context == CORPUS[0].target[:3]


def test_overt_pronouns_are_a_control():
    more = document("d", ("她走了", "She left."), ("他回来了", "He is back."))
    suite = make_suite([*CORPUS, more], TABLE, SuiteSettings(overt=True))
    assert [c.candidates[0] for c in suite.cases] == [
        "He left.", "She is back.", "She left.", "He is back.",
    ]  # fmt: skip


def test_context_is_limited_and_distance_with_it():
    other = document("d", ("玛丽走了", "Mary left."), ("回来了吗", "Is she back?"))
    (first, _) = make_suite([CORPUS[0], other], TABLE, SuiteSettings(context=1)).cases
    assert (first.source, first.context, first.distance) == (
        ("很快", "回来了吗"), ("Yes, soon.",), None,
    )  # fmt: skip


def test_a_draw_keeps_as_many_of_each_pronoun():
    verbs = ["ran", "sat", "ate", "slept", "won"]
    rows = [("跑了", f"{name} {verb}.") for verb in verbs for name in ("He", "She", "He")]
    corpus = [document("e", *rows)]
    every = make_suite(corpus, TABLE)
    # Before the first one, nobody is mentioned.
    assert Counter(c.phenomenon for c in every.cases) == {"he:she": 4, "she:he": 4}
    some = make_suite(corpus, TABLE, SuiteSettings(most=2))
    assert Counter(c.phenomenon for c in some.cases) == {"he:she": 2, "she:he": 2}
    assert some == make_suite(corpus, TABLE, SuiteSettings(most=2))
    assert any(some != make_suite(corpus, TABLE, SuiteSettings(most=2, seed=n)) for n in range(5))
    verbs_of = Counter(c.candidates[0].split()[1] for c in every.cases)
    assert set(verbs_of.values()) == {2}


def test_a_system_that_repeats_the_last_pronoun_is_right_in_half_of_the_cases():
    draw = random.Random(1)

    def episode(name):
        # As in most episodes, one person is spoken of for some time.
        persons = draw.choice((("He", "She"), ("She", "He")))
        said = draw.choices((*persons, "John"), (7, 2, 1), k=12)
        return document(name, *(("跑了", f"{person} ran.") for person in said))

    suite = make_suite([episode(str(n)) for n in range(40)], TABLE, SuiteSettings(context=5))
    repeated = []
    for case in suite.cases:
        said = [word for word in " ".join(case.context).split() if word in ("He", "She")]
        if said:
            repeated.append(case.candidates[0].startswith(said[-1]))
    assert len(repeated) > 50
    assert sum(repeated) == len(repeated) / 2


def test_a_written_suite_is_read_as_it_was_made(tmp_path):
    suite = make_suite(CORPUS, TABLE)
    write_suite(suite, tmp_path / "suite.jsonl")
    assert read_suite(tmp_path / "suite.jsonl").cases == suite.cases


def test_a_corpus_without_cases_and_languages_without_a_table_are_errors():
    with pytest.raises(InputError, match="no case is left of 2"):
        make_suite(CORPUS[2:], TABLE)
    with pytest.raises(InputError, match=r"no table of pronouns for ja-en, only for zh-en"):
        read_table(("ja", "en"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [", "is not valid TOML"),
        ("exchanges = 3\n[source]\npronouns = {}\n[target]\npronouns = {}", "exchanges"),
        (
            '[source]\npronouns={}\n[target]\npronouns={I="i", you="you"}\n'
            '[[exchanges]]\nfrom="I"\nto="you"\nrules=["i = you"]',
            "the way back is missing",
        ),
        (
            '[source]\npronouns={}\n[target]\npronouns={I="i"}\n'
            '[[exchanges]]\nfrom="I"\nto="I"\nrules=["i am = you"]',
            "as many words on both sides",
        ),
        (
            '[source]\npronouns={}\n[target]\npronouns={I="i"}\n'
            '[[exchanges]]\nfrom="I"\nto="I"\nrules=["i @verb = i @verb"]',
            "no list 'verb'",
        ),
        (
            '[source]\npronouns={}\n[target]\npronouns={I="i"}\nlists={to="to in"}\n'
            '[[exchanges]]\nfrom="I"\nto="I"\nrules=["@to i = you @to"]',
            "lists at the same places",
        ),
        (
            '[source]\npronouns={}\n[target]\npronouns={I="i"}\nleft_out=["^"]\n'
            '[[exchanges]]\nfrom="I"\nto="I"\nrules=["i = you"]',
            "has no words",
        ),
    ],
)
def test_a_table_that_is_not_valid_is_an_error(text, message, tmp_path):
    (tmp_path / "table.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_table(("zh", "en"), tmp_path / "table.toml")


def test_languages_with_spaces_have_pronouns_that_are_words(tmp_path):
    (tmp_path / "es-en.toml").write_text(
        '[source]\n[source.pronouns]\nhe = "él"\nshe = "ella"\n'
        '[target]\n[target.pronouns]\nhe = "he"\nshe = "she"\n'
        '[[exchanges]]\nfrom = "he"\nto = "she"\nrules = ["he = she"]\n'
        '[[exchanges]]\nfrom = "she"\nto = "he"\nrules = ["she = he"]\n'
    )
    table = read_table(("es", "en"), tmp_path / "es-en.toml")
    assert source_pronouns("Aquél vino con ella.", table) == {"she"}
    rows = [("Vino.", "He came."), ("Vino.", "She came."), ("Ella vino.", "She came.")]
    assert len(make_suite([document(row[1], row) for row in rows], table).cases) == 2


def test_a_form_of_two_pronouns_is_both_and_capitals_do_not_matter(tmp_path):
    (tmp_path / "de-en.toml").write_text(
        '[source]\n[source.pronouns]\nhe = "Er"\nshe = "sie"\nthey = "sie"\n'
        '[target]\n[target.pronouns]\nhe = "He"\nshe = "she"\n'
        '[[exchanges]]\nfrom = "he"\nto = "she"\nrules = ["He = she"]\n'
        '[[exchanges]]\nfrom = "she"\nto = "he"\nrules = ["she = he"]\n'
    )
    table = read_table(("de", "en"), tmp_path / "de-en.toml")
    assert source_pronouns("Sie kam.", table) == {"she", "they"}
    assert source_pronouns("Er kam.", table) == {"he"}
    assert exchanged("He came.", table, ("he", "she")) == "She came."
