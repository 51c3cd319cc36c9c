"""Every benchmark of search runs, in small."""

import runpy
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SMALL = ["--preset", "tiny", "--types", "600"]


@pytest.fixture
def benchmark(monkeypatch, capsys):
    """Runs a benchmark with arguments and gives what it prints."""
    monkeypatch.syspath_prepend(BENCHMARKS)

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(BENCHMARKS / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_search(benchmark):
    printed = benchmark("search", *SMALL, "--documents", 2, "--tokens", 60, "--beam-size", 2)
    for name in ("docmt documents fp32", "docmt documents int8", "docmt sentences bf16"):
        assert name in printed


def test_long_documents(benchmark):
    printed = benchmark("long_documents", *SMALL, "--tokens", 40, 80, "--beam-size", 2)
    assert "time grows with the tokens to the power" in printed


def test_parallel(benchmark, tiny_run, tiny_corpus):
    corpus = [tiny_corpus / "test.en", tiny_corpus / "test.de"]
    printed = benchmark(
        "parallel", tiny_run.directory, "--corpus", *corpus, "--documents", 3, "--passes", 1
    )
    rows = [line.split("|") for line in printed.splitlines() if line.startswith("| parallel ")]
    assert float(rows[0][5]) == 1.0, "without a limit it finds what greedy search finds"
