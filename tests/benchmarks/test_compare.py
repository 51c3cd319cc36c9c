"""Two checkouts are compared by the figures of a benchmark that each runs with its own sources."""

import runpy
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPT = """
import json, sys
from pathlib import Path
import sources
assert sys.argv[1:3] == ["--size", "1"]
figures = {name: {"user_best": sources.SECONDS} for name in sources.NAMES}
Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps({"figures": figures}))
"""


def checkout(folder, seconds, names):
    """A checkout with one benchmark."""
    for name in ("packages/nmt/src", "benchmarks"):
        (folder / name).mkdir(parents=True)
    (folder / "packages/nmt/src/sources.py").write_text(f"SECONDS, NAMES = {seconds}, {names}")
    (folder / "benchmarks" / "steps.py").write_text(SCRIPT)
    return folder


@pytest.fixture
def compare(monkeypatch, tmp_path):
    """Compares a benchmark of 2 seconds with one of 3."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    before = checkout(tmp_path / "before", 2.0, ["step", "gone"])
    after = checkout(tmp_path / "after", 3.0, ["step", "new"])

    def run(*arguments):
        command = ["compare", before, after, "steps", "--rounds", "2", "--", *arguments]
        monkeypatch.setattr(sys, "argv", [str(argument) for argument in command])
        runpy.run_path(str(BENCHMARKS / "compare.py"), run_name="__main__")

    return run


def test_figures_that_both_have_are_compared(compare, capsys):
    compare("--size", "1")
    rows = [line.strip("| ").split("|") for line in capsys.readouterr().out.splitlines()[3:]]
    assert [row[0].strip() for row in rows] == ["step", "whole process"]
    assert [cell.strip() for cell in rows[0][1:]] == ["2.000", "3.000", *["1.500"] * 4]


def test_a_benchmark_that_fails_is_reported_with_its_output(compare):
    with pytest.raises(SystemExit, match="AssertionError"):
        compare("--size", "2")
