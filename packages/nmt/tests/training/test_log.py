"""The log: written lines are read back, and the log of a resumed run is complete."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training.log import Log

NUMBERS = {"loss": 0.5, "nll": 0.5, "tokens": 8, "tokens_per_second": 2.0}


def write(path, *steps):
    with closing(Log(path, step=10**9)) as lines:
        for step in steps:
            lines.write("train", step, **NUMBERS | {"loss": 1 / 3})


def test_lines_come_back_with_seven_digits_and_a_time(tmp_path):
    write(tmp_path / "log", 1, 2)
    lines = read_log(tmp_path / "log")
    assert [line["step"] for line in lines] == [1, 2]
    assert lines[0]["loss"] == 0.3333333
    assert lines[0]["time"] > 1.7e9


def test_lines_after_the_step_that_is_resumed_from_are_removed(tmp_path):
    write(tmp_path / "log", 1, 5, 5, 6, 10)
    with closing(Log(tmp_path / "log", step=5)) as lines:
        lines.write("train", 6, **NUMBERS)
    assert [line["step"] for line in read_log(tmp_path / "log")] == [1, 5, 5, 6]


def test_a_line_that_was_cut_off_in_writing_is_removed(tmp_path):
    write(tmp_path / "log", 1)
    with (tmp_path / "log").open("a") as stream:
        stream.write('{"kind": "train", "st')
    write(tmp_path / "log", 2)
    assert [line["step"] for line in read_log(tmp_path / "log")] == [1, 2]


@pytest.mark.parametrize(
    "text", ["nonsense", "[1]", '{"kind": "train"}', '{"step": 1}', '{"step": "one"}', "", "\xff"]
)
def test_an_invalid_line_is_an_error_that_names_it(tmp_path, text):
    line = json.dumps({"kind": "train", "step": 1} | NUMBERS)
    (tmp_path / "log").write_text(f"{line}\n{text}\n{line}\n", encoding="latin-1")
    with pytest.raises(InputError, match="line 2: is not a valid line of a training log"):
        read_log(tmp_path / "log")


def test_a_full_disk_is_an_error_that_names_the_log(tmp_path):
    with (
        Path("/dev/full").open("ab", buffering=0) as full,
        pytest.raises(InputError, match=r"log: cannot be written \(No space left on device\)"),
        closing(Log(tmp_path / "log", step=0)) as lines,
    ):
        lines.stream = full
        lines.write("train", 1, loss=1.0)


def test_processes_other_than_the_first_write_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(Log(None, step=0, tensorboard=tmp_path / "board")) as lines:
        lines.write("train", 1, loss=1.0)
        lines.sync()
    assert not list(tmp_path.iterdir())


def test_tensorboard_gets_the_same_numbers(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with closing(Log(tmp_path / "log", step=0, tensorboard=tmp_path / "board")) as lines:
        lines.write("train", 1, loss=2.5)
        lines.write("train", 2, loss=1.5)
        lines.write("valid", 2, attention_entropy={"cross.0.global": 3.25})
    events = accumulator.EventAccumulator(str(tmp_path / "board"))
    events.Reload()
    assert [(e.step, e.value) for e in events.Scalars("train/loss")] == [(1, 2.5), (2, 1.5)]
    (entropy,) = events.Scalars("valid/attention_entropy/cross.0.global")
    assert entropy.value == 3.25


def test_a_missing_tensorboard_is_an_error_that_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch.utils.tensorboard", None)
    with pytest.raises(InputError, match=r"pip install 'docmt\[tensorboard\]'"):
        Log(tmp_path / "log", step=0, tensorboard=tmp_path / "board")
