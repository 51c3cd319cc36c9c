"""Sentence-level, document-level and G-Transformer side by side on the bundled corpus.

    python benchmarks/demo_systems.py [--seeds 3] [--steps 600] [--recipes demo-sentence ...]

Every recipe is trained for the same number of updates of the same size on the same prepared corpus,
then translates the test split with the same search. The table gives parameters, the validation
loss, scores on the test split (mean and range over seeds) and the time of training and search as
ratios to the first recipe's, measured in this one run.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import torch

from docmt import recipes
from docmt.decoding import Translator
from docmt.documents import Document
from docmt.evaluation import evaluate
from docmt.preparation import Prepared, prepare
from docmt.training import train

RECIPES = ("demo-sentence", "demo-document", "demo-g-transformer")
METRICS = ("s-bleu", "d-bleu", "s-chrf")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: its size, its validation loss, its scores, and seconds in training and search."""

    parameters: int
    loss: float
    scores: tuple[float, ...]
    training: float
    search: float


def main() -> None:
    """Train, translate and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--recipes", nargs="+", default=RECIPES)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--steps", type=int, help="updates; default: what the first recipe says")
    parser.add_argument("--runs", type=Path, help="keep the runs in this folder")
    parser.add_argument("overrides", nargs="*", help="keys of every recipe, as key=value")
    arguments = parser.parse_args()
    first = recipes.load(arguments.recipes[0], arguments.overrides)
    steps = arguments.steps or first.training.steps
    print(
        f"{platform.processor() or platform.machine()} · {torch.get_num_threads()} threads · "
        f"Python {platform.python_version()} · torch {torch.__version__}\n"
        f"{steps} updates of {first.training.batch_tokens} tokens, {arguments.seeds} seed(s)\n"
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.runs or Path(scratch)
        prepare(first, folder / "data")
        test = Prepared.load(folder / "data").split("test")
        documents = [test.text(place) for place in range(len(test))]
        outcomes = {
            name: [
                measure(name, seed, steps, folder, documents, arguments.overrides)
                for seed in range(1, arguments.seeds + 1)
            ]
            for name in arguments.recipes
        }
    print_table(outcomes)


def measure(
    name: str,
    seed: int,
    steps: int,
    folder: Path,
    documents: list[Document],
    overrides: list[str],
) -> Outcome:
    """Train a recipe and translate the test split with it."""
    recipe = recipes.load(
        name,
        [
            f"data.prepared={folder / 'data'}",
            f"training.steps={steps}",
            f"training.seed={seed}",
            *overrides,
        ],
    )
    run = folder / f"{name}-{seed}"
    began = time.perf_counter()
    train(recipe, run, progress=False)
    trained = time.perf_counter()
    translator = Translator.load(run)
    found = [translation.document for translation in translator.translate(documents)]
    searched = time.perf_counter()
    scores = evaluate(found, documents, metrics=METRICS, language=recipe.data.target_language)
    log = [json.loads(line) for line in (run / "log.jsonl").read_text("utf-8").splitlines()]
    return Outcome(
        sum(parameter.numel() for parameter in translator.system.parameters()),
        log[-1]["loss"],
        tuple(score.score for score in scores),
        trained - began,
        searched - trained,
    )


def print_table(outcomes: dict[str, list[Outcome]]) -> None:
    """One line a recipe; times as ratios to the first."""
    columns = ("parameters", "valid. loss", "s-BLEU", "d-BLEU", "s-chrF", "training", "search")
    width = max(map(len, outcomes))
    print(" " * width, *(f"{column:>20}" for column in columns))
    base = next(iter(outcomes.values()))
    for name, runs in outcomes.items():
        cells = [f"{runs[0].parameters:,}", spread([run.loss for run in runs])]
        for metric in range(len(METRICS)):
            cells.append(spread([run.scores[metric] for run in runs]))
        for part in ("training", "search"):
            seconds = mean(getattr(run, part) for run in runs)
            ratio = seconds / mean(getattr(run, part) for run in base)
            cells.append(f"{seconds:.0f} s ({ratio:.2f} ×)")
        print(f"{name:<{width}}", *(f"{cell:>20}" for cell in cells), flush=True)


def spread(values: list[float]) -> str:
    """The mean and, of several values, the range."""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{mean(values):.2f} ({min(values):.2f}–{max(values):.2f})"


if __name__ == "__main__":
    main()
