"""Where context decides: dropped pronouns, Chinese to English.

    python studies/context/context.py corpus WORK --source CHECKOUT   # minutes
    python studies/context/context.py train WORK [--minutes 60] [--at-once 2]   # hours
    python studies/context/context.py measure WORK --source CHECKOUT  # validation, then test
    python studies/context/context.py report WORK                     # results and page

WORK is a folder for the corpus and the runs, outside of the repository: the licence of the corpus
allows neither text nor weights to be published. Every command goes on where it was stopped. `train`
trains the start, then what is tried on validation, then the twins, each with one thread; it
measures what was tried, as the best of it is the configuration of the twins.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch

from context_corpus import divide, write
from context_experiments import (
    OPTIONS,
    START,
    Experiment,
    copied,
    pairs,
    recipe_of,
    start_recipe,
    tried,
)
from context_measures import make_suites, measure
from context_page import grouped, page
from context_results import accuracy
from context_store import cases_of, packed, unpacked
from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_json
from docmt_nmt.data.preparation import prepare
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training import train

SCRIPT = Path(__file__).resolve()
RESULTS = SCRIPT.parent / "results"


def main() -> None:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)
    for name, run in (
        ("corpus", _corpus),
        ("train", _train),
        ("one", _one),
        ("measure", _measure),
        ("report", _report),
    ):
        command = commands.add_parser(name)
        command.add_argument("work", type=Path, help="the folder of the corpus and the runs")
        command.set_defaults(run=run)
        if name in ("corpus", "measure"):
            command.add_argument("--source", type=Path, required=True, help="a checkout of TVsub")
        if name == "train":
            command.add_argument("--minutes", type=float, help="stop after so many minutes")
            command.add_argument("--at-once", type=int, default=1, help="trainings at a time")
        if name == "one":
            command.add_argument("name", help="the run to train in this process")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if hasattr(arguments, "source"):
        arguments.source = arguments.source.resolve()
    # Recipes name their files from here, so that WORK may be moved.
    arguments.work.mkdir(parents=True, exist_ok=True)
    os.chdir(arguments.work)
    arguments.work = Path()
    try:
        arguments.run(arguments)
    except InputError as error:
        sys.exit(f"context.py: {error}")


def _corpus(arguments: argparse.Namespace) -> None:
    """Divide the corpus, make the suites, and encode the training text."""
    data = arguments.work / "data"
    data.mkdir(parents=True, exist_ok=True)
    splits, removed = divide(arguments.source / "data/orignal/train/separated")
    record: dict[str, Any] = {"removed_from_training": removed}
    record |= {name: write(data / name, episodes) for name, episodes in splits.items()}
    write_text(data / "corpus.json", json.dumps(record, indent=1) + "\n")
    for split in ("valid", "test"):
        make_suites(data, split)
    if not (arguments.work / "prepared").exists():
        prepare(start_recipe(arguments.work), arguments.work / "prepared")


def _train(arguments: argparse.Namespace) -> None:
    """Train everything that has not ended, in order."""
    work, began = arguments.work, time.monotonic()

    def left() -> float | None:
        """The seconds that are left."""
        if arguments.minutes is None:
            return None
        return max(60 * float(arguments.minutes) - (time.monotonic() - began), 0.0)

    def train_all(names: list[str]) -> bool:
        """Train what has not ended; return whether all of it has then."""
        missing = [name for name in names if not _has_ended(work, name)]
        with ThreadPoolExecutor(arguments.at_once) as pool:
            return all(list(pool.map(lambda name: _train_apart(work, name, left()), missing)))

    if train_all([START]) and train_all([one.name for one in tried()]):
        train_all([one.name for one in twins(work)])


def _train_apart(work: Path, name: str, seconds: float | None) -> bool:
    """Train a run in a process of its own, so that time can end it between two updates.

    Returns:
        Whether it has ended.
    """
    command = [sys.executable, str(SCRIPT), "one", str(work), name]
    if seconds == 0:
        return False
    try:
        subprocess.run(command, check=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        print(f"{name}: stopped; the same command goes on")
        return False
    return True


def _one(arguments: argparse.Namespace) -> None:
    """Train a run."""
    work, name = arguments.work, arguments.name
    if name == START:
        train(start_recipe(work), work / "runs" / name)
        return
    known = {one.name: one for one in tried()}
    if name not in known:
        known |= {one.name: one for one in twins(work)}
    if name not in known:
        raise InputError(f"there is no experiment {name!r}", cure=f"Known: {', '.join(known)}")
    train(recipe_of(known[name], work), work / "runs" / name)


def choose(work: Path) -> str:
    """The option whose contrastive accuracy on the validation series is best; `plain` of those that
    are equal."""
    scores = {}
    for name in OPTIONS:
        found = measure(work / "runs" / f"tried-{name}", work / "data", "valid", only_suites=True)
        scores[name] = accuracy(found["dropped"])
    chosen = max(scores, key=lambda name: (scores[name], name == "plain"))
    print(", ".join(f"{name} {score:.2f}" for name, score in scores.items()), "→", chosen)
    return chosen


def twins(work: Path) -> list[Experiment]:
    """The trainings of both studies after the choice on validation."""
    return [*pairs(choose(work)), *copied()]


def _has_ended(work: Path, name: str) -> bool:
    """Return whether a training has ended."""
    lines = read_log(work / "runs" / name / "log.jsonl")
    return bool(lines) and lines[-1]["kind"] == "end"


def _measure(arguments: argparse.Namespace) -> None:
    """Measure what has ended: pairs on the test series, everything else on validation."""
    work = arguments.work
    for one in tried():
        if _has_ended(work, one.name):
            measure(work / "runs" / one.name, work / "data", "valid", only_suites=True)
    if all(_has_ended(work, one.name) for one in tried()):
        for one in twins(work):
            if _has_ended(work, one.name):
                measure(work / "runs" / one.name, work / "data", "test", source=arguments.source)


def _report(arguments: argparse.Namespace) -> None:
    """Write the results, as JSON without text, and the page."""
    work = arguments.work
    is_chosen = all((work / "runs" / f"{one.name}.valid.json").exists() for one in tried())
    every = twins(work) if is_chosen else [*pairs("plain"), *copied()]
    measured = {}
    for one in every:
        if (found := _stored(work, one.name)) is not None:
            cases, kept = cases_of(found), packed(found)
            write_text(RESULTS / "cases.json", json.dumps(cases) + "\n")
            write_text(RESULTS / f"{one.name}.json", json.dumps(kept) + "\n")
            measured[one.name] = unpacked(kept, cases)
    missing = [one.name for one in every if one.name not in measured]
    write_text(RESULTS / "results.md", page(grouped(every, measured), missing))


def _stored(work: Path, name: str) -> Any:
    """The measures of a run on the test series, if all are there."""
    path = work / "runs" / f"{name}.test.json"
    found = read_json(path) if path.exists() else {}
    return found if "scores" in found else None


if __name__ == "__main__":
    main()
