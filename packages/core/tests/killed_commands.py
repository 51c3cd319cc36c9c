"""Commands in processes that tests kill."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docmt.cli import main
from killing import begin, kill, wait_for_part


def run_command(*arguments: str) -> None:
    """Run a docmt command, with what it prints thrown away."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    main(list(arguments))


def run_command_in_a_group(*arguments: str) -> None:
    """Run a docmt command in a process group of its own, to which Ctrl-C of a terminal goes."""
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run_command(*arguments)


def run_command_into(errors: Path, *arguments: str) -> None:
    """Run a docmt command, with its notes and errors in a file."""
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
    main(list(arguments))


def kill_again_and_again(
    forkserver: Any,
    command: tuple[str, ...],
    output: Path,
    check: Callable[[], None],
    *,
    times: int,
    seed: int,
    remove: Callable[[], None] | None = None,
) -> None:
    """Kill a docmt command at random moments, every other time once it is writing, and check after
    each that its output is whole or not there. At the end it is run once more, unharmed.

    Args:
        forkserver: the fixture.
        command: its arguments.
        output: what it makes.
        check: fails unless the output is whole.
        times: how often to kill.
        seed: of the moments.
        remove: removes the whole output, so that the command can be run again; None to leave it.
    """
    draw = random.Random(seed)
    begin(forkserver, str).join()  # so that the time of the first start does not count
    started = time.perf_counter()
    process = begin(forkserver, run_command, *command)
    process.join()
    assert process.exitcode == 0
    took = time.perf_counter() - started
    for number in range(times):
        if remove is not None and output.exists():
            remove()
        process = begin(forkserver, run_command, *command)
        if number % 2:
            wait_for_part(process, output.parent)
            time.sleep(draw.uniform(0, 0.02 * took))
        else:
            time.sleep(draw.uniform(0, took))
        kill(process)
        if output.exists():
            check()
    if remove is not None and output.exists():
        remove()
    process = begin(forkserver, run_command, *command)
    process.join(timeout=120)
    assert process.exitcode == 0
    check()
    leftovers = [path.name for path in output.parent.iterdir() if path.name.startswith(".")]
    assert not leftovers
