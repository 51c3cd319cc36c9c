"""The benchmarks of attention and training run, in small."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SMALL = ["--types", "500", "--tokens", "64", "--rounds", "1"]


@pytest.mark.parametrize(
    ("arguments", "columns"),
    [
        (["attention.py", "--heads", "2", "--dimension", "8"], ["attend", "kernel", "dense"]),
        (["training.py", "--preset", "tiny", "--lengths", "32", "64"], ["dense", "fp32", "bf16"]),
        (["training.py", "--preset", "tiny", "--memory", "--lengths", "32"], ["KiB a token"]),
    ],
    ids=["attention", "speed", "memory"],
)
def test_a_benchmark_prints_the_machine_and_its_table(arguments, columns):
    done = subprocess.run(
        [sys.executable, BENCHMARKS / arguments[0], *arguments[1:], *SMALL],
        capture_output=True,
        text=True,
        check=True,
    )
    machine, _, *table = done.stdout.splitlines()
    assert "threads" in machine
    assert "torch" in machine
    assert all(column in done.stdout for column in columns)
    assert table
