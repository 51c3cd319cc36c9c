"""The claims of the papers, tested on one corpus under one training budget.

    python benchmarks/papers.py train --runs RUNS --data CORPUS --jobs 2 [--minutes 60]

`train` trains every experiment of `papers_experiments.py` with two seeds, the most telling first.
It can be stopped at any time, and the same command goes on. CORPUS is a folder with `train`, `dev`
and `test` `.en` and `.de`, perhaps `.xz`; without it, the bundled corpus is used.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from docmt.errors import InputError
from papers_experiments import EXPERIMENTS, SEEDS, Budget, Workplace, training_named, trainings
from papers_training import Driver, prepare_corpora, train_here


def main() -> None:
    """Run a subcommand."""
    arguments = _parser().parse_args()
    try:
        sys.exit(arguments.run(arguments))
    except InputError as error:
        sys.exit(f"papers.py: {error}")


def _parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)

    train = commands.add_parser("train", help="train what has not ended yet")
    _add_workplace(train)
    _add_selection(train)
    train.add_argument("--jobs", type=int, default=1, help="trainings at a time, a thread each")
    train.add_argument("--minutes", type=float, help="stop after so many minutes")
    train.set_defaults(run=_train)

    one = commands.add_parser("one", help="train one experiment here, as `train` does")
    one.add_argument("name", choices=EXPERIMENTS)
    one.add_argument("seed", type=int)
    _add_workplace(one)
    one.set_defaults(run=_one)
    return parser


def _add_workplace(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where runs are and what they share."""
    budget = Budget()
    parser.add_argument("--runs", type=Path, required=True, help="the folder of the runs")
    parser.add_argument("--data", type=Path, help="the folder of the corpus; default: bundled")
    parser.add_argument("--steps", type=int, default=budget.steps, help="most updates")
    parser.add_argument(
        "--finetuning-steps", type=int, default=budget.finetuning_steps,
        help="most updates from a trained system",
    )  # fmt: skip
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a key of all recipes"
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose trainings."""
    parser.add_argument(
        "--only", nargs="+", default=[], choices=EXPERIMENTS, metavar="NAME",
        help="these experiments, and what they need",
    )  # fmt: skip
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)


def _workplace(arguments: argparse.Namespace) -> Workplace:
    """Where runs are, and what they share."""
    budget = Budget(arguments.steps, arguments.finetuning_steps)
    return Workplace(arguments.runs, arguments.data, budget, tuple(arguments.set))


def _options(workplace: Workplace) -> Sequence[str]:
    """The options that make the same workplace again."""
    budget = workplace.budget
    options = ["--runs", str(workplace.runs), "--steps", str(budget.steps)]
    options += ["--finetuning-steps", str(budget.finetuning_steps)]
    options += ["--data", str(workplace.data)] if workplace.data is not None else []
    return [*options, *(part for key in workplace.keys for part in ("--set", key))]


def _train(arguments: argparse.Namespace) -> int:
    """Train what has not ended yet."""
    workplace = _workplace(arguments)
    wanted = trainings(arguments.only, arguments.seeds)
    prepare_corpora(workplace, wanted)
    driver = Driver(workplace, _options(workplace), arguments.jobs, _say)
    driver.run(wanted, minutes=arguments.minutes)
    return 1 if driver.failed else 0


def _one(arguments: argparse.Namespace) -> int:
    """Train one experiment in this process."""
    train_here(_workplace(arguments), training_named(arguments.name, arguments.seed))
    return 0


def _say(text: str) -> None:
    """Print a line at once, also into a file."""
    print(text, flush=True)


if __name__ == "__main__":
    main()
