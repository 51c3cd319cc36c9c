"""Working through the points of a sweep, several side by side, together with other processes in the
same folder. Each point is a separate process and cannot harm the others.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import BaseProcess

import torch

from docmt_research.sweeps.folder import Claim, SweepFolder
from docmt_research.sweeps.points import Point
from docmt_research.sweeps.training_point import Task, work, write_failure

POLL_SECONDS = 0.5
"""Seconds between checks of the claims of other processes."""

Report = Callable[[Point], None]
"""Called with each ended point."""


@dataclass(slots=True)
class _Working:
    """A point in progress."""

    point: Point
    claim: Claim
    process: BaseProcess
    slot: int


class Execution:
    """Works through the points of a sweep. Each point is tried once: a finished point is never
    repeated, and a failed point is tried again.

    Args:
        folder: the folder of the sweep.
        jobs: number of points to work on at a time. Threads are divided among them, and GPUs are
            handed out in turn.
        wait: whether to wait for the points of other processes, and take over abandoned points.
        report: called with each point ended here.
    """

    def __init__(
        self,
        folder: SweepFolder,
        *,
        jobs: int = 1,
        wait: bool = True,
        report: Report = lambda _: None,
    ) -> None:
        self.folder, self.jobs, self.wait, self.report = folder, jobs, wait, report
        self._left = [point for point in folder.points if folder.result(point) is None]
        self._failed_before = {point.name for point in self._left if folder.failure(point)}
        self._claims = {point.name: Claim(folder.of(point)) for point in self._left}
        self._working: list[_Working] = []
        self._threads = max(1, torch.get_num_threads() // jobs)
        self._gpus = _gpus()

    def run(self) -> None:
        """Work until no point is left.

        Raises:
            InputError: the folder cannot be written.
        """
        # A process that imports everything once, and from which the others are forked.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["docmt_research.sweeps.training_point", "torch._dynamo"])
        try:
            while True:
                self._start(context)
                if not self._working and (not self._left or not self.wait):
                    return
                sentinels = [working.process.sentinel for working in self._working]
                wait_for(sentinels, timeout=POLL_SECONDS)
                self._finish()
        finally:
            for working in self._working:
                working.process.terminate()
            for working in self._working:
                working.process.join()
                working.claim.release()

    def _start(self, context: multiprocessing.context.ForkServerContext) -> None:
        """Start work on open points not claimed by others, up to the number of jobs."""
        for point in list(self._left):
            if len(self._working) >= self.jobs:
                return
            if self._has_ended(point):
                self._left.remove(point)
                continue
            claim = self._claims[point.name]
            if not claim.acquire():
                continue
            self._left.remove(point)
            if self._has_ended(point):  # by another process, before the claim was ours
                claim.release()
                continue
            slot = min(set(range(self.jobs)) - {working.slot for working in self._working})
            task = Task(
                self.folder.of(point),
                self.folder.directory,
                point.recipe.model_dump(mode="json"),
                self.folder.split,
                self._threads,
                self._gpus[slot % len(self._gpus)] if self._gpus else None,
            )
            process = context.Process(target=work, args=(task,))
            process.start()
            self._working.append(_Working(point, claim, process, slot))

    def _has_ended(self, point: Point) -> bool:
        """Return whether a point is done, or has failed since this process began."""
        if self.folder.result(point) is not None:
            return True
        return point.name not in self._failed_before and self.folder.failure(point) is not None

    def _finish(self) -> None:
        """Report ended points, and give up points with a lost claim."""
        for working in list(self._working):
            if working.claim.lost:
                working.process.terminate()
            elif working.process.is_alive():
                continue
            working.process.join()
            self._working.remove(working)
            if working.claim.lost:
                self._left.append(working.point)
                continue
            if working.process.exitcode:
                write_failure(self.folder.of(working.point), _death(working.process.exitcode))
            working.claim.release()
            self.report(working.point)


def _death(exit_code: int) -> str:
    """The reason for the end of a process that could not report the reason itself."""
    if exit_code < 0:
        return (
            f"its process was killed by signal {-exit_code}; there may not have been enough memory"
        )
    return f"its process ended with exit code {exit_code}; see output.log"


def _gpus() -> list[str]:
    """The GPUs to hand out, as `CUDA_VISIBLE_DEVICES` names them; none unless there are several."""
    if (named := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        gpus = [name for name in named.split(",") if name]
    else:
        gpus = [str(i) for i in range(torch.cuda.device_count())]
    return gpus if len(gpus) > 1 else []
