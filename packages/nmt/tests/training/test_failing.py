"""What fails in training is an error that says what is safe."""

from __future__ import annotations

import os
import shutil
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import SafetensorError
from torch import Tensor

from docmt_files.base.errors import InputError
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs import weights
from docmt_nmt.training import loss, train, validation
from docmt_nmt.training import training_checks as checks
from docmt_nmt.training.checkpoints import Checkpoints
from docmt_nmt.training.loss import Losses
from docmt_nmt.training.setup import reserve_directory
from toy import toy_recipe

SHORT = {"max_steps": 12, "validate_every": 4}
Usage = namedtuple("Usage", "total used free")


def short_recipe(corpus: Path, **sections: Any) -> Recipe:
    return toy_recipe(corpus, **{"training": SHORT, **sections})


def trained(corpus: Path, directory: Path, **sections: Any):
    return train(short_recipe(corpus, **sections), directory, progress=False)


def interrupt(recipe: Recipe, directory: Path, monkeypatch: pytest.MonkeyPatch, *, after: int):
    """Train until so many checkpoints are written, and interrupt."""
    count = iter(range(1, 100))
    prune = Checkpoints.prune

    def pruning(checkpoints: Checkpoints, costs: Any) -> None:
        prune(checkpoints, costs)
        if next(count) == after:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Checkpoints, "prune", pruning)
        train(recipe, directory, progress=False)


def test_a_directory_that_cannot_be_made_is_an_error_at_once(tinier_corpus, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file.run: cannot be written \(Not a directory\)"):
        trained(tinier_corpus, tmp_path / "file" / "run")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_directory_without_write_permission_is_an_error_at_once(tinier_corpus, tmp_path):
    (tmp_path / "run").mkdir(mode=0o500)
    with pytest.raises(InputError, match=r"run: cannot be written \(no permission\)"):
        trained(tinier_corpus, tmp_path / "run")


def test_a_disk_too_small_for_the_checkpoints_is_an_error_before_the_first_update(
    tinier_corpus, tmp_path, monkeypatch
):
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: Usage(2**40, 2**40, 2**18))
    monkeypatch.setattr(checks, "GIB", 2**20)
    with pytest.raises(InputError, match=r"need 0\.\d+ GiB and the disk has 0\.25 GiB left"):
        trained(tinier_corpus, tmp_path / "run")
    assert not (tmp_path / "run" / "checkpoints").exists()


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_an_interrupted_training_in_16_bits_goes_on_as_if_it_had_not_been(
    precision, tinier_corpus, tmp_path, monkeypatch
):
    recipe = short_recipe(tinier_corpus, training={**SHORT, "precision": precision})
    interrupt(recipe, tmp_path / "run", monkeypatch, after=2)
    broken = train(recipe, tmp_path / "run", progress=False)
    unbroken = train(recipe, tmp_path / "unbroken", progress=False)
    for name, tensor in unbroken.state().items():
        assert torch.equal(broken.state()[name], tensor), name


def test_space_that_the_run_takes_already_is_not_asked_for_again(
    tinier_corpus, tmp_path, monkeypatch
):
    interrupt(short_recipe(tinier_corpus), tmp_path / "run", monkeypatch, after=2)
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: Usage(2**40, 2**40, 450_000))
    with pytest.raises(InputError, match="the disk has"):
        trained(tinier_corpus, tmp_path / "other")
    trained(tinier_corpus, tmp_path / "run")


def test_a_disk_that_is_full_later_says_what_is_safe_and_leaves_it_so(
    tinier_corpus, tmp_path, monkeypatch
):
    save_file, count = weights.save_file, iter(range(100))

    def full(tensors: Any, path: Path, metadata: Any) -> None:
        if next(count) == 4:  # the optimizer of the second checkpoint
            raise SafetensorError("No space left on device")
        save_file(tensors, path, metadata)

    with monkeypatch.context() as patched:
        patched.setattr(weights, "save_file", full)
        with pytest.raises(InputError) as caught:
            trained(tinier_corpus, tmp_path / "run")
    message = str(caught.value)
    assert "000008: cannot be written (No space left on device)" in message
    assert "Step 4 is safe, and the same command resumes from there" in message
    assert [path.name for path in (tmp_path / "run" / "checkpoints").iterdir()] == ["000004"]

    resumed = trained(tinier_corpus, tmp_path / "run")
    unbroken = trained(tinier_corpus, tmp_path / "unbroken")
    assert resumed.weights.read_bytes() == unbroken.weights.read_bytes()


def test_a_loss_that_is_not_finite_names_the_update_and_the_last_checkpoint(
    tinier_corpus, tmp_path
):
    with pytest.raises(InputError) as caught:
        trained(tinier_corpus, tmp_path / "run", training={**SHORT, "learning_rate": 1e9})
    message = str(caught.value)
    assert "the loss of update 2 is not finite" in message
    assert "There is no checkpoint yet" in message
    assert "training.learning_rate" in message


def test_a_validation_that_is_not_finite_ends_training_before_it_is_taken_for_the_best(
    tinier_corpus, tmp_path, monkeypatch
):
    losses = iter([2.0, float("nan")])
    monkeypatch.setattr(validation, "validation_loss", lambda *_: next(losses))
    with pytest.raises(InputError, match="validation loss of update 8 is not finite") as caught:
        trained(tinier_corpus, tmp_path / "run")
    assert "Step 4 is safe" in str(caught.value)


def test_fp16_that_never_becomes_finite_ends_too(tinier_corpus, tmp_path, monkeypatch):
    def overflowing(states: Tensor, *_: Any) -> Losses:
        loss = states.sum() * float("inf")
        return Losses(loss, loss.detach(), torch.ones(()))

    monkeypatch.setattr(loss, "smoothed_cross_entropy", overflowing)
    with pytest.raises(InputError, match="the loss of update 27 is not finite"):
        trained(
            tinier_corpus,
            tmp_path / "run",
            training={"max_steps": 100, "validate_every": 100, "precision": "fp16"},
        )


def test_a_directory_is_trained_in_by_one_process_at_a_time(tinier_corpus, tmp_path):
    with (
        reserve_directory(tmp_path / "run", is_main_process=True),
        pytest.raises(InputError, match="another process is training in this directory"),
    ):
        trained(tinier_corpus, tmp_path / "run")


def test_leftovers_of_a_killed_process_are_removed(tinier_corpus, tmp_path, monkeypatch):
    run = tmp_path / "run"
    interrupt(short_recipe(tinier_corpus), run, monkeypatch, after=1)
    owner = "01234567-17-89abcdef"
    leftovers = [
        run / f".weights.safetensors.{owner}.part",
        run / "checkpoints" / f".000008.{owner}.part",
    ]
    leftovers[0].write_text("half")
    leftovers[1].mkdir()
    (leftovers[1] / "weights.safetensors").write_text("half")
    trained(tinier_corpus, run)
    assert not any(path.exists() for path in leftovers)


def test_a_run_is_resumed_without_the_run_it_started_from(tiny_run, tmp_path, monkeypatch):
    first = tmp_path / "first"
    shutil.copytree(tiny_run.directory, first)
    keys = {"run": str(first), "loaded_learning_rate": 1e-3}
    recipe = short_recipe(Path(tiny_run.recipe.data.train.source).parent, initialize=keys)
    unbroken = train(recipe, tmp_path / "unbroken", progress=False)
    interrupt(recipe, tmp_path / "run", monkeypatch, after=1)
    shutil.rmtree(first)
    resumed = train(recipe, tmp_path / "run", progress=False)
    assert resumed.weights.read_bytes() == unbroken.weights.read_bytes()
