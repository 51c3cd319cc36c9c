"""What each system can use: trains all on planted cues and writes the results and their page.

    PYTHONPATH=tests python -m planted.table --runs RUNS [--only NAME ...]

Runs that have ended are not trained again, and results of systems that are not named stay.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from planted.cues import DISTANCES, SIDES, write_corpus
from planted.systems import PLANTED, accuracies, trained

RESULTS = Path(__file__).parents[2] / "docs" / "results"
DATA = RESULTS / "data" / "planted-cues.json"
PAGE = RESULTS / "planted-cues.md"

_BLOCK = re.compile(r"(<!-- planted -->\n).*?(<!-- end of planted -->)", re.DOTALL)


def main() -> None:
    """Train, measure, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=Path, required=True, help="the folder of the runs")
    parser.add_argument("--only", nargs="+", choices=PLANTED, default=list(PLANTED), metavar="NAME")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    corpus = arguments.runs / "corpus"
    if not corpus.exists():
        corpus.mkdir(parents=True)
        write_corpus(corpus)
    for name in arguments.only:
        shares = accuracies(trained(name, corpus, arguments.runs), corpus)
        found: dict[str, Any] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
        found[name] = {side: [shares[side][d] for d in DISTANCES] for side in SIDES}
        sys.stdout.write(f"{name}: {found[name]}\n")
        sys.stdout.flush()
        ordered = {known: found[known] for known in PLANTED if known in found}
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in ordered.items()]
        DATA.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
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
