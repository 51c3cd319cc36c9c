"""Processes that tests kill, and what must be left of their work."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any


def begin(forkserver: Any, target: Callable[..., object], *args: Any, **kwargs: Any) -> BaseProcess:
    """Start a process of the fixture `forkserver`."""
    process: BaseProcess = forkserver.Process(target=target, args=args, kwargs=kwargs)
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


def kill_itself(*_: object) -> None:
    """End this process as a lack of memory does."""
    os.kill(os.getpid(), signal.SIGKILL)
