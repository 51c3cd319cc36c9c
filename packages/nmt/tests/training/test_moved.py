"""A run in stages may be moved or copied at any time."""

from __future__ import annotations

import shutil
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from docmt_nmt.training.training_state import TrainingState
from toy import toy_recipe


@pytest.fixture(scope="module")
def recipe(tinier_corpus: Path) -> Recipe:
    stages = [
        {"name": "sentence", "instances": {"kind": "sentence"}},
        {"name": "pair", "instances": {"window": 2}},
        {"name": "document", "instances": {"window": 3}},
    ]
    training = {"max_steps": 2, "validate_every": 1}
    values = toy_recipe(tinier_corpus, training=training).model_dump(mode="json")
    return Recipe.read({**values, "stages": stages})


@pytest.fixture(scope="module")
def unbroken(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory):
    return train(recipe, tmp_path_factory.mktemp("unbroken") / "run", progress=False)


def interrupt(recipe: Recipe, directory: Path, monkeypatch: Any, *, after: int) -> None:
    """Train until so many checkpoints have been written in all stages."""
    save, count = TrainingState.save, 0

    def save_and_stop(state: TrainingState) -> None:
        nonlocal count
        save(state)
        count += 1
        if count == after:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(TrainingState, "save", save_and_stop)
        train(recipe, directory, progress=False)


@pytest.mark.parametrize(
    ("after", "move"),
    [
        (3, shutil.move),
        pytest.param(5, shutil.move, marks=pytest.mark.slow),
        pytest.param(5, copytree, marks=pytest.mark.slow),
    ],
)
def test_a_run_is_resumed_where_it_now_is(recipe, unbroken, tmp_path, monkeypatch, after, move):
    """It is interrupted in its second and in its last stage."""
    interrupt(recipe, tmp_path / "old", monkeypatch, after=after)
    move(tmp_path / "old", tmp_path / "new")
    run = train(recipe, tmp_path / "new", progress=False)
    assert run.weights.read_bytes() == unbroken.weights.read_bytes()
    for directory in (run.directory, run.directory / "stages" / "pair"):
        start = SystemRun.load(directory).recipe.initialize
        assert start is not None
        assert Path(start.run).is_relative_to(run.directory)


def test_a_finished_run_that_was_moved_has_nothing_left_to_do(recipe, unbroken, tmp_path, capsys):
    shutil.copytree(unbroken.directory, tmp_path / "new")
    before = (tmp_path / "new" / "weights.safetensors").stat()
    train(recipe, tmp_path / "new", progress=True)
    assert (tmp_path / "new" / "weights.safetensors").stat() == before
    assert capsys.readouterr().err.count("is finished; nothing to do") == 3


def test_the_stage_of_another_run_is_not_taken_for_the_run_s_own(recipe, unbroken, tmp_path):
    shutil.copytree(unbroken.directory, tmp_path / "other")
    shutil.copytree(unbroken.directory, tmp_path / "run")
    stored = SystemRun.load(tmp_path / "run")
    text = (stored.directory / "recipe.yaml").read_text()
    assert str(unbroken.directory / "stages" / "pair") in text
    other = tmp_path / "other" / "stages" / "pair"
    (other / "weights.safetensors").write_bytes(
        (unbroken.directory / "stages" / "sentence" / "weights.safetensors").read_bytes()
    )
    (stored.directory / "recipe.yaml").write_text(
        text.replace(str(unbroken.directory / "stages" / "pair"), str(other))
    )
    with pytest.raises(InputError, match=r"these keys differ: initialize\.run"):
        train(recipe, tmp_path / "run", progress=False)
