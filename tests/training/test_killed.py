"""A run that is killed at any moment ends as it would have without."""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from docmt.recipes import Recipe
from docmt.runs import Run
from docmt.training import train
from toy import toy_recipe

TRAINING = {
    "max_steps": 24, "validate_every": 4, "batch_tokens": 128, "accumulate_batches": 2,
    "word_dropout_source": 0.1, "word_dropout_target": 0.1,
    "average": {"kind": "best", "checkpoints": 3},
}  # fmt: skip


@pytest.fixture(scope="module")
def processes() -> Any:
    """Starts processes that need not import everything again."""
    context = multiprocessing.get_context("forkserver")
    # The first step of an optimizer imports the second one.
    context.set_forkserver_preload(["docmt.training", "torch._dynamo"])
    return context


@pytest.fixture(scope="module")
def recipe(tinier_corpus: Path) -> Recipe:
    return toy_recipe(tinier_corpus, system={"dropout": 0.2}, training=TRAINING)


@pytest.fixture(scope="module")
def unbroken(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(recipe, tmp_path_factory.mktemp("unbroken") / "run", progress=False)


def begin(processes: Any, recipe: Recipe, directory: Path) -> BaseProcess:
    process: BaseProcess = processes.Process(
        target=train, args=(recipe, directory), kwargs={"progress": False}
    )
    process.start()
    return process


def kill(process: BaseProcess) -> None:
    process.kill()
    process.join()


def log_without_times(run: Run) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in run.log.read_text().splitlines()]
    for line in lines:
        line.pop("time")
        line.pop("tokens_per_second", None)
    return lines


def check(process: BaseProcess, directory: Path, unbroken: Run) -> None:
    """Let a process train to the end, and compare what it made."""
    process.join(timeout=60)
    assert process.exitcode == 0
    run = Run.load(directory)
    assert run.weights.read_bytes() == unbroken.weights.read_bytes()
    assert log_without_times(run) == log_without_times(unbroken)
    checkpoints = [sorted(p.name for p in r.checkpoints.iterdir()) for r in (run, unbroken)]
    assert checkpoints[0] == checkpoints[1]


def test_killed_at_random_moments(processes, recipe, unbroken, tmp_path):
    draw = random.Random(1)
    for _ in range(4):
        process = begin(processes, recipe, tmp_path / "run")
        time.sleep(draw.uniform(0.05, 0.5))
        kill(process)
    check(begin(processes, recipe, tmp_path / "run"), tmp_path / "run", unbroken)


def test_killed_while_a_file_or_directory_is_being_written(processes, recipe, unbroken, tmp_path):
    seen = 0
    for folder in ("run", "run/checkpoints", "run/checkpoints"):
        process = begin(processes, recipe, tmp_path / "run")
        while process.is_alive():
            if any(path.suffix == ".part" for path in (tmp_path / folder).glob(".*")):
                seen += 1
                break
        kill(process)
    assert seen
    check(begin(processes, recipe, tmp_path / "run"), tmp_path / "run", unbroken)
