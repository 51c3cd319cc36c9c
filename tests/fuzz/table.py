"""Counts of how mutated inputs ended, by target.

    PYTHONPATH=tests python -m fuzz.table [INPUTS] [--cases NUMBER] [--target NAME] [--seed NUMBER]

Inputs are divided among targets by what they cost; those that read a format of users' files get
NUMBER at least. With `--target` and `--seed`, one case is repeated, and its fault printed.
"""

from __future__ import annotations

import argparse
import sys

from fuzz.harness import fuzz
from fuzz.targets import TARGETS

OUTCOMES = ("refused", "fine", "crash", "loss", "hang")


def shares(inputs: int, cases: int = 1) -> dict[str, int]:
    """How many inputs each target gets.

    Args:
        inputs: how many there are; targets take about the same time.
        cases: how many a target that reads a format gets at least.
    """
    total = sum(1 / target.cost for target in TARGETS)
    return {
        target.name: max(cases if target.is_format else 1, round(inputs / target.cost / total))
        for target in TARGETS
    }


def main() -> None:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("inputs", type=int, nargs="?", default=2000)
    parser.add_argument("--cases", type=int, default=1, help="at least so many of each format")
    parser.add_argument("--target", help="only this one")
    parser.add_argument("--seed", type=int, help="only this case of it")
    arguments = parser.parse_args()
    counts = shares(arguments.inputs, arguments.cases)
    out = sys.stdout
    out.write(f"| input | cases | {' | '.join(OUTCOMES)} |\n|{' --- |' * (len(OUTCOMES) + 2)}\n")
    for target in TARGETS:
        if arguments.target not in (None, target.name):
            continue
        seeds = range(counts[target.name]) if arguments.seed is None else [arguments.seed]
        outcomes = fuzz(target, seeds)
        cells = [str(outcomes.counts[name]) for name in OUTCOMES]
        out.write(f"| {target.name} | {len(seeds)} | {' | '.join(cells)} |\n")
        sys.stderr.write("".join(f"\n{fault}\n" for fault in outcomes.faults))
        out.flush()


if __name__ == "__main__":
    main()
