"""Seconds until a command has ended: the help, and the translation of one sentence.

    python benchmarks/start_up.py [--repeats 10]

Each row is a process of its own, compared with what it cannot do without: the libraries of a
command line (`import typer, rich`), and `import torch`. All have run before, so that files are in
memory and bytecode is compiled.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from measuring import Report, Timing, Timings, add_arguments, print_table

LIBRARIES, TORCH = "import typer, rich", "import torch"
"""What the other rows are compared with."""

TRANSLATE = ("-m", "docmt", "translate", "--run", "bundled:en-de")
"""Translates with the sample."""


def run(arguments: list[str]) -> Timing:
    """Run Python with these arguments, in a process of its own."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    before, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
    wall, after = time.perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    return Timing(wall, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime)


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser, repeats=10)
    arguments = parser.parse_args()
    report = Report(arguments, "docmt", "typer", "rich")
    with tempfile.TemporaryDirectory() as folder:
        sentence = Path(folder) / "sentence.txt"
        sentence.write_text("Open the file.\n", "utf-8")
        rows = {
            LIBRARIES: ["-c", LIBRARIES],
            "docmt --help": ["-m", "docmt", "--help"],
            "docmt translate --help": ["-m", "docmt", "translate", "--help"],
            TORCH: ["-c", TORCH],
            "docmt translate (one sentence)": [*TRANSLATE, str(sentence)],
        }
        found: dict[str, list[Timing]] = {name: [] for name in rows}
        for count in range(1 + arguments.repeats):
            for name, command in rows.items():
                timing = run(command)
                found[name] += [timing] if count else []
    _print(report, {name: Timings(timings) for name, timings in found.items()})


def _print(report: Report, timings: dict[str, Timings]) -> None:
    """Print and keep the seconds and the ratios."""
    clock = report.clock
    table = []
    for name, found in timings.items():
        ratios = {
            other: found.median(clock) / timings[other].median(clock)
            for other in (LIBRARIES, TORCH)
        }
        report.add(name, found, to_libraries=ratios[LIBRARIES], to_torch=ratios[TORCH])
        seconds = [f"{value:.2f}" for value in (found.median(clock), found.best(clock))]
        table.append([f"`{name}`", *seconds, *(f"{ratio:.2f}" for ratio in ratios.values())])
    head = ["command", "median s", "best s", f"times `{LIBRARIES}`", f"times `{TORCH}`"]
    print_table(head, table)
    report.finish()


if __name__ == "__main__":
    main()
