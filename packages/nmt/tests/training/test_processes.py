"""Several processes learn what one process learns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from docmt_nmt.recipes import dump
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from toy import toy_recipe

SCRIPT = """
import sys
from docmt_nmt.recipes import load
from docmt_nmt.training import train
train(load(sys.argv[1]), sys.argv[2], progress=False)
"""

TRAINING = {
    "max_steps": 12,
    "validate_every": 6,
    "batch_tokens": 700,
    "epsilon": 1e-3,
    "word_dropout_source": 0.1,
    "word_dropout_target": 0.1,
    "best_checkpoint_metric": "d-bleu",
    "log_attention": True,
}


def launch(recipe: Path, run: Path, folder: Path, processes: int) -> None:
    """Train on the CPU in several processes."""
    script = folder / "script.py"
    script.write_text(SCRIPT)
    launcher = [
        sys.executable,
        "-m",
        "accelerate.commands.launch",
        "--multi_gpu",
        "--num_machines=1",
        "--main_process_port=0",
        "--mixed_precision=no",
        "--dynamo_backend=no",
    ]
    done = subprocess.run(
        [*launcher, f"--num_processes={processes}", script, recipe, run],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def numbers(run, name: str) -> list[Any]:
    lines = [json.loads(line) for line in run.log.read_text().splitlines()]
    return [line[name] for line in lines if name in line]


@pytest.fixture
def one_thread() -> Iterator[None]:
    """As many threads as each of the launched processes has, so that sums round alike."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("processes", [2, 3])
def test_processes_learn_what_accumulation_learns(tiny_corpus, tmp_path, processes):
    # Dropout included: what is random in a batch does not depend on who computes it. In an
    # epoch's last update some of three processes have no batch.
    recipe = toy_recipe(tiny_corpus, system={"dropout": 0.2}, training=TRAINING)
    path = tmp_path / "recipe.yaml"
    path.write_text(dump(recipe))
    launch(path, tmp_path / "many", tmp_path, processes)
    many = SystemRun.load(tmp_path / "many")

    training = recipe.training.model_copy(update={"accumulate_batches": processes})
    one = train(recipe.model_copy(update={"training": training}), tmp_path / "one", progress=False)
    for name in ("loss", "nll", "tokens", "epoch", "bleu", "grad_norm"):
        assert numbers(many, name) == pytest.approx(numbers(one, name), rel=1e-4)
    entropies = zip(*(numbers(run, "attention_entropy") for run in (many, one)), strict=True)
    for found, expected in entropies:
        assert found == pytest.approx(expected, rel=1e-4)
    for name, tensor in one.state().items():
        torch.testing.assert_close(many.state()[name], tensor, rtol=1e-3, atol=1e-5)
