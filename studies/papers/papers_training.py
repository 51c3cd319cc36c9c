"""Training the experiments of `papers.py`, several side by side, each in a process of one thread.

Everything can be stopped at any time: what was being trained goes on from its last checkpoint, and
what has ended is not trained again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from docmt_nmt.data.preparation import prepare
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training import train
from papers_workspace import Training, Workspace

PROGRAM = Path(__file__).with_name("papers.py")
POLL_SECONDS = 0.5


def train_here(workspace: Workspace, training: Training) -> SystemRun:
    """Train in this process, until the one that started it has ended."""
    end_with_parent()
    torch.set_num_threads(1)
    return train(workspace.recipe(training), workspace.run(training))


def end_with_parent() -> None:
    """End this process when the one that started it has ended, however that happened."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def prepare_corpora(workspace: Workspace, wanted: Sequence[Training]) -> None:
    """Prepare the corpora that trainings share, unless that is done.

    Raises:
        InputError: a file is missing or cannot be used.
    """
    for training in wanted:
        folder = workspace.corpus(training.experiment)
        if training.experiment.start is None and not folder.exists():
            prepare(workspace.recipe(training), folder)


@dataclass(slots=True)
class Driver:
    """Works through trainings in their order, as many at a time as there are jobs.

    Attributes:
        workspace: where.
        options: of the program for each training, before its name.
        jobs: how many are trained at a time.
        report: called with what has happened.
        failed: those that ended with an error.
    """

    workspace: Workspace
    options: Sequence[str]
    jobs: int = 1
    report: Callable[[str], None] = print
    failed: list[Training] = field(default_factory=list)
    _working: dict[str, tuple[Training, subprocess.Popen[bytes]]] = field(default_factory=dict)

    def run(self, wanted: Sequence[Training], *, minutes: float | None = None) -> bool:
        """Train until nothing is left or the time is over.

        Args:
            wanted: the trainings, those that others need among them.
            minutes: stop after so many.

        Returns:
            Whether everything that was wanted has ended well.
        """
        end = None if minutes is None else time.monotonic() + 60 * minutes
        left = [one for one in wanted if not self.workspace.is_done(one)]
        self.report(f"{len(wanted)} trainings, {len(wanted) - len(left)} of them done")
        total = len(left)
        try:
            while left and (end is None or time.monotonic() < end):
                self._start(left)
                if not self._working:
                    break  # what is left needs something that has failed
                time.sleep(POLL_SECONDS)
                left = self._finish(left, total)
        except KeyboardInterrupt:
            self.report("interrupted")
        finally:
            self._stop()
        if left:
            names = ", ".join(one.name for one in left)
            self.report(f"left for the same command: {names}")
        return not left

    def _start(self, left: Sequence[Training]) -> None:
        """Start what is ready, in order, while fewer work than there are jobs."""
        names = {one.name for one in left}
        for training in left:
            if len(self._working) >= self.jobs:
                return
            waits = any(need.name in names for need in training.needs)
            if training.name in self._working or training in self.failed or waits:
                continue
            one = ["one", training.experiment.name, str(training.seed), *self.options]
            self.workspace.runs.mkdir(parents=True, exist_ok=True)
            with self._log(training).open("ab") as log:
                process = subprocess.Popen(
                    [sys.executable, str(PROGRAM), *one],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=one_thread(),
                )
            self._working[training.name] = training, process
            self.report(f"{training.name}: started")

    def _finish(self, left: Sequence[Training], total: int) -> list[Training]:
        """Report what has ended; what is left now."""
        ended = {name: pair for name, pair in self._working.items() if pair[1].poll() is not None}
        for name, (training, process) in ended.items():
            del self._working[name]
            if process.returncode or not self.workspace.is_done(training):
                self.failed.append(training)
                self.report(f"{name}: failed; see {self._log(training)}")
        still = [one for one in left if one.name not in ended or one in self.failed]
        for name, (training, _) in ended.items():
            if training not in self.failed:
                summary = summary_of(self.workspace.run(training))
                self.report(f"[{total - len(still)}/{total}] {name}: {summary}")
        return still

    def _stop(self) -> None:
        """End the processes that still work; their trainings go on from their last checkpoint."""
        for _, process in self._working.values():
            process.terminate()
        for _, process in self._working.values():
            process.wait()
        self._working.clear()

    def _log(self, training: Training) -> Path:
        """What a training prints."""
        return self.workspace.runs / f"{training.name}.log"


def one_thread() -> Mapping[str, str]:
    """The environment of a process of one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PYTHONUNBUFFERED": "1"}


def summary_of(run: Path) -> str:
    """What became of a finished training, in words."""
    cost = training_cost(run)
    return (
        f"validation loss {cost['validation_loss']:.3f} · {cost['updates']:,} updates · "
        f"{cost['seconds'] / 60:.0f} min · {cost['tokens_per_second']:,.0f} tokens/s"
    )


def training_cost(run: Path) -> dict[str, float]:
    """What a training has cost so far, by its log: updates, target tokens, their median number per
    second, seconds at that speed, the mean seconds of an update, and the last validation loss."""
    lines = read_log(run / "log.jsonl")
    trained = [line for line in lines if line["kind"] == "train"]
    losses = [line["loss"] for line in lines if line["kind"] in ("valid", "end")]
    if not trained:
        return {}
    # The first line is that of the first update, which also warms up; the median is robust against
    # what else the machine does.
    later = trained[1:] or trained
    speeds = sorted(line["tokens_per_second"] for line in later)
    speed = max(speeds[len(speeds) // 2], 1e-9)
    tokens = sum(line["tokens"] for line in trained)
    updates = trained[-1]["step"]
    return {
        "updates": updates,
        "tokens": tokens,
        "tokens_per_second": speed,
        "seconds": tokens / speed,
        "seconds_per_update": tokens / speed / updates,
        "validation_loss": losses[-1] if losses else float("nan"),
    }
