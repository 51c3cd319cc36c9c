"""The work on one point, in a separate process: train, translate, score, write the result."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import torch
from filelock import SoftFileLease

from docmt_files.base.errors import InputError
from docmt_files.storage.files import reporting_write_errors, resolved, write_text
from docmt_files.storage.json_files import json_text
from docmt_files.storage.locks import locked
from docmt_nmt.base.choices import EvaluationSplit
from docmt_nmt.data.parallel_corpus import PreparedSettings
from docmt_nmt.data.preparation import prepare
from docmt_nmt.evaluation import MetricSettings, evaluate, evaluation_settings, scored_references
from docmt_nmt.evaluation.split_scores import SplitScores, score_split
from docmt_nmt.recipes import Recipe, directories, dump, stages
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.training import train
from docmt_nmt.training.training_checks import check_trainable
from docmt_research.sweeps.folder import LEASE_SECONDS


@dataclass(frozen=True, slots=True)
class Task:
    """The work of a process.

    Attributes:
        folder: the folder of the point.
        shared: the folder of the sweep, for files shared by points.
        recipe: the values of the recipe.
        split: the split to translate and score.
        threads: the number of threads to use.
        gpu: the value of `CUDA_VISIBLE_DEVICES`; None to leave it as it is.
    """

    folder: Path
    shared: Path
    recipe: dict[str, Any]
    split: EvaluationSplit
    threads: int
    gpu: str | None = None


def work(task: Task) -> None:
    """Do the work on a point. Afterwards the folder of the point has the result or the reason of
    the failure, and the printed output in `output.log`."""
    _end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    log = os.open(task.folder / "output.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    for stream in (1, 2):
        os.dup2(log, stream)
    if task.gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = task.gpu
    torch.set_num_threads(task.threads)
    try:
        result = train_and_score(task)
    except InputError as error:
        print(f"docmt: {error}", flush=True)  # noqa: T201 (the log)
        write_failure(task.folder, str(error))
    except Exception as error:
        traceback.print_exc()
        write_failure(task.folder, f"{type(error).__name__}: {error}")
    else:
        write_text(task.folder / "result.json", _as_json(result))
        (task.folder / "failure.json").unlink(missing_ok=True)


def write_failure(folder: Path, error: str) -> None:
    """Write why a point failed."""
    write_text(folder / "failure.json", _as_json({"error": error, "time": round(time.time(), 3)}))


def _as_json(value: dict[str, Any]) -> str:
    return json_text(value, indent=2) + "\n"


def _end_with_parent() -> None:
    """End this process after the end of the parent process, however the parent ended."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def train_and_score(task: Task) -> dict[str, Any]:
    """Train the recipe of a point, or continue the training, and score the translation of the
    split.

    Returns:
        The plain values of `result.json`.

    Raises:
        InputError: the recipe or the recipe's corpus cannot be used.
    """
    directory = task.folder / "run"
    recipe = Recipe.read(task.recipe)
    for _, stage in stages(recipe, directory):
        check_trainable(stage)
    recipe = _with_shared_corpus(recipe, task.shared / "corpora")
    recipe = _with_shared_stages(recipe, task.shared)
    with locked(directory):
        pass  # a process killed with its parent a moment ago may not have ended yet
    _follow_sweep(directory, recipe, task.shared)
    run = train(recipe, directory)
    started = time.perf_counter()
    scored = score_split(
        directory,
        task.split,
        own_recipe=True,
        note=lambda text: print(text, flush=True),  # noqa: T201
    )
    seconds = time.perf_counter() - started
    lines = read_log(run.log)
    trained = [line for line in lines if line["kind"] == "train"]
    tokens = sum(line["tokens"] for line in trained)
    # Not by the clock, as the training may have been interrupted.
    training_seconds = sum(
        line["tokens"] / max(line["tokens_per_second"], 1e-9) for line in trained
    )
    measures = {
        **{score.name: score.score for score in scored.evaluation.scores},
        "valid.loss": lines[-1]["loss"],
        "valid.perplexity": lines[-1]["perplexity"],
        "updates": lines[-1]["step"],
        "training_seconds": round(training_seconds, 3),
        "tokens_per_second": round(tokens / max(training_seconds, 1e-9), 1),
        "evaluation_seconds": round(seconds, 3),
    }
    return {
        "measures": measures,
        "signatures": {score.name: score.signature for score in scored.evaluation.scores},
        "notes": scored.evaluation.all_notes,
        "positions": _scores_of_positions(directory, scored, recipe, task.split),
        "split": task.split,
        "docmt": version("docmt-nmt"),
        "threads": task.threads,
    }


