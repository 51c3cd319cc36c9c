import json
import random

import numpy as np
import pytest

from adapter_arms import recipe_of
from adapter_data import Case, Line, completed_lines, has_form, ordinary_stretches
from adapter_measures import final, is_taken, sentences
from adapter_page import _interval
from adapter_texts import of_cases, with_other_context
from docmt_files.base.errors import InputError


def line(before, sentence, verb="know", distance=1, film="1"):
    return Line(
        film, tuple(before), sentence, {"ante distance": distance, "src ante verb lemma": verb}
    )


def test_an_ellipsis_is_completed_after_as_many_lines_as_reach_the_antecedent():
    lines = [line(["Hm.", "Did you know?", "Well."], "I did.", distance=2)]
    (document,) = completed_lines(lines, random.Random(1))
    assert document.completed == "I did know."
    assert document.source[-1] == "I did."
    assert "Did you know?" in document.source


@pytest.mark.parametrize(
    "unfit",
    [
        line(["Did you know?"], "I did.", distance=4),
        line(["Did you know?"], "I did.", verb="do"),
        line(["Did you know?"], "I knew."),
        line(["", "x"], "I did.", distance=2),
    ],
)
def test_what_cannot_be_completed_is_left_out(unfit):
    assert completed_lines([unfit], random.Random(1)) == []


def test_a_pair_of_lines_is_completed_once():
    both = [line(["Did you know?"], "I did."), line(["Did you know?"], "I DID.")]
    assert len(completed_lines(both, random.Random(1))) == 1


def test_ordinary_stretches_have_no_clause_that_ends_in_an_auxiliary():
    lines = [line(["One.", "Two.", "Three.", "Four.", "Five."], "x"), line(["I did."] * 5, "x")]
    (document,) = ordinary_stretches(lines, random.Random(1))
    assert document.completed is None
    assert 2 <= len(document.source) <= 5


def test_another_context_is_of_another_case():
    cases = [Case(str(n), (f"{n}?",), "I do.", "faço", 1, "") for n in range(4)]
    assert [case.before for case in with_other_context(cases)] == [
        ("2?",),
        ("3?",),
        ("0?",),
        ("1?",),
    ]
    (first, *_) = of_cases(cases)
    assert (first.source, first.measured) == (("0?", "I do."), (1,))


def test_a_form_counts_as_a_word_of_its_own():
    assert has_form("Sim, Sabia!", "sabia")
    assert not has_form("sabiam", "sabia")


def test_there_is_a_recipe_for_every_arm_and_no_other():
    with pytest.raises(InputError, match="there is no training"):
        recipe_of("blind-1", None)


def test_a_translation_in_context_is_taken_above_the_threshold_if_nothing_is_lost():
    found = {"made": "b", "alone": "a", "margin": 7.0, "lost": False}
    assert is_taken(found, 6.0)
    assert not is_taken(found, 8.0)
    assert not is_taken({**found, "lost": True}, 6.0)
    assert is_taken(found, None)
    assert (final(found, 6.0), final(found, 8.0)) == ("b", "a")


def test_measured_sentences_stand_beside_those_of_the_start(tmp_path):
    text = {"group": "g", "source": ["A.", "I did."], "measured": [1], "expected": "x"}
    for folder, name, value in (
        ("texts", "dev", text),
        ("made", "start.dev", ["a"]),
        ("made", "context-1.dev", [["b", 7.5, []]]),
        ("made", "own-1.dev", ["c"]),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        full = {"references": [], "distance": 1, **value} if folder == "texts" else value
        (tmp_path / folder / f"{name}.jsonl").write_text(json.dumps(full) + "\n")
    (context,), (own,) = (list(sentences(tmp_path, arm, "dev")) for arm in ("context-1", "own-1"))
    assert (context["alone"], context["made"], context["margin"]) == ("a", "b", 7.5)
    assert context["cue"]
    assert not context["first"]
    assert own["made"] == "c"


def test_an_interval_is_drawn_over_groups():
    low, high = _interval(np.array([1.0, 1.0, 0.0, 0.0]), ["a", "a", "b", "b"], 95)
    assert (low, high) == (0.0, 1.0)
