"""The results of a trained system, for the benchmarks that train several: kept in a file, and
printed as a table with times as ratios to the first system's."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from docmt_files.base.documents import Document
from docmt_files.storage.files import write_text
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.translators import translate

METRICS = ("s-bleu", "d-bleu", "s-chrf")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run.

    Attributes:
        parameters, trained: how many it has, and how many of them were trained.
        updates: of the weights.
        loss: on the validation split, in nats per label.
        scores: on the test split, by `METRICS`.
        update, search: seconds of processor time per update, and of translating the test split.
    """

    parameters: int
    trained: int
    updates: int
    loss: float
    scores: tuple[float, ...]
    update: float
    search: float

    @classmethod
    def load(cls, file: Path) -> Outcome | None:
        """What a benchmark that was stopped has kept; None if there is nothing."""
        if not file.exists():
            return None
        values = json.loads(file.read_text("utf-8"))
        return cls(**{**values, "scores": tuple(values["scores"])})

    def save(self, file: Path) -> None:
        """Keep it."""
        write_text(file, json.dumps(asdict(self)))


def max_steps(recipe: Recipe) -> int:
    """The number of updates of a recipe, which must name it to be measured."""
    if recipe.training.max_steps is None:
        raise SystemExit("name the number of updates: training.max_steps=1000")
    return recipe.training.max_steps


def translate_and_score(
    run: SystemRun, documents: Sequence[Document]
) -> tuple[tuple[float, ...], float]:
    """The scores of documents with references, and seconds of processor time of search."""
    translator = BeamSearchTranslator.load(run.directory)
    began = time.process_time()
    found = [translation.document for translation in translate(translator, documents)]
    seconds = time.process_time() - began
    settings = MetricSettings(metrics=METRICS, language=run.recipe.data.target_language)
    scores = evaluate(found, documents, settings)
    return tuple(score.score for score in scores), seconds


def validation_loss(run: SystemRun) -> float:
    """The last one of the log."""
    last: float = json.loads(run.log.read_text("utf-8").splitlines()[-1])["loss"]
    return last


def print_outcomes(outcomes: Mapping[str, Sequence[Outcome]], base: Sequence[Outcome]) -> None:
    """One line per system; times as ratios to those of `base`."""
    columns = (
        "parameters",
        "trained",
        "updates",
        "valid. loss",
        "s-BLEU",
        "d-BLEU",
        "s-chrF",
        "update",
        "search",
    )
    width = max(map(len, outcomes))
    print(" " * width, *(f"{column:>20}" for column in columns))
    for name, runs in outcomes.items():
        first = runs[0]
        cells = [f"{first.parameters:,}", f"{first.trained:,}", f"{first.updates:,}"]
        cells.append(mean_and_range([run.loss for run in runs]))
        for metric in range(len(METRICS)):
            cells.append(mean_and_range([run.scores[metric] for run in runs]))
        for part in ("update", "search"):
            seconds = mean(getattr(run, part) for run in runs)
            ratio = seconds / mean(getattr(run, part) for run in base)
            cells.append(f"{seconds:.3g} s ({ratio:.2f} ×)")
        print(f"{name:<{width}}", *(f"{cell:>20}" for cell in cells), flush=True)


def mean_and_range(values: Sequence[float]) -> str:
    """The mean and, of several values, the range."""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{mean(values):.2f} ({min(values):.2f}–{max(values):.2f})"
