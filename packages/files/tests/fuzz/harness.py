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

from docmt_files.base.errors import InputError

# pyarrow reads this when it is loaded. Its own allocator may reserve a gigabyte at once, and the
# limit on memory counts what is reserved.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

SECONDS = 10
"""Processor time that a case may take."""
MEBIBYTES = 1024
"""Memory that a case may take beyond what the process has."""
_WAITING = 12
"""So many times its processor time a case may take by the clock; more is waiting, as for a pipe."""


class TooLongError(Exception):
    """A case took more than its processor time, or waited for something."""


@dataclass(frozen=True)
class Target:
    """Something that reads foreign input.

    Attributes:
        name: names the target.
        prepare: writes what the inputs are made from into a new folder, once.
        run: damages a copy of that folder and reads it; draws how from a generator.
        cost: milliseconds of an input, about; costly inputs are fewer.
        is_format: whether it reads a format of users' files.
        inputs: how many of 100,000 inputs are of it, whatever they cost; None for a share by cost.
        seconds: processor time that a case may take.
        mebibytes: memory that it may take.
    """

    name: str
    prepare: Callable[[Path], None]
    run: Callable[[Path, random.Random], None]
    cost: float
    is_format: bool = False
    inputs: int | None = None
    seconds: int = SECONDS
    mebibytes: int = MEBIBYTES


@dataclass
class Outcomes:
    """How the cases of a target ended: counts, the faults with their seeds, and the processor time
    that they took."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, target: str, seed: int, ended: str, detail: str) -> None:
        """Count a case."""
        self.counts[ended] += 1
        if detail:
            self.faults.append(f"{target} {seed}: {ended}\n{detail}")

    def update(self, other: Outcomes) -> None:
        """Count the cases of others too."""
        self.counts.update(other.counts)
        self.faults += other.faults
        self.seconds += other.seconds


def fuzz(target: Target, seeds: Sequence[int]) -> Outcomes:
    """Run the cases of these seeds, in this process."""
    outcomes = Outcomes()
    with tempfile.TemporaryDirectory() as temporary:
        prepare(target, Path(temporary))
        for seed in seeds:
            outcomes.add(target.name, seed, *run_case(target, Path(temporary), seed))
    return outcomes


def prepare(target: Target, folder: Path) -> None:
    """Write what the inputs of a target are made from."""
    original = folder / "original"
    original.mkdir()
    target.prepare(original)


def run_case(target: Target, folder: Path, seed: int) -> tuple[str, str]:
    """How a case ends, and the traceback of a fault.

    Args:
        folder: where the target was prepared.
    """
    case = folder / "case"
    # A copy of hard links: damaged files are written anew.
    shutil.copytree(folder / "original", case, copy_function=os.link)
    try:
        with patch.object(os, "fsync", lambda _: None):
            return _run(target, case, seed)
    finally:
        shutil.rmtree(case)


def _run(target: Target, folder: Path, seed: int) -> tuple[str, str]:
    draw = random.Random(f"{target.name} {seed}")
    try:
        with limits(target.seconds, target.mebibytes):
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
    return "used", ""


@contextmanager
def limits(seconds: int = SECONDS, mebibytes: int = MEBIBYTES) -> Iterator[None]:
    """Limits on processor time and memory."""

    def stop(*_: Any) -> None:
        raise TooLongError

    before = [signal.signal(each, stop) for each in (signal.SIGPROF, signal.SIGALRM)]
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (used + mebibytes * 2**20, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _WAITING * seconds)
    # What never comes back to Python cannot be stopped by a signal.
    faulthandler.dump_traceback_later(2 * _WAITING * seconds, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
        for each, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
            signal.signal(each, handler)
