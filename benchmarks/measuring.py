"""What all benchmarks share: fair timing, the machine's matrix rate, tables and JSON.

Every contestant first does its work once untimed (warm-up), then all take turns. Tables give the
median, the range from the least to the most, and the share of system time, in which the operating
system hands out memory: a contestant that allocates much pays for it there, and how much differs
between machines.

The matrix rate is what this machine reaches on square matrix products in the same run; a row's
share of it is the floating-point operations of its matrix products over what the rate would allow
in its median time.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from typing import Any, Literal

import torch
from torch.overrides import TorchFunctionMode

from docmt_nmt.nn import private_ops

Clock = Literal["wall", "cpu"]

MATRIX = 1024
"""Rows and columns of the products that give the matrix rate."""

FACTOR = {"linear": 0, "matmul": 0, "__matmul__": 0, "bmm": 0, "mm": 0, "baddbmm": 1, "addmm": 1}
"""Matrix products, and the argument whose last dimension is summed over."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds by the clock on the wall, and of processor time in the program and in the system."""

    wall: float
    user: float
    system: float

    @property
    def cpu(self) -> float:
        """Core-seconds."""
        return self.user + self.system


@dataclass(frozen=True, slots=True)
class Timings:
    """The repetitions of one contestant."""

    runs: Sequence[Timing]

    def seconds(self, clock: str) -> list[float]:
        """Of each repetition; `clock` is an attribute of `Timing`."""
        return [getattr(run, clock) for run in self.runs]

    def median(self, clock: Clock = "wall") -> float:
        """Median seconds."""
        return median(self.seconds(clock))

    def best(self, clock: Clock = "wall") -> float:
        """Least seconds."""
        return min(self.seconds(clock))

    def spread(self, clock: Clock = "wall", digits: int = 2) -> str:
        """The least and the most seconds."""
        seconds = self.seconds(clock)
        return f"{min(seconds):.{digits}f}–{max(seconds):.{digits}f}"

    def rates(self, amount: float, clock: Clock = "wall") -> str:
        """The least and the highest rate at which an amount was done, per second."""
        seconds = self.seconds(clock)
        return f"{amount / max(seconds):.0f}–{amount / min(seconds):.0f}"

    def against(self, other: Timings, clock: Clock = "wall") -> float:
        """How many times as fast this one was as the other: the median over the rounds, in each of
        which both took their turn."""
        pairs = zip(self.seconds(clock), other.seconds(clock), strict=True)
        return median(theirs / own for own, theirs in pairs)

    @property
    def system_share(self) -> float:
        """Share of the processor time that the operating system took."""
        return sum(run.system for run in self.runs) / max(sum(run.cpu for run in self.runs), 1e-9)

    def figures(self) -> dict[str, float]:
        """Everything in seconds, for JSON."""
        figures = {}
        for part in ("wall", "user", "system"):
            values = self.seconds(part)
            figures[f"{part}_median"], figures[f"{part}_best"] = median(values), min(values)
            figures[f"{part}_worst"] = max(values)
        return figures


def timed(work: Callable[[], object]) -> Timing:
    """How long it takes."""
    wall, (user, system) = time.perf_counter(), _processor_time()
    work()
    wall, (user_after, system_after) = time.perf_counter() - wall, _processor_time()
    return Timing(wall, user_after - user, system_after - system)


