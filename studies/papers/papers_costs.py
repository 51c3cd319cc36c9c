"""What training and search cost: the processor time of updates and of translations of all
experiments, which take turns in one run of this program. The logs of trainings would not do, as
each of them shared the machine with something else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from accelerate import Accelerator

from docmt_files.base.documents import Document
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_json
from docmt_nmt.data.preparation import read_split
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.training.optimizer import set_learning_rates
from docmt_nmt.training.progress import ProgressBar
from docmt_nmt.training.setup import open_corpus, open_or_create_run
from docmt_nmt.training.train_step import train_step
from docmt_nmt.training.trainer import remaining_updates
from docmt_nmt.training.training_state import build_training_state

# The benchmarks measure time; they are a folder of programs, not a package.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from measuring import Timings, machine, take_turns
from papers_workspace import Training, Workspace

FILE = "costs.json"
"""Among the results."""

UPDATES = 10
"""That are timed together."""

SENTENCES = 200
"""Translated together, or more, as documents are whole."""


class Updates:
    """The first updates of a training, which leave its weights as they are.

    Args:
        workspace: where its corpus is, and the runs that it starts from.
        training: the training.
        folder: a new folder, for what a run directory needs.
    """

    def __init__(self, workspace: Workspace, training: Training, folder: Path) -> None:
        def say_nothing(*_: object) -> None:
            pass

        folder.mkdir()
        run = open_or_create_run(workspace.recipe(training), folder, say_nothing)
        corpus = open_corpus(run, say_nothing)
        bar = ProgressBar(visible=False, max_steps=None)
        self.state = build_training_state(run, corpus, Accelerator(cpu=True), bar)
        set_learning_rates(self.state.optimizer, 0.0)
        self.updates = [update for update, _ in islice(remaining_updates(self.state), UPDATES)]
        self.tokens = 0

    def __call__(self) -> None:
        """Do them, and count their target tokens."""
        self.state.system.train()
        self.tokens = sum(int(train_step(self.state, one).labels) for one in self.updates)


def measure_costs(
    workspace: Workspace, trainings: Sequence[Training], repeats: int
) -> dict[str, Any]:
    """The costs of experiments by their names, each of which has been trained.

    Args:
        workspace: where the runs are.
        trainings: one of each experiment.
        repeats: how often each takes its turn after a warm-up; the median counts.
    """
    documents = _some_documents(workspace, trainings[0])
    words = sum(len(text.split()) for each in documents for text in each.source)
    sentences = sum(map(len, documents))
    with TemporaryDirectory() as scratch:
        updates = {
            one.experiment.name: Updates(workspace, one, Path(scratch) / one.name)
            for one in trainings
        }
        found: dict[str, dict[str, float]] = {}
        for name, timings in take_turns(updates, repeats).items():
            seconds = _seconds(timings)
            found[name] = {
                "update_seconds": seconds / UPDATES,
                "tokens_per_second": updates[name].tokens / seconds,
            }
    searches = {
        one.experiment.name: partial(
            BeamSearchTranslator.load(workspace.run(one)).translate, documents
        )
        for one in trainings
        if one.experiment.translates
    }
    for name, timings in take_turns(searches, repeats).items():
        seconds = _seconds(timings)
        found[name] |= {
            "sentences_per_second": sentences / seconds,
            "words_per_second": words / seconds,
        }
    return {"machine": machine(), "sentences": sentences, "experiments": found}


def _seconds(timings: Timings) -> float:
    return timings.median("cpu")


def _some_documents(workspace: Workspace, training: Training) -> list[Document]:
    """The first documents of the test split with enough sentences in all."""
    chosen: list[Document] = []
    for document in read_split(workspace.recipe(training).data, "test"):
        chosen.append(replace(document, target=None))
        if sum(map(len, chosen)) >= SENTENCES:
            break
    return chosen


def write_costs(costs: Mapping[str, Any], folder: Path) -> None:
    """Write costs among the results, rounded."""
    found = {
        name: {key: float(f"{value:.4g}") for key, value in own.items()}
        for name, own in costs["experiments"].items()
    }
    text = json.dumps({**costs, "experiments": found}, indent=1, ensure_ascii=False)
    write_text(folder / FILE, text + "\n")


def read_costs(folder: Path) -> dict[str, Any]:
    """What `measure_costs` has found; nothing if it has not been called."""
    path = folder / FILE
    found: dict[str, Any] = read_json(path) if path.exists() else {}
    return found
