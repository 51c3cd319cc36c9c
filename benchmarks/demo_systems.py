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
import json
import math
import platform
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

import torch

from docmt import recipes
from docmt.data.corpus import PreparedCorpus
from docmt.data.prepare import prepare
from docmt.decoding import Translator
from docmt.documents import Document
from docmt.evaluation import evaluate
from docmt.recipes import Recipe
from docmt.training import train

RECIPES = (
    "demo-sentence", "demo-document", "demo-window", "demo-long-short", "demo-g-transformer",
    "demo-g-transformer-finetuned", "demo-document-transformer", "demo-hm-gdc",
    "demo-hm-gdc-finetuned", "demo-rnnsearch", "demo-cross-sentence-rnn", "demo-hm-gdc-rnnsearch",
)  # fmt: skip
METRICS = ("s-bleu", "d-bleu", "s-chrf")
TRIAL = (10, 40)
"""Updates of the two trainings whose difference tells how long an update takes."""

TRIALS = 3
"""How often; the least counts, as nothing makes a processor faster than it is."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: its size, its updates, its validation loss, its scores, and the seconds of an update
    and of search."""

    parameters: int
    steps: int
    loss: float
    scores: tuple[float, ...]
    update: float
    search: float


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
    steps = arguments.steps or first.training.max_steps
    print(
        f"{platform.processor() or platform.machine()} · {torch.get_num_threads()} threads · "
        f"Python {platform.python_version()} · torch {torch.__version__}\n"
        f"{f'{arguments.seconds:.0f} s' if arguments.seconds else f'{steps} updates'} of training, "
        f"{first.training.batch_tokens} tokens an update, {arguments.seeds} seed(s)\n"
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.runs or Path(scratch)
        if not (folder / "data").exists():
            prepare(first, folder / "data")
        test = PreparedCorpus.load(folder / "data").split("test")
        documents = [test.text(place) for place in range(len(test))]
        outcomes: dict[str, list[Outcome]] = {}
        for name in arguments.recipes:
            update = seconds_an_update(name, folder, arguments.overrides)
            if arguments.seconds:
                steps = max(1, round(arguments.seconds / update))
            outcomes[name] = [
                measure(name, seed, steps, update, folder, documents, arguments.overrides)
                for seed in range(1, arguments.seeds + 1)
            ]
            print_table({name: outcomes[name]}, outcomes[arguments.recipes[0]])
    print()
    print_table(outcomes, outcomes[arguments.recipes[0]])


def seconds_an_update(name: str, folder: Path, overrides: Sequence[str]) -> float:
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
    recipe = recipes.load(name, [f"training.max_steps={steps}", *overrides])
    own = [stage.training.get("steps", recipe.training.max_steps) for stage in recipe.stages]
    stages = [
        stage.model_copy(
            update={"training": {**stage.training, "steps": max(1, steps * share // sum(own))}}
        )
        for stage, share in zip(recipe.stages, own, strict=True)
    ]
    return recipe.model_copy(update={"stages": tuple(stages)})


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
    known = folder / f"{name}-{seed}.json"
    if known.exists():
        return Outcome(**json.loads(known.read_text("utf-8")))
    keys = [f"data.prepared={folder / 'data'}", f"training.seed={seed}", *overrides]
    recipe = shortened(name, steps, keys)
    run = folder / f"{name}-{seed}"
    trained = train(recipe, run, progress=False)
    translator = Translator.load(run)
    began = time.process_time()
    found = [translation.document for translation in translator.translate(documents)]
    searched = time.process_time()
    scores = evaluate(found, documents, metrics=METRICS, language=recipe.data.target_language)
    log = [json.loads(line) for line in (run / "log.jsonl").read_text("utf-8").splitlines()]
    outcome = Outcome(
        sum(parameter.numel() for parameter in trained.system("cpu").parameters()),
        steps,
        log[-1]["loss"],
        tuple(score.score for score in scores),
        update,
        searched - began,
    )
    known.write_text(json.dumps(asdict(outcome)), "utf-8")
    return outcome


def print_table(outcomes: dict[str, list[Outcome]], base: Sequence[Outcome]) -> None:
    """One line a recipe; times as ratios to those of `base`."""
    columns = ("parameters", "updates", "valid. loss", "s-BLEU", "d-BLEU", "s-chrF", "update",
               "search")  # fmt: skip
    d_model = max(map(len, RECIPES))
    print(" " * d_model, *(f"{column:>20}" for column in columns))
    for name, runs in outcomes.items():
        cells = [f"{runs[0].parameters:,}", f"{runs[0].steps:,}"]
        cells.append(spread([run.loss for run in runs]))
        for metric in range(len(METRICS)):
            cells.append(spread([run.scores[metric] for run in runs]))
        for part in ("update", "search"):
            seconds = mean(getattr(run, part) for run in runs)
            ratio = seconds / mean(getattr(run, part) for run in base)
            cells.append(f"{seconds:.2f} s ({ratio:.2f} ×)")
        print(f"{name:<{d_model}}", *(f"{cell:>20}" for cell in cells), flush=True)


def spread(values: list[float]) -> str:
    """The mean and, of several values, the range."""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{mean(values):.2f} ({min(values):.2f}–{max(values):.2f})"


if __name__ == "__main__":
    main()
