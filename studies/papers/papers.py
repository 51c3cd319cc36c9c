"""The claims of the papers, tested on one corpus under one training budget.

    python studies/papers/papers.py plan --runs RUNS
    python studies/papers/papers.py train --runs RUNS --data CORPUS --jobs 2 [--minutes 60]
    python studies/papers/papers.py evaluate --runs RUNS --data CORPUS
    python studies/papers/papers.py costs --runs RUNS --data CORPUS
    python studies/papers/papers.py check
    python studies/papers/papers.py tables

`train` trains every experiment of `papers_experiments.py` with two seeds, and those whose seeds
disagree with a third. It can be stopped at any time, and the same command
goes on. `evaluate` measures the runs that have ended, and writes small JSON files into
`results/data/series-1`; `costs` times the experiments that have been trained in turns;
`tables` writes the tables of `results/claims.md` and `results/tables.md` from the JSON files
alone.
`check` compares these tables with the results, and writes nothing.
`plan` says how far everything is, and how long the rest takes. CORPUS is a folder with `train`,
`dev` and `test` `.en` and `.de`, perhaps `.xz`; without it, the bundled corpus is used.

More seeds can be trained later, also on another machine: `evaluate` and `costs` with
`--series series-2` put their results next to the others, and `tables` joins them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from docmt_files.base.errors import InputError
from papers_claims import disagreeing
from papers_costs import FILE as COSTS
from papers_costs import measure_costs, write_costs
from papers_experiments import EXPERIMENTS
from papers_figures import FIGURES
from papers_measures import measure
from papers_page import PAGES, outdated_pages, write_pages
from papers_plan import plan
from papers_results import Collection
from papers_series import FOLDER, load_results
from papers_training import Driver, prepare_corpora, train_here
from papers_workspace import (
    SEEDS,
    THIRD_SEED,
    Budget,
    Training,
    Workspace,
    training_named,
    trainings,
)


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
    _add_workspace(train)
    _add_selection(train)
    train.add_argument("--jobs", type=int, default=1, help="trainings at a time, a thread each")
    train.add_argument("--minutes", type=float, help="stop after so many minutes")
    train.set_defaults(run=_train)

    planned = commands.add_parser("plan", help="how far everything is, and how long it takes")
    _add_workspace(planned)
    _add_selection(planned)
    planned.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    planned.set_defaults(run=_plan)

    evaluate = commands.add_parser("evaluate", help="measure what has ended")
    _add_workspace(evaluate)
    _add_selection(evaluate)
    evaluate.add_argument("--minutes", type=float, help="begin nothing after so many minutes")
    _add_series(evaluate)
    evaluate.set_defaults(run=_evaluate)

    costs = commands.add_parser("costs", help="time what has ended")
    _add_workspace(costs)
    _add_selection(costs)
    costs.add_argument("--repeats", type=int, default=3, help="timed rounds")
    _add_series(costs)
    costs.set_defaults(run=_costs)

    tables = commands.add_parser("tables", help="write the tables of the pages")
    tables.add_argument("--results", type=Path, default=FOLDER, help="the folder of the results")
    tables.add_argument("--pages", type=Path, default=PAGES, help="the folder of the pages")
    tables.add_argument("--figures", type=Path, default=FIGURES, help="the folder of the figures")
    tables.set_defaults(run=_tables)

    check = commands.add_parser("check", help="compare the tables of the pages with the results")
    check.add_argument("--results", type=Path, default=FOLDER, help="the folder of the results")
    check.set_defaults(run=_check)

    one = commands.add_parser("one", help="train one experiment here, as `train` does")
    one.add_argument("name", choices=EXPERIMENTS)
    one.add_argument("seed", type=int)
    _add_workspace(one)
    one.set_defaults(run=_one)
    return parser


def _add_workspace(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where runs are and what they share."""
    budget = Budget()
    parser.add_argument("--runs", type=Path, required=True, help="the folder of the runs")
    parser.add_argument("--data", type=Path, help="the folder of the corpus; default: bundled")
    parser.add_argument("--steps", type=int, default=budget.steps, help="most updates")
    parser.add_argument(
        "--finetuning-steps",
        type=int,
        default=budget.finetuning_steps,
        help="most updates from a trained system",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a key of all recipes",
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose trainings."""
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=EXPERIMENTS,
        metavar="NAME",
        help="these experiments, and what they need",
    )
    parser.add_argument(
        "--seeds", nargs="+", type=int, help="default: 1 and 2, and 3 where these disagree"
    )
    parser.add_argument("--results", type=Path, default=FOLDER, help="the folder of the results")


def _add_series(parser: argparse.ArgumentParser) -> None:
    """Add the option that says which results are written."""
    parser.add_argument(
        "--series",
        default="series-1",
        help="the folder among the results of what is in the folder of the runs",
    )


def _workspace(arguments: argparse.Namespace) -> Workspace:
    """Where runs are, and what they share."""
    budget = Budget(arguments.steps, arguments.finetuning_steps)
    return Workspace(arguments.runs, arguments.data, budget, tuple(arguments.set))


def _options(workspace: Workspace) -> Sequence[str]:
    """The options that make the same workspace again."""
    budget = workspace.budget
    options = ["--runs", str(workspace.runs), "--steps", str(budget.steps)]
    options += ["--finetuning-steps", str(budget.finetuning_steps)]
    options += ["--data", str(workspace.data)] if workspace.data is not None else []
    return [*options, *(part for key in workspace.overrides for part in ("--set", key))]


def _selected(arguments: argparse.Namespace) -> list[Training]:
    """The trainings that the options choose."""
    if arguments.seeds is not None:
        return trainings(arguments.only, arguments.seeds)
    chosen = arguments.only or EXPERIMENTS
    again = [name for name in disagreeing(load_results(arguments.results)) if name in chosen]
    return trainings(arguments.only, SEEDS, dict.fromkeys(again, THIRD_SEED))


def _plan(arguments: argparse.Namespace) -> int:
    """Print how far everything is."""
    _say(plan(_workspace(arguments), _selected(arguments), arguments.jobs))
    return 0


def _evaluate(arguments: argparse.Namespace) -> int:
    """Measure the runs that have ended, and write the results of their experiments."""
    workspace = _workspace(arguments)
    torch.set_num_threads(1)
    began = time.monotonic()
    for training in _trained(workspace, _selected(arguments)):
        if not (arguments.minutes and time.monotonic() - began > 60 * arguments.minutes):
            measure(workspace.run(training))
            _say(f"{training.name}: measured")
    collection = Collection(workspace, arguments.seeds)
    folder = arguments.results / arguments.series
    for name, experiment in EXPERIMENTS.items():
        if (not arguments.only or name in arguments.only) and collection.write(experiment, folder):
            _say(f"{name}: {folder / name}.json")
    return 0


def _costs(arguments: argparse.Namespace) -> int:
    """Time the updates and the search of the experiments that have been trained."""
    workspace = _workspace(arguments)
    torch.set_num_threads(1)
    trained = _trained(workspace, _selected(arguments))
    first = {one.experiment.name: one for one in reversed(trained)}
    done = [first[name] for name in EXPERIMENTS if name in first]
    folder = arguments.results / arguments.series
    write_costs(measure_costs(workspace, done, arguments.repeats), folder)
    _say(f"{len(done)} experiments: {folder / COSTS}")
    return 0


def _trained(workspace: Workspace, wanted: Sequence[Training]) -> list[Training]:
    """Those of some trainings that have ended.

    Raises:
        InputError: none has.
    """
    trained = [one for one in wanted if workspace.is_done(one)]
    if not trained:
        raise InputError("nothing has been trained", path=workspace.runs)
    return trained


def _tables(arguments: argparse.Namespace) -> int:
    """Write the tables of the pages."""
    write_pages(load_results(arguments.results), arguments.pages, arguments.figures)
    return 0


def _check(arguments: argparse.Namespace) -> int:
    """Say whether the tables of the pages are those of the results."""
    outdated = outdated_pages(load_results(arguments.results))
    for page in outdated:
        _say(f"{page}: the tables are not those of the results")
    if not outdated:
        _say("The tables are those of the results.")
    return 1 if outdated else 0


def _train(arguments: argparse.Namespace) -> int:
    """Train what has not ended yet."""
    workspace = _workspace(arguments)
    wanted = _selected(arguments)
    prepare_corpora(workspace, wanted)
    driver = Driver(workspace, _options(workspace), arguments.jobs, _say)
    driver.run(wanted, minutes=arguments.minutes)
    return 1 if driver.failed else 0


def _one(arguments: argparse.Namespace) -> int:
    """Train one experiment in this process."""
    train_here(_workspace(arguments), training_named(arguments.name, arguments.seed))
    return 0


def _say(text: str) -> None:
    """Print a line at once, also into a file."""
    print(text, flush=True)


if __name__ == "__main__":
    main()
