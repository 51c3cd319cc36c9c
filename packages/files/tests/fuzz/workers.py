"""Runs cases in forked processes, so that one that takes the process with it is a fault like any
other, and nothing that a case leaves in memory reaches the next thousand.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from fuzz.harness import Outcomes, Target, prepare, run_case


@contextmanager
def prepared(target: Target) -> Iterator[Path]:
    """A folder in which a target is prepared, by a process of its own."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)

        def write(_: IO[str]) -> None:
            prepare(target, folder)

        _, status, said = _forked(write)
        if status:
            raise RuntimeError(f"{target.name} cannot be prepared: {said}")
        yield folder


def fuzz_in_worker(target: Target, folder: Path, seeds: Sequence[int]) -> Outcomes:
    """Run the cases of these seeds in a process of their own; in another one after a case that ends
    the process.

    Args:
        folder: where the target is prepared.
    """
    outcomes = Outcomes()
    left = list(seeds)
    while left:

        def run(out: IO[str], left: list[int] = left) -> None:
            for seed in left:
                out.write(json.dumps([seed, *run_case(target, folder, seed)]) + "\n")
                out.flush()

        lines, status, said = _forked(run)
        for line in lines:
            outcomes.add(target.name, *line)
        left = left[len(lines) :]
        if left and status:
            outcomes.add(target.name, left.pop(0), "crash", _death(status, said))
            _remove_case(folder)
    return outcomes


def _forked(work: Callable[[IO[str]], None]) -> tuple[list[list[object]], int, str]:
    """The lines that a forked process writes, how it ended, and the end of what it said.

    Args:
        work: is called in the process, with what takes lines of JSON.
    """
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as said:
        process = os.fork()
        if not process:
            os.close(reading)
            for stream in (1, 2):
                os.dup2(said.fileno(), stream)
            status = 1
            try:
                with os.fdopen(writing, "w") as out:
                    work(out)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        os.close(writing)
        with os.fdopen(reading) as stream:
            lines = [json.loads(line) for line in stream if line.endswith("\n")]
        _, status = os.waitpid(process, 0)
        said.seek(0)
        return lines, status, said.read()[-2000:].decode("utf-8", "replace")


def _death(status: int, said: str) -> str:
    """How a process ended that should not have."""
    if os.WIFSIGNALED(status):
        return f"the process ended by {signal.Signals(os.WTERMSIG(status)).name}\n{said}"
    return f"the process ended with exit code {os.waitstatus_to_exitcode(status)}\n{said}"


def _remove_case(folder: Path) -> None:
    """Remove what the case left that ended its process."""
    shutil.rmtree(folder / "case", ignore_errors=True)
