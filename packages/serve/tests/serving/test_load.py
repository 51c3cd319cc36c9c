"""Many clients at once: none is forgotten, and none gets what is of another."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from docmt_serve.models.models import Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings

BENCHMARKS = Path(__file__).parents[4] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    """The names in the benchmark of the service."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return runpy.run_path(str(BENCHMARKS / "serving.py"))


@pytest.mark.slow
def test_sentences_and_files_of_many_clients_all_come_back(benchmark, in_a_thread, model, tmp_path):
    service = Service.of(ServiceSettings(queue_limit=8), Models([model]), tmp_path)
    with in_a_thread(service) as url:
        counts, _ = benchmark["work"](int(url.rpartition(":")[2]), 24, 1.0, 0.3)
        assert sum(service.jobs.counts().values()) == 0
    assert (counts.lost, counts.wrong) == ([], [])
    assert len(counts.seconds) >= 12
    assert counts.refused > 0  # The queue is short, and who was refused came back.
    assert counts.files > 0


@pytest.mark.slow
def test_two_hundred_clients_for_minutes(monkeypatch, capsys):
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setattr(sys, "argv", ["serving.py", "--seconds", "600", "--book", "400"])
    runpy.run_path(str(BENCHMARKS / "serving.py"), run_name="__main__")  # exits if one is lost
    printed = capsys.readouterr().out
    assert "200 clients" in printed
    _, settled, *_, last = re.search(r"quarter of the load: (.*)", printed)[1].split()
    assert int(last) < 1.2 * int(settled)


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--keys"]], ids=["without keys", "with keys"])
def test_hostile_clients_keep_nobody_waiting(monkeypatch, capsys, options):
    monkeypatch.syspath_prepend(BENCHMARKS)
    asked = ["hostile_clients.py", "--seconds", "30", "--clients", "20", "--slowest", "5"]
    monkeypatch.setattr(sys, "argv", [*asked, *options])
    runpy.run_path(str(BENCHMARKS / "hostile_clients.py"), run_name="__main__")
    assert "0 answers of 500 and more" in capsys.readouterr().out
