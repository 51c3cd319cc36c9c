"""The beginning of training: reserve the run directory, create or open the run, find or prepare the
corpus, and initialize the system from another run where the recipe names one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from filecmp import cmp
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_files.base.wording import first_few
from docmt_files.storage.files import resolved, write_text
from docmt_files.storage.locks import locked
from docmt_files.storage.temporary_files import remove_leftovers
from docmt_nmt.data.parallel_corpus import PreparedCorpus, PreparedSettings
from docmt_nmt.data.preparation import PrepareProgress, prepare
from docmt_nmt.recipes import Recipe, differences, dump
from docmt_nmt.runs.bundled import check_not_bundled
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weights import load_weights
from docmt_nmt.systems import System
from docmt_nmt.text import SIDES, Pipeline, Side
from docmt_nmt.training.new_modules import start_new_modules
from docmt_nmt.training.optimizer import matching_names
from docmt_nmt.training.training_checks import (
    check_same_computation,
    check_same_recipe,
    check_splits,
    differing_keys,
)


@contextmanager
def reserve_directory(directory: Path, is_main_process: bool) -> Iterator[None]:
    """Reserve a run directory for this training, and remove the temporary files of a killed
    training. Only the main process writes.

    Args:
        directory: the run directory; it is made if it is missing.

    Raises:
        InputError: the directory cannot be written or comes with docmt, or another process trains
            in it.
    """
    check_not_bundled(directory)
    if not is_main_process:
        yield
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(directory, wait=False))
        except BlockingIOError:
            raise InputError(
                "another process is training in this directory",
                path=directory,
                cure="Wait until it ends, or choose another directory",
            ) from None
        if not os.access(directory, os.W_OK):
            raise InputError(
                "cannot be written (no permission)",
                path=directory,
                cure="Change its permissions, or choose another directory",
            )
        for folder in (directory, directory / "checkpoints"):
            if folder.is_dir():
                remove_leftovers(folder)
        yield


def open_or_create_run(
    recipe: Recipe, directory: Path, on_preparation: PrepareProgress
) -> SystemRun:
    """The run of a recipe in a directory.

    Where the recipe starts from another run, the text pipeline of the other run is used. If
    training has not begun and the recipe has changed, the run is created again.

    Raises:
        InputError: the directory holds something else or the run of another recipe, or the corpus
            or the run to start from cannot be used.
    """
    check_splits(recipe)
    if (directory / "recipe.yaml").exists():
        stored = SystemRun.load(directory)
        run = _following_its_stages(stored, recipe)
        has_begun = run.log.exists() or run.weights.exists()
        if has_begun or not differing_keys(run, recipe):
            check_same_recipe(run, recipe)
            if run is not stored:
                write_text(directory / "recipe.yaml", dump(run.recipe))
            return run
        (directory / "recipe.yaml").unlink()
    visible = {path.name for path in directory.iterdir() if not path.name.startswith(".")}
    if strange := sorted(visible - {"data", "format.json", "stages", "text", "thresholds.json"}):
        raise InputError(
            f"is not a run directory and not empty (it holds {first_few(strange)})",
            path=directory,
            cure="Choose a new or an empty directory",
        )
    start = SystemRun.load(recipe.initialize.run) if recipe.initialize is not None else None
    if start is not None:
        # Before the corpus is prepared, which may take long.
        check_same_computation(start, recipe)
        if not _loads_encoder(recipe):
            recipe = recipe.model_copy(update={"text": start.pipeline.settings})
    part = "source_side" if _loads_encoder(recipe) else "pipeline"
    given = {} if start is None else {part: start.pipeline}
    corpus_directory = _find_or_prepare_corpus(recipe, directory, on_preparation, **given)
    sides: Sequence[Side] = ("source",) if _loads_encoder(recipe) else SIDES
    corpus = _load_corpus(corpus_directory, recipe, start, sides)
    return SystemRun.create(directory, recipe, corpus.pipeline, corpus.thresholds)


def _loads_encoder(recipe: Recipe) -> bool:
    """Return whether a recipe takes only the source side of the run it starts from."""
    return recipe.initialize is not None and recipe.initialize.load == "encoder"


def _following_its_stages(run: SystemRun, recipe: Recipe) -> SystemRun:
    """The run, with the current path of the stage before it. A run names the previous stage by an
    absolute path. Moving or copying the whole run changes the path."""
    if run.recipe.initialize is None or recipe.initialize is None:
        return run
    before, now = Path(run.recipe.initialize.run), Path(recipe.initialize.run)
    directory = resolved(run.directory)
    is_own_stage = now.parent in (directory / "stages", directory.parent)
    same_name = (before.parent.name, before.name) == (now.parent.name, now.name)
    if before == now or not is_own_stage or not same_name or now.parent.name != "stages":
        return run
    theirs, ours = (path / "weights.safetensors" for path in (before, now))
    if theirs.is_file() and ours.is_file() and not cmp(theirs, ours, shallow=False):
        return run  # another run, which is still there
    initialize = run.recipe.initialize.model_copy(update={"run": str(now)})
    updated = run.recipe.model_copy(update={"initialize": initialize})
    return SystemRun(run.directory, updated, run.pipeline)


def open_corpus(run: SystemRun, on_preparation: PrepareProgress) -> PreparedCorpus:
    """The prepared corpus of a run; it is prepared again if the run's own folder is gone.

    Raises:
        InputError: the corpus cannot be prepared, or does not fit the run.
    """
    directory = _find_or_prepare_corpus(
        run.recipe, run.directory, on_preparation, pipeline=run.pipeline
    )
    return _load_corpus(directory, run.recipe, run, SIDES)


def _find_or_prepare_corpus(
    recipe: Recipe,
    directory: Path,
    on_preparation: PrepareProgress,
    *,
    pipeline: Pipeline | None = None,
    source_side: Pipeline | None = None,
) -> Path:
    """The folder of a run's prepared corpus: `data.prepared`; the run's own folder; or the folder
    of the run to start from, if both have the same corpus. Otherwise a corpus is prepared now."""
    if recipe.data.prepared is not None:
        return Path(recipe.data.prepared)
    folder_of_run = directory / "data"
    # Without a recipe beside it, the folder may come from another attempt.
    if folder_of_run.exists() and (directory / "recipe.yaml").exists():
        return folder_of_run
    other = Path(recipe.initialize.run) / "data" if recipe.initialize is not None else None
    if other is not None and other.exists() and not _loads_encoder(recipe):
        settings = PreparedCorpus.load(other).settings
        if not differences(settings, PreparedSettings.of(recipe)):
            return other
    prepare(
        recipe, folder_of_run, pipeline=pipeline, source_side=source_side, progress=on_preparation
    )
    return folder_of_run


def _load_corpus(
    directory: Path, recipe: Recipe, pipeline_run: SystemRun | None, sides: Sequence[Side]
) -> PreparedCorpus:
    """Load a prepared corpus, and check the settings of the recipe and, on the given sides, the
    vocabularies of the run whose text pipeline is used."""
    corpus = PreparedCorpus.load(directory)
    corpus.check(recipe)
    if pipeline_run is not None and any(
        corpus.pipeline.vocabulary(side).tokens != pipeline_run.pipeline.vocabulary(side).tokens
        for side in sides
    ):
        raise InputError(
            f"was prepared with another vocabulary than that of {pipeline_run.directory}",
            path=directory,
            cure="Leave data.prepared out, and the run prepares its own corpus",
        )
    return corpus


def load_initial_weights(run: SystemRun, system: System) -> list[str]:
    """Load the weights of the run to start from into a new system.

    Returns:
        The names of the loaded parameters; none where the recipe starts from random weights.

    Raises:
        InputError: the weights do not fit, lack some frozen or left-out weights, or were trained in
            a system with another computation; or nothing is new that `initialize` says how to
            start.
    """
    initialize = run.recipe.initialize
    if initialize is None:
        return []
    start = SystemRun.load(initialize.run)
    check_same_computation(start, run.recipe)
    state = start.state()
    left_out = matching_names(initialize.leave_out, list(state), "initialize.leave_out")
    state = {name: tensor for name, tensor in state.items() if name not in left_out}
    if _loads_encoder(run.recipe):
        parts = ("encoder.", "encoder_norm.", "source_embedding.")
        state = {name: tensor for name, tensor in state.items() if name.startswith(parts)}
    loaded = load_weights(system, system.initial_weights(state), start.weights, partial=True)
    start_new_modules(system, loaded, initialize)
    frozen = {name for name, p in system.named_parameters() if not p.requires_grad}
    if missing := sorted(frozen - loaded):
        raise InputError(
            f"has no weights for the frozen {first_few(missing)}",
            path=start.directory,
            cure="Start from a run of a transformer with the sizes of `system`",
            parameters=("system",),
        )
    return sorted(loaded)
