"""The driver of the experiments' trainings: several at a time, in order, stopped at any time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.recipes import dump

# Writes what a training writes when it has ended, unless it is to fail.
PROGRAM = """
import json, sys, pathlib
name, seed, runs = sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[sys.argv.index("--runs") + 1])
with open(runs / "order", "a") as order:
    order.write(f"{name}-{seed}\\n")
if name in sys.argv[sys.argv.index("--fail") + 1 :]:
    sys.exit("no")
run = runs / f"{name}-{seed}"
run.mkdir()
(run / "recipe.yaml").write_text((runs / "recipes" / f"{name}-{seed}.yaml").read_text())
train = {"kind": "train", "step": 10, "loss": 2.0, "nll": 2.0, "tokens": 100}
train["tokens_per_second"] = 50.0
end = {"kind": "end", "step": 10, "loss": 1.5, "perplexity": 4.5}
(run / "log.jsonl").write_text(json.dumps(train) + "\\n" + json.dumps(end) + "\\n")
"""


@pytest.fixture
def drive(papers, monkeypatch, tmp_path):
    """Drives trainings by a program that does not really train; what it tells, and the order."""
    import papers_training
    from papers_workspace import Workspace

    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setattr(papers_training, "PROGRAM", program)
    monkeypatch.setattr(papers_training, "POLL_SECONDS", 0.02)

    def run(wanted, fail=(), **keys):
        said: list[str] = []
        place = Workspace(tmp_path)
        for one in wanted:
            path = tmp_path / "recipes" / f"{one.name}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(dump(place.recipe(one)))
        options = ["--runs", str(tmp_path), "--fail", *fail]
        driver = papers_training.Driver(place, options, 2, said.append)
        done = driver.run(wanted, **keys)
        order = tmp_path / "order"
        return done, said, order.read_text().split() if order.exists() else []

    return run


def test_what_others_need_ends_before_they_begin(papers, drive):
    from papers_workspace import trainings

    done, said, order = drive(trainings(["han", "document"], (1, 2)))
    assert done
    assert len(order) == 6
    for seed in (1, 2):
        assert order.index(f"sentence-{seed}") < order.index(f"han-{seed}")
    assert any("[6/6]" in line and "validation loss 1.500" in line for line in said)


def test_what_has_ended_is_not_trained_again(papers, drive):
    from papers_workspace import trainings

    drive(trainings(["sentence"], (1,)))
    done, said, order = drive(trainings(["sentence", "document"], (1,)))
    assert done
    assert order == ["sentence-1", "document-1"]
    assert "1 of them done" in said[0]


def test_a_run_with_another_budget_is_not_taken_for_this_one(papers, drive, tmp_path):
    from papers_workspace import Budget, Workspace, trainings

    (one,) = trainings(["sentence"], (1,))
    drive([one])
    with pytest.raises(InputError, match=r"these keys differ: training\.max_steps"):
        Workspace(tmp_path, budget=Budget(4_000)).is_done(one)


def test_a_failure_stops_what_needs_it_alone(papers, drive):
    from papers_workspace import trainings

    done, said, order = drive(trainings(["han", "document"], (1,)), fail=["sentence"])
    assert not done
    assert "document-1" in order
    assert "han-1" not in order
    assert any("sentence-1: failed" in line and ".log" in line for line in said)
    assert "han-1" in said[-1]


def test_the_time_can_be_limited(papers, drive):
    from papers_workspace import trainings

    done, said, order = drive(trainings(["sentence"], (1,)), minutes=0.0)
    assert not done
    assert order == []
    assert "sentence-1" in said[-1]


@pytest.mark.slow
def test_a_training_ends_with_the_program_that_started_it(papers, tmp_path):
    watched = (
        "import papers_training, time\n"
        "papers_training.POLL_SECONDS = 0.02\n"
        "papers_training.end_with_parent()\n"
        "open('started', 'w').close()\n"
        "time.sleep(60)\n"
    )
    starter = (
        "import subprocess, sys, os, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {watched!r}])\n"
        "print(child.pid, flush=True)\n"
        "while not os.path.exists('started'): time.sleep(0.02)\n"
    )
    environment = {"PYTHONPATH": f"{papers}", "PATH": ""}
    ended = subprocess.run(
        [sys.executable, "-c", starter],
        cwd=tmp_path,
        env=environment,
        text=True,
        capture_output=True,
        check=True,
    )
    child = int(ended.stdout)
    for _ in range(500):
        if not Path(f"/proc/{child}").exists():
            break
        time.sleep(0.02)
    assert not Path(f"/proc/{child}").exists()


def test_the_cost_of_a_training_is_that_of_its_log(papers, tmp_path):
    from papers_training import training_cost

    lost = {"loss": 3.0, "nll": 3.0}
    lines = [
        {"kind": "train", "step": 1, "tokens": 100, "tokens_per_second": 1.0, **lost},
        {"kind": "train", "step": 10, "tokens": 900, "tokens_per_second": 500.0, **lost},
        {"kind": "valid", "step": 10, "loss": 2.0},
        {"kind": "train", "step": 20, "tokens": 1000, "tokens_per_second": 500.0, **lost},
        {"kind": "train", "step": 30, "tokens": 1000, "tokens_per_second": 5.0, **lost},
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    cost = training_cost(tmp_path)
    assert cost["tokens_per_second"] == 500
    assert cost["seconds"] == 6.0
    assert cost["updates"] == 30
    assert cost["validation_loss"] == 2.0
