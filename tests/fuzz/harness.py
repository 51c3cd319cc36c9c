"""Runs mutated input under limits on time and memory, and counts how the cases ended.

A case is one input, drawn from a seed of its own: `Target.name` and a number repeat it. It ends
well if it works or raises InputError. Anything else is a fault: another exception, a false
assertion (text was lost), more time or more memory than it may take.
"""

from __future__ import annotations

import faulthandler
import os
import random
import resource
import shutil
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from docmt.errors import InputError

SECONDS = 10
"""Processor time that a case may take."""
MEBIBYTES = 1024
"""Memory that a case may take beyond what the process has."""


class TooLongError(Exception):
    """A case took more than its processor time."""


@dataclass(frozen=True)
class Target:
    """Something that reads foreign input.

    Attributes:
        name: names the target.
        prepare: writes what the inputs are made from into a new folder, once.
        run: damages a copy of that folder and reads it; draws how from a generator.
        cost: milliseconds of an input, about; costly inputs are fewer.
        is_format: whether it reads a format of users' files.
    """

    name: str
    prepare: Callable[[Path], None]
    run: Callable[[Path, random.Random], None]
    cost: float
    is_format: bool = False


@dataclass
class Outcomes:
    """How the cases of a target ended: counts, and the faults with their seeds."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def fuzz(target: Target, seeds: Sequence[int]) -> Outcomes:
    """Run the cases of these seeds."""
    outcomes = Outcomes()
    with tempfile.TemporaryDirectory() as temporary, patch.object(os, "fsync", lambda _: None):
        original = Path(temporary) / "original"
        original.mkdir()
        target.prepare(original)
        for seed in seeds:
            folder = Path(temporary) / "case"
            _copy(original, folder)
            ended, detail = _run(target, folder, seed)
            outcomes.counts[ended] += 1
            if detail:
                outcomes.faults.append(f"{target.name} {seed}: {ended}\n{detail}")
            shutil.rmtree(folder)
    return outcomes


def _copy(original: Path, folder: Path) -> None:
    """A copy of hard links: damaged files are written anew."""
    shutil.copytree(original, folder, copy_function=os.link)


def _run(target: Target, folder: Path, seed: int) -> tuple[str, str]:
    """How a case ends, and the traceback of a fault."""
    draw = random.Random(f"{target.name} {seed}")
    try:
        with limits():
            target.run(folder, draw)
    except InputError:
        return "refused", ""
    except TooLongError:
        return "hang", traceback.format_exc(limit=-6)
    except AssertionError:
        return "loss", traceback.format_exc(limit=-6)
    except KeyboardInterrupt:
        raise
    except BaseException:  # panics of libraries in Rust are no `Exception`
        return "crash", traceback.format_exc(limit=-6)
    return "fine", ""


@contextmanager
def limits() -> Iterator[None]:
    """Limits on processor time and memory."""

    def stop(*_: Any) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEBIBYTES * 2**20, hard))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    # What never comes back to Python cannot be stopped by a signal.
    faulthandler.dump_traceback_later(20 * SECONDS, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
        signal.signal(signal.SIGPROF, before)
