"""A run that is killed at any moment ends as it would have without."""

from __future__ import annotations

import json
import random
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from killing import begin, kill, wait_for_part
from toy import toy_recipe

TRAINING = {
    "max_steps": 24,
    "validate_every": 4,
    "batch_tokens": 128,
    "accumulate_batches": 2,
    "word_dropout_source": 0.1,
    "word_dropout_target": 0.1,
    "average": {"kind": "best", "checkpoints": 3},
}


@pytest.fixture(scope="module")
def recipe(tinier_corpus: Path) -> Recipe:
    return toy_recipe(tinier_corpus, system={"dropout": 0.2}, training=TRAINING)


@pytest.fixture(scope="module")
def unbroken(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory):
    return train(recipe, tmp_path_factory.mktemp("unbroken") / "run", progress=False)


def log_without_times(run) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in run.log.read_text().splitlines()]
    for line in lines:
        line.pop("time")
        line.pop("tokens_per_second", None)
    return lines


def check(process: BaseProcess, directory: Path, unbroken) -> None:
    """Let a process train to the end, and compare what it made."""
    process.join(timeout=60)
    assert process.exitcode == 0
    run = SystemRun.load(directory)
    assert run.weights.read_bytes() == unbroken.weights.read_bytes()
    assert log_without_times(run) == log_without_times(unbroken)
    checkpoints = [sorted(p.name for p in r.checkpoints.iterdir()) for r in (run, unbroken)]
    assert checkpoints[0] == checkpoints[1]


def begin_training(forkserver: Any, recipe: Recipe, directory: Path) -> BaseProcess:
    return begin(forkserver, train, recipe, directory, progress=False)


@pytest.mark.parametrize("kills", [4, pytest.param(30, marks=pytest.mark.slow)])
def test_killed_at_random_moments(forkserver, recipe, unbroken, tmp_path, kills):
    draw = random.Random(kills)
    for _ in range(kills):
        process = begin_training(forkserver, recipe, tmp_path / "run")
        time.sleep(draw.uniform(0.05, 0.5))
        kill(process)
    check(begin_training(forkserver, recipe, tmp_path / "run"), tmp_path / "run", unbroken)


def test_killed_while_a_file_or_directory_is_being_written(forkserver, recipe, unbroken, tmp_path):
    seen = 0
    for folder in ("run", "run/checkpoints", "run/checkpoints"):
        process = begin_training(forkserver, recipe, tmp_path / "run")
        seen += wait_for_part(process, tmp_path / folder)
        kill(process)
    assert seen
    check(begin_training(forkserver, recipe, tmp_path / "run"), tmp_path / "run", unbroken)
