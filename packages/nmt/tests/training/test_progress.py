"""What a user sees while a run trains."""

from __future__ import annotations

from contextlib import closing

import pytest

from docmt_nmt.training import progress
from docmt_nmt.training.progress import ProgressBar, format_duration


def test_without_a_terminal_a_line_is_printed_now_and_then(capfd, monkeypatch):
    times = iter([0.0, 10.0, 31.0, 40.0, 62.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with closing(ProgressBar(True, max_steps=2000)) as bar:
        for step in (10, 500, 1000, 1500):
            bar.update(step, 2.5, 12_345.6)
        bar.print("[a line]")
    captured = capfd.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == ""
    assert [line.split(" · ")[:3] for line in lines[:2]] == [
        [f"step {step}/2,000", "loss 2.500", "12,346 tokens/s"] for step in ("500", "1,500")
    ]
    assert lines[2:] == ["[a line]"]


def test_without_a_limit_no_total_is_shown(capfd, monkeypatch):
    times = iter([0.0, 31.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with closing(ProgressBar(True, max_steps=None)) as bar:
        bar.update(500, 2.5, 100.0)
    assert capfd.readouterr().err == "step 500 · loss 2.500 · 100 tokens/s\n"


def test_an_invisible_bar_prints_nothing(capfd):
    with closing(ProgressBar(False, max_steps=10)) as bar:
        bar.show_preparation("fit", 1)
        bar.update(1, 2.5, 100.0)
        bar.print("a line")
    assert capfd.readouterr() == ("", "")


def test_every_phase_of_the_preparation_is_printed_once(capfd):
    with closing(ProgressBar(True, max_steps=10)) as bar:
        for phase in ("fit", "train"):
            for documents in (1, 2, 3):
                bar.show_preparation(phase, documents)
    assert capfd.readouterr().err.splitlines() == [
        "preparing the corpus: fitting the text pipeline",
        "preparing the corpus: encoding the train split",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (89, "89 s"), (720, "12 min"), (12600, "3.5 h")]
)
def test_durations_are_formatted_with_a_unit(seconds, text):
    assert format_duration(seconds) == text