def _scores_of_positions(
    directory: Path, scored: SplitScores, recipe: Recipe, split: EvaluationSplit
) -> list[dict[str, float]]:
    """The scores at each position of a sliding window, from the first; none of another search."""
    translations = scored.translations
    count = len(translations[0].positions) if translations else 0
    settings = evaluation_settings(MetricSettings(), directory, own_recipe=True)
    corpus = getattr(recipe.data, split)
    references = scored_references(corpus, scored.references, f"data.{split}")
    by_position = []
    for j in range(count):
        documents = [t.document.translated(t.positions[j].sentences) for t in translations]
        scores = evaluate(documents, references, settings)
        by_position.append({score.name: score.score for score in scores})
    return by_position


def _with_shared_corpus(recipe: Recipe, corpora: Path) -> Recipe:
    """The recipe with the prepared corpus in a folder shared by points with the same corpus and
    text pipeline. The recipe is unchanged where a stage or another run decides about the corpus and
    the pipeline."""
    each = [PreparedSettings.of(stage) for _, stage in stages(recipe, Path("RUN"))]
    differ = any(settings != each[0] for settings in each)
    if recipe.data.prepared is not None or recipe.initialize is not None or differ:
        return recipe
    folder = corpora / _digest(each[0].model_dump(mode="json"))
    with _alone(folder):
        if not folder.exists():
            prepare(recipe, folder)
    data = recipe.data.model_copy(update={"prepared": str(folder)})
    return recipe.model_copy(update={"data": data})


def _with_shared_stages(recipe: Recipe, shared: Path) -> Recipe:
    """The last stage of a recipe, after the stages before it have been trained. Points with the
    same earlier stages share them, for example a sentence-level system for all points."""
    before: Path | None = None
    places = directories(recipe, Path("RUN"))
    *earlier, last = (stage for _, stage in stages(recipe, Path("RUN")))
    for i, stage in enumerate(earlier):
        stage = _starting_from(before, places[i - 1], stage)
        stage = stage.model_copy(update={"description": ""})
        values = _seen_from(shared, stage).model_dump(mode="json", exclude={"description"})
        before = shared / "stages" / f"{places[i].name}-{_digest(values)}"
        with _alone(before):
            _follow_sweep(before, stage, shared)
            train(stage, before)
    return _starting_from(before, places[-2], last) if before is not None else last


def _starting_from(before: Path | None, own_run: Path, stage: Recipe) -> Recipe:
    """A stage with the run to start from, unless the stage names another run than the recipe's own
    stage before it."""
    start = stage.initialize
    if before is None or start is None or start.run != str(resolved(own_run)):
        return stage
    return stage.model_copy(update={"initialize": start.model_copy(update={"run": str(before)})})


def _seen_from(shared: Path, recipe: Recipe) -> Recipe:
    """A recipe with relative paths to the contents of a sweep's folder: the same wherever the
    folder is mounted, and whatever the current directory of commands."""

    def inside(path: str) -> str:
        inside_folder = Path(path).is_relative_to(shared)
        return Path(path).relative_to(shared).as_posix() if inside_folder else path

    return _with_paths(recipe, inside)


def _with_paths(recipe: Recipe, change: Callable[[str], str]) -> Recipe:
    """A recipe with the paths changed that a sweep may set: the prepared corpus and the run to
    start from."""
    data, start = recipe.data, recipe.initialize
    if data.prepared is not None:
        data = data.model_copy(update={"prepared": change(data.prepared)})
    if start is not None:
        start = start.model_copy(update={"run": change(start.run)})
    return recipe.model_copy(update={"data": data, "initialize": start})


def _paths(recipe: Recipe) -> list[str]:
    """The paths changed by `_with_paths`."""
    start = None if recipe.initialize is None else recipe.initialize.run
    return [path for path in (recipe.data.prepared, start) if path is not None]


def _follow_sweep(directory: Path, recipe: Recipe, shared: Path) -> None:
    """Write the current paths of the corpus and of the run to start from into a run begun under
    another path of the sweep's folder.

    Args:
        directory: the run directory.
        recipe: the run's recipe, with the current paths.
        shared: the folder of the sweep, with the current path.
    """
    if not (directory / "recipe.yaml").exists():
        return
    stored = SystemRun.load(directory).recipe
    seen = _paths(_seen_from(shared, recipe))
    moved = dict(zip(seen, _paths(recipe), strict=True))

    def follow(path: str) -> str:
        # The names end in digests of the contents.
        return moved.get("/".join(Path(path).parts[-2:]), path)

    if (updated := _with_paths(stored, follow)) != stored:
        write_text(directory / "recipe.yaml", dump(updated))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process makes a folder shared by points."""
    with reporting_write_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = SoftFileLease(f"{folder}.lock", lease_duration=LEASE_SECONDS)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _digest(values: Any) -> str:
    """A name derived from plain values alone."""
    text = json.dumps(values, sort_keys=True)
    return blake2b(text.encode(), digest_size=6).hexdigest()
