"""Systems side by side on the bundled corpus.

    python benchmarks/demo_systems.py [--seeds 3] [--steps 600] [--recipes demo-sentence ...]
    python benchmarks/demo_systems.py --seconds 60 --seeds 3 --runs FOLDER

Every recipe is trained on the same prepared corpus for the same number of updates of the same size
or, with `--seconds`, for about as long as the others, then translates the test split with the same
search. The table gives parameters, updates, the validation loss, scores on the test split (mean and
range over seeds) and the processor time of an update and of search as ratios to the first recipe's.
With `--runs` what is finished is kept, and the same command goes on from there.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_nmt import recipes
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.preparation import prepare
from docmt_nmt.recipes import Recipe
from docmt_nmt.training import train
from measuring import machine
from outcomes import Outcome, max_steps, print_outcomes, translate_and_score, validation_loss

RECIPES = (
    "demo-sentence",
    "demo-document",
    "demo-window",
    "demo-long-short",
    "demo-g-transformer",
    "demo-g-transformer-finetuned",
    "demo-document-transformer",
    "demo-context-aware-transformer",
    "demo-flat-transformer",
    "demo-hybrid-context",
    "demo-hm-gdc",
    "demo-hm-gdc-finetuned",
    "demo-han",
    "demo-san",
    "demo-associated-memory",
    "demo-cache-transformer",
    "demo-cadec",
    "demo-rnnsearch",
    "demo-cross-sentence-rnn",
    "demo-hm-gdc-rnnsearch",
    "demo-multi-encoder-rnn",
    "demo-cache-rnnsearch",
)
TRIAL = (10, 40)
"""Updates of two trainings, whose difference is the time of the other updates."""

TRIALS = 3
"""Repetitions of both; the least time counts."""


def main() -> None:
    """Train, translate and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--recipes", nargs="+", default=RECIPES)
    parser.add_argument("--seeds", type=int, default=1)
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--steps", type=int, help="updates; default: what the first recipe says")
    budget.add_argument("--seconds", type=float, help="processor time of training instead")
    parser.add_argument("--runs", type=Path, help="keep the runs in this folder")
    parser.add_argument("overrides", nargs="*", help="keys of every recipe, as key=value")
    arguments = parser.parse_args()
    first = recipes.load(arguments.recipes[0], arguments.overrides)
    steps = arguments.steps or max_steps(first)
    print(
        f"{machine()}\n"
        f"{f'{arguments.seconds:.0f} s' if arguments.seconds else f'{steps} updates'} of training, "
        f"{first.training.batch_tokens} tokens per update, {arguments.seeds} seed(s)\n"
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.runs or Path(scratch)
        if not (folder / "data").exists():
            prepare(first, folder / "data")
        test = PreparedCorpus.load(folder / "data").split("test")
        documents = [test.text(index) for index in range(len(test))]
        outcomes: dict[str, list[Outcome]] = {}
        for name in arguments.recipes:
            update = seconds_per_update(name, folder, arguments.overrides)
            if arguments.seconds:
                steps = max(1, round(arguments.seconds / update))
            outcomes[name] = [
                measure(name, seed, steps, update, folder, documents, arguments.overrides)
                for seed in range(1, arguments.seeds + 1)
            ]
            print_outcomes({name: outcomes[name]}, outcomes[arguments.recipes[0]])
    print()
    print_outcomes(outcomes, outcomes[arguments.recipes[0]])


def seconds_per_update(name: str, folder: Path, overrides: Sequence[str]) -> float:
    """The processor time of an update of a recipe, from two short trainings."""
    known = folder / f"{name}.update"
    if known.exists():
        return float(known.read_text("utf-8"))
    least = dict.fromkeys(TRIAL, math.inf)
    for steps in TRIAL * TRIALS:
        with tempfile.TemporaryDirectory() as scratch:
            recipe = shortened(name, steps, [f"data.prepared={folder / 'data'}", *overrides])
            began = time.process_time()
            train(recipe, Path(scratch) / "run", progress=False)
            least[steps] = min(least[steps], time.process_time() - began)
    update = (least[TRIAL[1]] - least[TRIAL[0]]) / (TRIAL[1] - TRIAL[0])
    known.write_text(str(update), "utf-8")
    return update


def shortened(name: str, steps: int, overrides: Sequence[str]) -> Recipe:
    """A recipe with this many updates, shared among its stages as it shares its own."""
    recipe = recipes.load(name, overrides)
    if not recipe.stages:
        return recipes.load(name, [f"training.max_steps={steps}", *overrides])
    default = max_steps(recipe)
    own = [stage.training.get("max_steps", default) for stage in recipe.stages]
    keys = [
        f"stages.{stage.name}.training.max_steps={max(1, steps * share // sum(own))}"
        for stage, share in zip(recipe.stages, own, strict=True)
    ]
    return recipes.load(name, [*keys, *overrides])


def measure(
    name: str,
    seed: int,
    steps: int,
    update: float,
    folder: Path,
    documents: list[Document],
    overrides: Sequence[str],
) -> Outcome:
    """Train a recipe and translate the test split with it, unless that is done."""
    file = folder / f"{name}-{seed}.json"
    if (known := Outcome.load(file)) is not None:
        return known
    keys = [f"data.prepared={folder / 'data'}", f"training.seed={seed}", *overrides]
    run = train(shortened(name, steps, keys), folder / f"{name}-{seed}", progress=False)
    scores, search = translate_and_score(run, documents)
    parameters = sum(parameter.numel() for parameter in run.system("cpu").parameters())
    outcome = Outcome(parameters, parameters, steps, validation_loss(run), scores, update, search)
    outcome.save(file)
    return outcome


if __name__ == "__main__":
    main()
