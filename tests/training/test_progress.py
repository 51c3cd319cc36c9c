"""What a person sees while a run trains."""

from __future__ import annotations

import pytest

from docmt.training import progress
from docmt.training.progress import Progress, spoken


def test_without_a_terminal_a_line_comes_now_and_then(capfd, monkeypatch):
    times = iter([0.0, 10.0, 31.0, 40.0, 62.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with Progress(True, steps=2000) as shown:
        for step in (10, 500, 1000, 1500):
            shown.update(step, 2.5, 12_345.6)
        shown.say("[a line]")
    captured = capfd.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == ""
    assert [line.split(" · ")[:3] for line in lines[:2]] == [
        [f"step {step}/2,000", "loss 2.500", "12,346 tokens/s"] for step in ("500", "1,500")
    ]
    assert lines[2:] == ["[a line]"]


def test_nothing_is_shown_where_nothing_is_wanted(capfd):
    with Progress(False, steps=10) as shown:
        shown.preparing("fit", 1)
        shown.update(1, 2.5, 100.0)
        shown.say("a line")
    assert capfd.readouterr() == ("", "")


def test_every_part_of_the_preparation_is_named_once(capfd):
    with Progress(True, steps=10) as shown:
        for what in ("fit", "train"):
            for documents in (1, 2, 3):
                shown.preparing(what, documents)
    assert capfd.readouterr().err.splitlines() == [
        "preparing the corpus: learning the text pipeline",
        "preparing the corpus: encoding the train split",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (89, "89 s"), (720, "12 min"), (12600, "3.5 h")]
)
def test_times_are_told_in_words(seconds, text):
    assert spoken(seconds) == text
