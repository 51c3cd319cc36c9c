"""Refusals among translations."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest

from docmt_llm.answers.refusals import Refusals


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't assist with that.",
        "I’m sorry, I cannot translate this text.",
        "Sorry, I can't help with this request.",
        "As an AI language model, I cannot provide a translation.",
        "Please provide the sentence you would like me to translate.",
        "Es tut mir leid, aber ich kann diesen Text nicht übersetzen.",
        "Ich kann Ihnen dabei leider nicht helfen.",
        "Als KI-Sprachmodell kann ich das nicht.",
    ],
)
def test_a_refusal_is_found_in_any_language(answer):
    assert Refusals(("en", "de")).find("The knife is sharp.", answer)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("I'm sorry, but I can't help you.", "Es tut mir leid, aber ich kann dir nicht helfen."),
        ("The apology came late.", "Die Entschuldigung kam spät."),
        ("He said: I am sorry.", "Er sagte: Es tut mir leid."),
        ("As an AI model it learns.", "Als KI lernt es."),
    ],
)
def test_a_translation_is_no_refusal(source, target):
    assert not Refusals(("en", "de")).find(source, target)


def test_a_language_without_phrases_may_apologize_in_the_target_language():
    sorry = "I'm sorry, but I cannot help you."
    assert not Refusals(("fi", "en")).find("Olen pahoillani, mutta en voi auttaa.", sorry)
    assert Refusals(("fi", "de")).find("Avaa tiedosto.", sorry)


def test_every_phrase_is_a_pattern():
    table = tomllib.loads((files("docmt_llm.answers") / "refusals.toml").read_text("utf-8"))
    assert table["start"].keys() == table["anywhere"].keys()
    for by_language in table.values():
        for patterns in by_language.values():
            assert all(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
