"""The study of ellipsis: its cases, its arms, and its criterion."""

from __future__ import annotations

import json

import numpy as np
import pytest


def case(film, *, context="Did you know him?", distance=1):
    from ellipsis_data import Case

    return Case(film, context, "I did.", "conhecia", distance, "Conhecia.")


@pytest.fixture
def release(tmp_path):
    """A release with two cases of two films."""
    rows = [
        {
            "document id": f"en-pt/2017/2017_{film}_99",
            "src segment": "I did.",
            "ref segment": "Conhecia.",
            "src ante segment": "Did you know him?",
            "ref ante segment": "Conhecia-lo?",
            "expected": "Conhecia",
            "ante distance": distance,
        }
        for film, distance in (("7", 1), ("8", 1), ("9", 2))
    ]
    for folder in ("evalsets", "inputs"):
        (tmp_path / folder).mkdir()
    name = "auxiliary.opensubtitles.en-pt.dev"
    (tmp_path / f"evalsets/{name}.json").write_text(json.dumps(rows))
    texts = [
        "Hi.<eos> Did you know him?<eos> I did.\n",
        "Did you know\u2028him?<eos> I did.\n",
        "I did.\n",
    ]
    (tmp_path / f"inputs/{name}").write_text("".join(texts))
    return tmp_path


def test_a_case_has_the_sentence_before_and_its_film(study, release):
    from ellipsis_data import read_cases

    one, two = read_cases(release, "auxiliary", "dev")
    assert one == case("7")
    assert two.context == "Did you know\u2028him?"


def test_films_of_the_test_are_not_trained_on(study, release):
    from ellipsis_data import human_documents

    (document,) = human_documents(release, "dev", {"8"})
    assert document.source == ("Did you know him?", "I did.")
    assert document.target == ("Conhecia-lo?", "Conhecia.")


@pytest.mark.parametrize(
    ("translation", "expected"),
    [("Eu conhecia.", True), ("CONHECIA-O", False), ("conheciam", False), ("Sim, conhecia!", True)],
)
def test_a_form_counts_as_words_of_its_own(study, translation, expected):
    from ellipsis_data import has_form

    assert has_form(translation, "Conhecia") == expected


def test_pairs_are_consecutive_lines_of_one_stretch(study):
    from docmt_files.base.documents import Document
    from ellipsis_data import pairs_of

    stretches = [Document("a", ("1", "2", "3"), ("x", "y", "z")), Document("b", ("4",), ("w",))]
    assert [(d.source, d.target) for d in pairs_of(stretches)] == [
        (("1", "2"), ("x", "y")),
        (("2", "3"), ("y", "z")),
    ]


def test_as_many_lines_as_asked_come_from_episodes_with_capitals(study):
    from docmt_files.base.documents import Document
    from ellipsis_data import subtitle_stretches

    lines = tuple(f"Line {i} of it." for i in range(300))
    lower = tuple(line.lower() for line in lines)
    episodes = [Document(str(i), lines, own) for i, own in enumerate((lines, lower, lines))]
    stretches = list(subtitle_stretches(episodes, 25))
    assert [len(one) for one in stretches] == [13, 12]
    assert stretches[0][0] == "Line 100 of it."


def test_a_shuffled_context_is_of_another_film(study):
    from ellipsis_measures import shuffled_contexts

    cases = [case(str(i), context=str(i)) for i in range(5)]
    shuffled = shuffled_contexts(cases)
    assert sorted(shuffled) == ["0", "1", "2", "3", "4"]
    assert all(own.context != other for own, other in zip(cases, shuffled, strict=True))


def test_arms_differ_in_what_may_be_looked_at_alone(study, tmp_path):
    from ellipsis_arms import ARMS, recipe_of

    made = {arm: recipe_of(f"{arm}-2", tmp_path) for arm in ARMS}
    for recipe in made.values():
        assert recipe.training == made["blind"].training
        assert recipe.data == made["blind"].data
        assert recipe.instances == made["blind"].instances
    assert made["copied"].initialize.new_attention == "copy"
    assert made["random"].initialize.new_attention == "random"


FILMS = [index // 2 for index in range(200)]


def measures(right, *, shuffled=20, bleu=30.0):
    return {
        "own": "1" * right + "0" * (200 - right),
        "shuffled": "1" * shuffled + "0" * (200 - shuffled),
        "bleu": bleu,
        "loss": 2.0,
        "gates": {},
    }


@pytest.mark.parametrize(
    ("seeing", "seeds", "expected"),
    [
        (measures(60), 3, "holds"),
        (measures(29), 3, "does not hold"),
        (measures(60, shuffled=55), 3, "does not hold"),
        (measures(60, bleu=29.4), 3, "does not hold"),
        (measures(60), 1, "not decided: seeds 1 of 3; in these it holds"),
    ],
)
def test_the_criterion(study, seeing, seeds, expected):
    from ellipsis_page import verdict

    assert verdict([seeing] * seeds, [measures(20)] * seeds, FILMS) == expected


def test_the_tables_have_every_run(study):
    from ellipsis_page import page

    start = measures(30) | {"rule": "1" * 10 + "0" * 190}
    measured = {"blind-1": measures(20), "copied-1": measures(60), "start": start}
    text = page(measured, FILMS, [index % 2 == 0 for index in range(200)])
    assert "| `copied` | +20.0 (" in text
    assert "| the rule that copies | 5.0 |" in text


def test_differences_count_the_cases_that_are_kept(study):
    from ellipsis_page import gain

    keep = np.arange(200) < 100
    one = gain(["1" * 100 + "0" * 100], ["0" * 200], FILMS, keep)
    assert one.by_seed == (100.0,)
    assert (one.low, one.high) == (100.0, 100.0)