def _processor_time() -> tuple[float, float]:
    """Seconds in the program and in the system, of this process and of those that it has ended."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(each.ru_utime for each in used), sum(each.ru_stime for each in used)


def take_turns(
    contestants: Mapping[str, Callable[[], object]], repeats: int, *, warm_up: bool = True
) -> dict[str, Timings]:
    """Time all contestants, one after the other in each of so many rounds."""
    if warm_up:
        for work in contestants.values():
            work()
    runs: dict[str, list[Timing]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, work in contestants.items():
            runs[name].append(timed(work))
    return {name: Timings(found) for name, found in runs.items()}


def matrix_rate(precision: str, clock: Clock = "wall") -> float:
    """Floating-point operations per second of square matrix products, the best of five; for
    `int8`, of products of codes."""
    size = MATRIX
    if precision == "int8":
        limit = private_ops.weight_code_limit()
        weights = torch.randint(-limit, limit + 1, (size, size), dtype=torch.int8)
        product = private_ops.products(weights, torch.ones(size))
        work: Callable[[], object] = partial(
            product, torch.randint(256, (size, size), dtype=torch.uint8)
        )
    else:
        dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
        x = torch.randn(size, size, dtype=dtype)
        work = partial(torch.nn.functional.linear, x, x)
    found = take_turns({"": work}, 5)[""].best(clock)
    return 2 * size**3 / found


class MatrixOperations(TorchFunctionMode):
    """Within it, counts the floating-point operations of matrix products that PyTorch is asked
    for: a multiplication and an addition for each."""

    def __init__(self) -> None:
        super().__init__()
        self.count: int = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count and compute."""
        result = func(*args, **(kwargs or {}))
        name = func.__name__.rstrip("_") if not func.__name__.startswith("__") else func.__name__
        if name in FACTOR:
            self.count += 2 * result.numel() * args[FACTOR[name]].shape[-1]
        elif name == "scaled_dot_product_attention":
            self.count += 4 * args[0].numel() * args[1].shape[-2]
        return result


def count_operations(work: Callable[[], object]) -> int:
    """The operations of the matrix products that it asks for."""
    operations = MatrixOperations()
    with operations:
        work()
    return operations.count


class Report:
    """Prints the machine and a table, and keeps the figures for `--json`.

    Args:
        arguments: with what `add_arguments` added.
        packages: whose versions matter beside PyTorch's.
    """

    def __init__(self, arguments: argparse.Namespace, *packages: str) -> None:
        self.file: Path | None = arguments.json
        self.clock: Clock = arguments.clock
        self.machine = machine(*packages)
        self.figures: dict[str, dict[str, float]] = {}
        self._rates: dict[str, float] = {}
        print(self.machine, flush=True)

    def rate(self, precision: str) -> float:
        """The matrix rate of a precision, measured once per run."""
        if precision not in self._rates:
            self._rates[precision] = matrix_rate(precision, self.clock)
        return self._rates[precision]

    def share(self, timings: Timings, operations: float, precision: str) -> float:
        """The share of the matrix rate that a contestant achieves."""
        return operations / timings.median(self.clock) / self.rate(precision)

    def add(self, name: str, timings: Timings, **others: float) -> None:
        """Keep the figures of a contestant."""
        self.figures[name] = {**timings.figures(), **others}

    def finish(self) -> None:
        """Print the matrix rates, and write the figures if a file was named."""
        if self._rates:
            unit = "s" if self.clock == "wall" else "core-s"
            rates = [f"{name} {rate / 1e9:.0f} GFLOP/{unit}" for name, rate in self._rates.items()]
            print("matrix rate: " + ", ".join(rates))
        if self.file is not None:
            found = {"machine": self.machine, "figures": self.figures, "rates": self._rates}
            self.file.write_text(json.dumps(found, indent=1), "utf-8")


def add_arguments(parser: argparse.ArgumentParser, *, repeats: int = 3) -> None:
    """The options of all benchmarks of speed."""
    parser.add_argument("--repeats", type=int, default=repeats, help="timed runs of each row")
    parser.add_argument(
        "--clock",
        choices=["wall", "cpu"],
        default="wall",
        help="what rates and ratios are of; cpu where other programs run too",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")


def machine(*packages: str) -> str:
    """Processor, threads and versions."""
    versions = " · ".join(
        f"{name} {found}" for name in ("torch", *packages) if (found := _version(name))
    )
    return (
        f"{processor()} ({torch.backends.cpu.get_cpu_capability()}) · "
        f"{torch.get_num_threads()} threads · Python {platform.python_version()} · {versions}"
    )


def processor() -> str:
    """The processor's name, where the system reports it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table with columns of even width."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, ["-" * width for width in widths], *rows):
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        print("| " + " | ".join(cells) + " |", flush=True)


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"
