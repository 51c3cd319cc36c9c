"""The study of a pretrained encoder: its trainings are of real recipes, and its page has the tables
of its results."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt.recipes import load
from docmt.storage.json_files import read_json

STUDY = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The study's modules."""
    monkeypatch.syspath_prepend(STUDY)


def test_every_training_is_of_a_recipe_that_it_can_follow():
    from encoder_training import experiments

    found = {one.name: one for one in experiments(Path("runs"), Path("model"))}
    recipes = {name: load(one.recipe, list(one.overrides)) for name, one in found.items()}
    assert len(recipes) == 2 + 2 * 8
    ours, theirs = recipes["multi-context-pretrained-2"], recipes["multi-context-corpus-2"]
    # They differ in the encoder B alone.
    assert ours.system.contexts["P"] == theirs.system.contexts["P"]
    assert ours.system.contexts["B"].model == "model"
    assert theirs.system.contexts["B"].run == "runs/pegasus"
    same = {"system": ours.system.model_copy(update={"contexts": theirs.system.contexts})}
    assert ours.model_copy(update=same) == theirs


def test_the_page_has_the_tables_of_the_results():
    from encoder_tables import tables

    page = (STUDY / "README.md").read_text(encoding="utf-8")
    shown = page.split("<!-- tables -->")[1].split("<!-- end of tables -->")[0]
    assert shown.strip() == tables(read_json(STUDY / "results" / "encoder.json"))
