"""Benchmarks as their users run them, in small."""

import json
import runpy
import sys
from pathlib import Path

import pytest

from toy import write_real_corpus

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def sentences(tmp_path_factory):
    """The arguments that name a corpus of a few real documents and a small system."""
    folder = write_real_corpus(tmp_path_factory.mktemp("corpus") / "real", documents=6)
    files = [str(folder / f"train.{language}") for language in ("en", "de")]
    return ["--corpus", *files, "--vocabulary-size", "500"]


@pytest.fixture
def benchmark(monkeypatch, capsys, tmp_path):
    """Runs a benchmark with arguments; what it prints, and the figures that it writes."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setattr("measuring.MATRIX", 64)

    def run(name, *arguments):
        file = tmp_path / "figures.json"
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments), "--json", str(file)])
        runpy.run_path(str(BENCHMARKS / f"{name}.py"), run_name="__main__")
        printed = capsys.readouterr().out
        machine = printed.splitlines()[0]
        assert "threads" in machine
        assert "torch" in machine
        return printed, json.loads(file.read_text("utf-8"))["figures"]

    return run
