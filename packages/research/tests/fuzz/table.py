"""Counts of how damaged inputs and killed commands ended, as tables for the documentation.

    python tests/module.py fuzz.table [INPUTS] [--kills NUMBER] [--state FILE] [--page FILE]
    python tests/module.py fuzz.table --target NAME [--seed NUMBER]

INPUTS are divided among targets by what they cost; those that read a format of users' files get
`--cases` at least. Input number N of a target is always the same: `--target` and `--seed` repeat
it, and print its fault. With `--state`, what has been run at this commit is not run again, so that
the command can be stopped at any time; `--also COMMIT` counts what has been run at an earlier one
of targets that no later change concerns (it may be repeated, the latest first). With `--page`, the
tables are written into that file.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time

from fuzz.harness import Outcomes, Target
from fuzz.kills import KILLED, KILLS_OF_A_RUN, MOMENTS, Command, Killing
from fuzz.targets import TARGETS
from fuzz.workers import fuzz_in_worker, prepared

OUTCOMES = ("used", "refused", "crash", "loss", "hang")
BATCH = 200
"""Inputs that are run before what came of them is kept."""
_MARKS = re.compile(r"(<!-- tables of fuzz\.table -->\n).*?(<!-- end of tables -->)", re.DOTALL)


def shares(inputs: int, cases: int = 1) -> dict[str, int]:
    """How many inputs each target gets.

    Args:
        inputs: how many there are; targets take about the same time.
        cases: how many a target that reads a format gets at least.
    """
    shared = [target for target in TARGETS if target.inputs is None]
    total = sum(1 / target.cost for target in shared)
    counts = {}
    for target in TARGETS:
        if target.inputs is not None:
            counts[target.name] = target.inputs * inputs // 100_000
        else:
            least = cases if target.is_format else 1
            counts[target.name] = max(least, round(inputs / target.cost / total))
    return counts


class State:
    """What has been run, in a file of JSON lines that is appended to. Only what was run at this
    commit counts, and what was run at an earlier one of targets that were not run since.

    Args:
        path: the file; None to keep nothing.
        also: earlier commits, the latest first.
    """

    def __init__(self, path: Path | None, also: Sequence[str] = ()) -> None:
        self.path, self.commit = path, _commit()
        self.commits: dict[str, str] = {}
        self._parts: dict[tuple[str, int, int], Outcomes] = {}
        lines = path.read_text("utf-8").splitlines() if path and path.exists() else []
        parts = [json.loads(line) for line in lines]
        commits: dict[str, str] = {}
        for commit in (self.commit, *also):
            for part in parts:
                if part["commit"] == commit:
                    commits.setdefault(part["name"], commit)
        for part in parts:
            if part["commit"] == commits.get(part["name"]):
                outcomes = Outcomes(Counter(part["counts"]), part["faults"], part["seconds"])
                self._parts[part["name"], part["first"], part["count"]] = outcomes
                self.commits[part["name"]] = part["commit"]

    def run(self, name: str, numbers: range, run: Callable[[range], Outcomes]) -> Outcomes:
        """What came of the inputs of these numbers, now or before."""
        key = name, numbers.start, len(numbers)
        if key not in self._parts:
            self.commits[name] = self.commit
            started = _cpu_seconds()
            outcomes = self._parts[key] = run(numbers)
            outcomes.seconds = _cpu_seconds() - started
            if self.path is not None:
                part = dict(zip(("name", "first", "count"), key, strict=True))
                line = json.dumps({"commit": self.commit, **part, **vars(outcomes)})
                with self.path.open("a", encoding="utf-8") as out:
                    out.write(f"{line}\n")
            sys.stderr.write("".join(f"\n{fault}\n" for fault in outcomes.faults))
            sys.stderr.flush()
        return self._parts[key]

    def describe(self) -> str:
        """The commits at which the targets were run."""
        names: dict[str, list[str]] = {}
        for name, commit in self.commits.items():
            names.setdefault(commit, []).append(name)
        first, *others = sorted(names, key=lambda commit: -len(names[commit]))
        again = "".join(f"; {', '.join(names[commit])} at {commit}" for commit in others)
        return f"At commit {first}{again}.\n\n"


def _commit() -> str:
    """The commit of the code, with a sign if something differs from it."""
    folder = Path(__file__).parent
    commands = ["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "--untracked-files=no"]
    commit, changes = (
        subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True).stdout.strip()
        for command in commands
    )
    return f"{commit or 'unknown'}{' with changes' if changes else ''}"


def _cpu_seconds() -> float:
    """The processor time of this process and those that it started."""
    children = getrusage(RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def fuzz_in_parts(target: Target, count: int, state: State) -> Outcomes:
    """Run the first inputs of a target, in parts."""
    outcomes = Outcomes()
    with ExitStack() as stack:
        folders: list[Path] = []

        def run(seeds: range) -> Outcomes:
            if not folders:
                folders.append(stack.enter_context(prepared(target)))
            return fuzz_in_worker(target, folders[0], seeds)

        batch = max(1, min(BATCH, round(60_000 / target.cost)))
        for first in range(0, count, batch):
            outcomes.update(state.run(target.name, range(first, min(count, first + batch)), run))
    return outcomes


def kill_in_parts(name: str, command: Command, kills: int, state: State) -> Outcomes:
    """Kill a command so often, in parts."""
    outcomes = Outcomes()
    with ExitStack() as stack:
        opened: list[Killing] = []

        def run(numbers: range) -> Outcomes:
            if not opened:
                opened.append(stack.enter_context(command()))
            return opened[0].kill(numbers)

        for first in range(0, kills, KILLS_OF_A_RUN):
            numbers = range(first, min(kills, first + KILLS_OF_A_RUN))
            outcomes.update(state.run(name, numbers, run))
    return outcomes


def input_table(counts: Mapping[str, int], state: State) -> str:
    """Run inputs, and count how they ended."""
    rows, total = [], Outcomes()
    for target in TARGETS:
        outcomes = fuzz_in_parts(target, counts[target.name], state)
        total.update(outcomes)
        rows.append(_row(target.name, outcomes))
        sys.stderr.write(f"{rows[-1]}\n")
    heading = ["input", "inputs", *(_PLURAL[name] for name in OUTCOMES)]
    lines = [_line(heading), _line(["---", *["---:"] * (len(heading) - 1)]), *rows]
    lines.append(_row("**all**", total))
    minutes = total.seconds / 60
    return "\n".join(lines) + f"\n\nProcessor time: {minutes:.0f} minutes.\n"


def kill_table(kills: int, state: State) -> str:
    """Kill commands, and count in what moments."""
    lines = [_line(["command", "kills", *MOMENTS, "runs to the end", "faults"])]
    lines.append(_line(["---", *["---:"] * (len(MOMENTS) + 3)]))
    for name, command in KILLED.items():
        outcomes = kill_in_parts(name, command, kills, state)
        counts = outcomes.counts
        cells = [sum(counts[m] for m in MOMENTS), *(counts[m] for m in MOMENTS), counts["ended"]]
        lines.append(_line([name, *(f"{cell:,}" for cell in cells), f"{len(outcomes.faults)}"]))
    return "\n".join(lines) + "\n"


_PLURAL = {"used": "used", "refused": "refused", "crash": "crashes", "loss": "losses"} | {
    "hang": "hangs"
}


def _row(name: str, outcomes: Outcomes) -> str:
    """A row of the table of inputs."""
    counts = [outcomes.counts[ended] for ended in OUTCOMES]
    return _line([name, *(f"{count:,}" for count in (sum(counts), *counts))])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Run and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("inputs", type=int, nargs="?", default=0)
    parser.add_argument("--cases", type=int, default=1, help="at least so many of each format")
    parser.add_argument("--kills", type=int, default=0, help="kill each command so often")
    parser.add_argument("--state", type=Path, help="file that keeps what has been run")
    parser.add_argument("--also", metavar="COMMIT", action="append", default=[], help="earlier one")
    parser.add_argument("--page", type=Path, help="file to write the tables into")
    parser.add_argument("--target", help="only this one; 200 inputs unless INPUTS are given")
    parser.add_argument("--seed", type=int, help="only this input of it")
    arguments = parser.parse_args()
    state = State(arguments.state, arguments.also)
    if arguments.target:
        (target,) = (target for target in TARGETS if target.name == arguments.target)
        count = arguments.inputs or 200
        seeds = range(count) if arguments.seed is None else [arguments.seed]
        with prepared(target) as folder:
            outcomes = fuzz_in_worker(target, folder, seeds)
        sys.stdout.write("".join(f"{fault}\n" for fault in outcomes.faults))
        sys.stdout.write(f"{_row(target.name, outcomes)}\n")
        return
    tables = ""
    if arguments.inputs:
        tables += input_table(shares(arguments.inputs, arguments.cases), state)
    if arguments.kills:
        tables += f"\n{kill_table(arguments.kills, state)}"
    tables = state.describe() + tables
    if arguments.page is None:
        sys.stdout.write(tables)
    else:
        page = arguments.page.read_text(encoding="utf-8")
        text = _MARKS.sub(lambda match: f"{match[1]}{tables}{match[2]}", page)
        arguments.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
