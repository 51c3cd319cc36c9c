"""The study of earlier terms: the terms, the cases, and how they are counted."""

from __future__ import annotations

import json
import random

import pytest

from docmt.ground.documents import Document

NOUNS = {"house": "Haus", "river": "Fluss", "tree": "Baum", "road": "Weg", "table": "Tisch"}
VERBS = {"see": "sehen", "find": "finden", "need": "brauchen", "like": "mögen"}


@pytest.fixture
def training():
    """Documents in which `session` is die Session or die Sitzung, and `file` is two words of which
    one is neuter."""
    draw = random.Random(1)
    lines = []
    for number in range(400):
        noun, verb = draw.choice(sorted(NOUNS)), draw.choice(sorted(VERBS))
        session = "Sitzung" if number % 3 else "Session"
        file = "die Datei" if number % 2 else "das Verzeichnis"
        lines += [
            (f"we {verb} the session now", f"wir {VERBS[verb]} die {session} jetzt"),
            (f"we {verb} the file", f"wir {VERBS[verb]} {file}"),
            (f"you {verb} a {noun}", f"ihr {VERBS[verb]} ein {NOUNS[noun]}"),
        ]
    return [Document("training", *map(tuple, zip(*lines, strict=True)))]


def document(*pairs):
    return Document("test", *map(tuple, zip(*pairs, strict=True)))


TEST = document(
    ("we see the session", "wir sehen die Session"),
    ("you find a house", "ihr findet ein Haus"),
    ("we need the session now", "wir brauchen die Session jetzt"),
    ("we like the session, the session", "wir mögen die Session, die Session"),
)


def test_terms_are_nouns_with_two_variants_of_one_gender(study, training):
    from terms_suite import Term, aligned, find_terms

    assert find_terms(aligned(training)) == [Term("session", ("Sitzung", "Session"))]


def test_two_cases_differ_in_the_context_alone(study, training):
    from terms_suite import aligned, find_terms, make_cases

    pairs = aligned([TEST, *training])
    first, second = make_cases([TEST], pairs[:1], find_terms(pairs[1:]))
    assert first.source == second.source == TEST.source[:3]
    assert first.context == ("wir sehen die Session", "ihr findet ein Haus")
    assert second.context == ("wir sehen die Sitzung", "ihr findet ein Haus")
    expected = ("wir brauchen die Session jetzt", "wir brauchen die Sitzung jetzt")
    assert first.candidates == second.candidates == expected
    assert (first.right, second.right) == (0, 1)
    assert (first.phenomenon, first.distance) == ("session", 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Session endet.", "Die Sitzung endet."),
        ("Die Sessions enden.", "Die Sessions enden."),
        ("Die Session-Daten", "Die Session-Daten"),
        ("Session, Session!", "Sitzung, Sitzung!"),
    ],
)
def test_a_word_is_exchanged_where_it_stands_for_itself(study, text, expected):
    from terms_suite import exchanged

    assert exchanged(text, "Session", "Sitzung") == expected


def test_shares_are_of_cases_and_intervals_of_documents(study):
    from terms import summarized, table

    cases = [
        {
            "document": str(number // 10),
            "term": "session",
            "distance": 1 + number % 2,
            "right": {"context": number < 75, "no context": number % 2 == 0},
            "log_probability": {"context": -9.5, "no context": -10.0},
            "free": {"context": "earlier" if number < 60 else "other", "no context": "neither"},
        }
        for number in range(100)
    ]
    summary = summarized({"signature": "", "cases": cases})
    assert (summary["cases"], summary["terms"], summary["documents"]) == (100, 1, 10)
    context = summary["accuracy"]["context"]
    assert context["share"] == 75 and context["low"] < 60 < 90 < context["high"]
    assert summary["accuracy"]["no context"] | {"cases": 0} == {
        "share": 50,
        "low": 50,
        "high": 50,
        "cases": 0,
    }
    assert summary["free_difference"]["share"] == 60
    assert (summary["nats"], summary["change_in_nats"]) == (10, 0.5)
    assert "| (a) right, context | 100 | 75.0 |" in table(summary)


def test_the_page_has_the_table_of_the_results(study):
    from terms import README, RESULTS, table

    assert table(json.loads(RESULTS.read_text("utf-8"))) in README.read_text("utf-8")
