"""Processes that tests kill, and what must be left of their work."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any


def begin(processes: Any, target: Callable[..., object], *args: Any, **kwargs: Any) -> BaseProcess:
    """Start a process of the fixture `processes`."""
    process: BaseProcess = processes.Process(target=target, args=args, kwargs=kwargs)
    process.start()
    return process


def kill(process: BaseProcess) -> None:
    """Kill a process and wait until it has ended."""
    process.kill()
    process.join()


def wait_for_part(process: BaseProcess, folder: Path) -> bool:
    """Wait until a process is writing a file or directory in a folder; false if it ended first."""
    while process.is_alive():
        if any(path.suffix == ".part" for path in folder.glob(".*")):
            return True
        time.sleep(0.0005)
    return False


def run_command(*arguments: str) -> None:
    """Run a docmt command, with what it prints thrown away."""
    from docmt.cli import main

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
    from docmt.cli import main

    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
    main(list(arguments))


def kill_again_and_again(
    processes: Any,
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
        processes: the fixture.
        command: its arguments.
        output: what it makes.
        check: fails unless the output is whole.
        times: how often to kill.
        seed: of the moments.
        remove: removes the whole output, so that the command can be run again; None to leave it.
    """
    draw = random.Random(seed)
    begin(processes, str).join()  # so that the time of the first start does not count
    started = time.perf_counter()
    process = begin(processes, run_command, *command)
    process.join()
    assert process.exitcode == 0
    took = time.perf_counter() - started
    for number in range(times):
        if remove is not None and output.exists():
            remove()
        process = begin(processes, run_command, *command)
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
    process = begin(processes, run_command, *command)
    process.join(timeout=120)
    assert process.exitcode == 0
    check()
    leftovers = [path.name for path in output.parent.iterdir() if path.name.startswith(".")]
    assert not leftovers


def kill_itself(*_: object) -> None:
    """End this process as a lack of memory does."""
    os.kill(os.getpid(), signal.SIGKILL)
