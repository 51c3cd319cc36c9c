"""A run that needs context: what a pronoun becomes depends on the sentence before."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from docmt_nmt.training import train
from toy import toy_recipe

NOUNS = {"dog": ("Hund", "er"), "cat": ("Katze", "sie"), "horse": ("Pferd", "es")}
VERBS = {"runs": "rennt", "sleeps": "schläft", "eats": "frisst"}


def write_pronouns(folder: Path, *, documents: int, seed: int = 1) -> None:
    """Documents of two sentences, the second about "it"."""
    draw = random.Random(seed)
    for split, number in (("train", documents), ("valid", 9), ("test", 9)):
        sides: tuple[list[str], list[str]] = ([], [])
        for _ in range(number):
            noun = draw.choice(sorted(NOUNS))
            first, second = (draw.choice(sorted(VERBS)) for _ in range(2))
            german, pronoun = NOUNS[noun]
            sides[0].extend(["<d>", f"the {noun} {first}", f"it {second}"])
            sides[1].extend(["<d>", f"das {german} {VERBS[first]}", f"{pronoun} {VERBS[second]}"])
        for side, lines in zip(("en", "de"), sides, strict=True):
            (folder / f"{split}.{side}").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="session")
def pronouns(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pronouns")
    write_pronouns(folder, documents=150)
    return folder


@pytest.fixture(scope="session")
def pronoun_run(pronouns, tmp_path_factory):
    """It translates two sentences at once, and knows sentences alone."""
    training = {
        "max_steps": 150,
        "validate_every": 75,
        "label_smoothing": 0.0,
        "warmup_steps": 20,
        "learning_rate": 0.02,
    }
    recipe = toy_recipe(pronouns, training=training)
    return train(recipe, tmp_path_factory.mktemp("run") / "run", progress=False)


@pytest.fixture(scope="session")
def sentence_run(pronouns, tmp_path_factory):
    """It translates each sentence alone."""
    recipe = toy_recipe(
        pronouns,
        instances={"kind": "sentence"},
        training={"max_steps": 40, "validate_every": 40, "label_smoothing": 0.0},
    )
    return train(recipe, tmp_path_factory.mktemp("sentences") / "run", progress=False)
