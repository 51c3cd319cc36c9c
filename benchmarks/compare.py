"""The figures of a benchmark in two checkouts, run in turn.

    python benchmarks/compare.py BEFORE AFTER training -- --lengths 512 2048 --paths fp32

BEFORE and AFTER are checkouts with `packages/*/src` and `benchmarks`; each runs its own script with
its own sources and `--json`. What follows `--` is given to both. The order changes from round to
round. For each figure that both give, the table has the seconds of both (the least of all rounds)
and AFTER over BEFORE: of these, and the minimum, median and maximum over rounds. The last row is
the processor time of the whole process.

User time on one pinned core with one thread (the defaults) is the figure that other programs
disturb least.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from measuring import machine, print_table

PROCESS = "whole process"
COMMAND = "{python} {checkout}/benchmarks/{benchmark}.py"


def main() -> None:
    """Run both in turn, and print the table."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n")[0],
        epilog="What follows -- is given to the benchmark.",
    )
    parser.add_argument("before", type=Path, help="checkout to compare with")
    parser.add_argument("after", type=Path, help="checkout that is compared")
    parser.add_argument("benchmark", help="such as training; none of those without --json")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each checkout")
    parser.add_argument("--figure", default="user_best", help="key of the JSON figures")
    parser.add_argument("--core", type=int, help="core to run on; default: the last; -1: any")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--before-command", default=COMMAND, help="default: %(default)s")
    parser.add_argument("--after-command", default=COMMAND, help="default: %(default)s")
    own, passed = split_arguments(sys.argv[1:])
    options = parser.parse_args(own)
    print(machine(), flush=True)
    checkouts = {"before": options.before.resolve(), "after": options.after.resolve()}
    seconds: dict[str, list[dict[str, float]]] = {"before": [], "after": []}
    for number in range(options.rounds):
        for side in sorted(checkouts, reverse=number % 2 == 0):
            template = vars(options)[f"{side}_command"]
            seconds[side].append(run(template, checkouts[side], passed, options))
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    print_ratios(seconds["before"], seconds["after"])


def split_arguments(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Those before and after `--`."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:end], arguments[end + 1 :]


def run(
    template: str, checkout: Path, passed: list[str], options: argparse.Namespace
) -> dict[str, float]:
    """Seconds of each figure of one run."""
    command = template.format(python=sys.executable, checkout=checkout, benchmark=options.benchmark)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, sorted(checkout.glob("packages/*/src")))),
        "OMP_NUM_THREADS": str(options.threads),
    }
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder) / "figures.json", Path(folder) / "log"
        arguments = [*shlex.split(command), *passed, "--json", str(file)]
        with log.open("w") as output:
            process = subprocess.Popen(
                arguments, env=environment, stdout=output, stderr=subprocess.STDOUT
            )
            pin(process.pid, options.core)
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{shlex.join(arguments)} failed:\n{log.read_text()}")
        figures = json.loads(file.read_text("utf-8"))["figures"]
    found = {name: values[options.figure] for name, values in figures.items()}
    return {**found, PROCESS: usage.ru_utime + usage.ru_stime}


def pin(process: int, core: int | None) -> None:
    """Keep a process on one core, where the operating system can."""
    if core != -1 and hasattr(os, "sched_setaffinity"):
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(process, {max(cores) if core is None else core})


def print_ratios(before: list[dict[str, float]], after: list[dict[str, float]]) -> None:
    """A row for each figure that both have."""
    rows = []
    for name in before[0]:
        if name not in after[0]:
            continue
        first, second = ([run[name] for run in runs] for runs in (before, after))
        ratios = sorted(b / max(a, 1e-9) for a, b in zip(first, second, strict=True))
        rows.append(
            [
                name,
                f"{min(first):.3f}",
                f"{min(second):.3f}",
                f"{min(second) / max(min(first), 1e-9):.3f}",
                f"{ratios[0]:.3f}",
                f"{median(ratios):.3f}",
                f"{ratios[-1]:.3f}",
            ]
        )
    print_table(["", "before s", "after s", "ratio", "min", "median", "max"], rows)


if __name__ == "__main__":
    main()
