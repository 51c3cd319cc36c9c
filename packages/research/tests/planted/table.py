"""What each system can use: trains all on planted cues, beside the results of the page.

    python tests/module.py planted.table --runs RUNS [--only NAME ...] [--write]

Runs that have ended are not trained again. With `--write` the results go into the page, where those
of systems that are not named stay; without it nothing is written into the documentation.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from planted.cues import DISTANCES, SIDES, write_corpus
from planted.systems import PLANTED, accuracies, trained

RESULTS = Path(__file__).parents[4] / "docs" / "results"
DATA = RESULTS / "data" / "planted-cues.json"
PAGE = RESULTS / "planted-cues.md"

_BLOCK = re.compile(r"(<!-- planted -->\n).*?(<!-- end of planted -->)", re.DOTALL)


def main() -> None:
    """Train, measure, and compare with the page, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=Path, required=True, help="the folder of the runs")
    parser.add_argument("--only", nargs="+", choices=PLANTED, default=list(PLANTED), metavar="NAME")
    parser.add_argument("--write", action="store_true", help="write the results into the page")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    corpus = arguments.runs / "corpus"
    if not corpus.exists():
        corpus.mkdir(parents=True)
        write_corpus(corpus)
    for name in arguments.only:
        shares = accuracies(trained(name, corpus, arguments.runs), corpus)
        row = {side: [shares[side][d] for d in DISTANCES] for side in SIDES}
        show(name, row, DATA)
        if arguments.write:
            write(name, row, DATA, list(PLANTED), with_table)


def show(name: str, row: Any, data: Path) -> None:
    """Print a result beside the published one."""
    published = json.loads(data.read_text("utf-8")).get(name, "none")
    sys.stdout.write(f"{name}: {row}\n  published: {published}\n")
    sys.stdout.flush()


def write(
    name: str, row: Any, data: Path, order: Sequence[str], with_table: Callable[[str, Any], str]
) -> None:
    """Write a result among the published ones, and their table into the page."""
    found: dict[str, Any] = json.loads(data.read_text("utf-8")) if data.exists() else {}
    found[name] = row
    ordered = {known: found[known] for known in order if known in found}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in ordered.items()]
    data.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), ordered), "utf-8")


def with_table(page: str, found: Mapping[str, Mapping[str, list[float]]]) -> str:
    """The page with the table of the results; bold is what a system should see."""
    heads = [f"{side}, {d} back" for side in SIDES for d in DISTANCES]
    lines = [f"| system | it sees | {' | '.join(heads)} |", "| --- | --- |" + " --- |" * len(heads)]
    for name, shares in found.items():
        one = PLANTED[name]
        cells = [
            _cell(share, sees=distance in one.sees[side], is_settled=one.is_settled)
            for side in SIDES
            for distance, share in zip(DISTANCES, shares[side], strict=True)
        ]
        lines.append(f"| {name} | {one.why} | {' | '.join(cells)} |")
    return _BLOCK.sub(lambda match: f"{match[1]}{chr(10).join(lines)}\n{match[2]}", page)


def _cell(share: float, *, sees: bool, is_settled: bool) -> str:
    """A cell of the table."""
    text = f"{share:.0f}"
    if not sees:
        return text
    return f"**{text}**" if is_settled else f"{text}, open"


if __name__ == "__main__":
    main()
