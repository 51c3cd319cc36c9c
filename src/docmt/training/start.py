"""What happens before the first update: the run directory is made or opened, the corpus prepared
and, where the recipe says so, the system filled from another run; and what could fail later for
want of space or permission is tried now.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch

from docmt.contexts import ContextEncoders, check_lengths
from docmt.data.corpus import PreparedCorpus, PreparedSettings
from docmt.data.prepare import Progress, prepare
from docmt.errors import InputError
from docmt.files import remove_leftovers, reporting_write_errors
from docmt.recipes import Recipe, differences
from docmt.runs import Run, fill, shared
from docmt.settings import written
from docmt.systems import ParallelStackSettings, System
from docmt.training import log
from docmt.training.checkpoints import most_kept
from docmt.training.progress import Progress as Shown
from docmt.wording import first_few

GIB = 2**30

FORM = (
    "heads", "norm", "activation", "positions", "scale_embeddings", "normalize_embeddings",
)  # fmt: skip
"""Keys of `system` by which weights of the same shapes compute something else."""

TABLES = {"share_embeddings": False, "share_output": False, "output_bias": True}
"""Values of keys of `system` with which weights have a tensor that they lack with another."""

NEEDS_SPLITS = (
    "Training needs data.train and data.valid: name their files in a recipe of yours that extends "
    "this one, or on the command line"
)
"""What to do about a recipe that is without a corpus."""


@contextmanager
def occupied(directory: Path, main: bool) -> Iterator[None]:
    """Keep a run directory for this training, and clear what a killed one left there.

    Args:
        directory: the run directory; it is made.
        main: whether this is the process that writes; the others do nothing here.

    Raises:
        InputError: it cannot be written, or is being trained in already.
    """
    if not main:
        yield
        return
    with reporting_write_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        lock = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise InputError(
            "is being trained in by another process", path=directory,
            cure="Wait for it to end, or choose another directory",
        ) from None  # fmt: skip
    except OSError:
        # Some network file systems know no locks; training works there, unguarded.
        pass
    try:
        if not os.access(directory, os.W_OK):
            raise InputError(
                "may not be written", path=directory,
                cure="Change its permissions, or choose another directory",
            )  # fmt: skip
        for folder in (directory, directory / "checkpoints"):
            if folder.is_dir():
                remove_leftovers(folder)
        yield
    finally:
        os.close(lock)


def check_context_runs(recipe: Recipe) -> None:
    """Check that the runs whose encoders a stack attends to are there, before stages that come
    first take their time.

    Raises:
        InputError: one is missing, or has no weights yet.
    """
    if not isinstance(recipe.system, ParallelStackSettings):
        return
    for key, context in recipe.system.contexts.items():
        if context.run is None:
            continue
        directory = Path(context.run)
        if not (directory / "recipe.yaml").exists() or not Run.load(directory).weights.is_file():
            raise InputError(
                f"system.contexts.{key}.run names no run that is trained", path=context.run,
                cure="Train it first, or name one that is",
            )  # fmt: skip


def check_later_contexts(stages: Sequence[Recipe], prepared: PreparedCorpus, shown: Shown) -> None:
    """Check that the encoders of stages that are still to come read the contexts of a corpus, as
    far as they learn from it.

    Args:
        stages: the stages to come.
        prepared: the corpus of the stage that is about to begin.
        shown: told what is being done.

    Raises:
        InputError: an encoder cannot be loaded, or a context is longer than it reads.
    """
    for recipe in stages:
        if differences(prepared.settings, PreparedSettings.of(recipe)):
            continue
        contexts = ContextEncoders.of(recipe, prepared.pipeline.special_tokens, "cpu")
        if contexts is None or not contexts.encoders:
            continue
        shown.say("checking that the encoders of a later stage can read the contexts")
        for name in (*recipe.data.learned_from, "valid"):
            check_lengths(contexts, prepared.split(name))


def open_run(recipe: Recipe, directory: Path, progress: Progress) -> Run:
    """The run of a recipe, made or opened.

    Where the recipe starts from a run, the text pipeline is that run's. A run whose training has
    not begun is made anew if the recipe has changed since.

    Args:
        recipe: the recipe.
        directory: the run directory.
        progress: told of the preparation of the corpus.

    Raises:
        InputError: the directory holds something else or the run of another recipe, or the corpus
            or the run to start from cannot be used.
    """
    for split in ("train", "valid"):
        if getattr(recipe.data, split) is None:
            raise InputError(f"data.{split} is missing", cure=NEEDS_SPLITS)
    if (directory / "recipe.yaml").exists():
        run = Run.load(directory)
        keys = differing(run, recipe)
        if not keys or run.log.exists() or run.weights.exists():
            check_same(run, keys)
            return run
        (directory / "recipe.yaml").unlink()
    visible = {path.name for path in directory.iterdir() if not path.name.startswith(".")}
    if strange := sorted(visible - {"data", "stages", "text"}):
        raise InputError(
            f"holds something that is no run ({first_few(strange)})", path=directory,
            cure="Choose a new or an empty directory",
        )  # fmt: skip
    start = Run.load(recipe.initialize.run) if recipe.initialize is not None else None
    if start is not None:
        # Before a corpus is prepared, which may take long.
        check_form(start, recipe)
        recipe = recipe.model_copy(update={"text": start.pipeline.settings})
    prepared = opened(corpus(recipe, directory, start, progress), recipe, start)
    return Run.create(directory, recipe, prepared.pipeline)


def open_corpus(run: Run, progress: Progress) -> PreparedCorpus:
    """The prepared corpus of a run; it is prepared again if the run's own folder is gone.

    Raises:
        InputError: it cannot be prepared, or is another.
    """
    return opened(corpus(run.recipe, run.directory, run, progress), run.recipe, run)


def differing(run: Run, recipe: Recipe) -> list[str]:
    """The keys in which a recipe differs from that of a run, but for `text` where it starts from
    another."""
    if recipe.initialize is not None:
        recipe = recipe.model_copy(update={"text": run.recipe.text})
    return differences(run.recipe, recipe)


def check_same(run: Run, keys: Sequence[str]) -> None:
    """Check that a run began with the same recipe, and was trained and not imported.

    Args:
        run: the run.
        keys: those in which the recipes differ.

    Raises:
        InputError: naming the keys.
    """
    if keys:
        raise InputError(
            f"is the run of another recipe; these keys differ: {first_few(keys, 5)}",
            path=run.directory,
            cure="Choose another directory; to train on from this run, name it as initialize.run there",
        )
    if run.weights.exists() and not run.log.exists():
        raise InputError(
            "holds weights that were not trained there", path=run.directory,
            cure="Choose another directory and name this one as initialize.run",
        )  # fmt: skip


def corpus(recipe: Recipe, directory: Path, of: Run | None, progress: Progress) -> Path:
    """The folder of a run's prepared corpus: the recipe's, its own, or that of the run it starts
    from if it is the same corpus; it is prepared where there is none.

    Args:
        recipe: the run's recipe.
        directory: the run directory.
        of: the run whose text pipeline is used; None for one of its own.
        progress: told of the preparation.

    Raises:
        InputError: the corpus cannot be prepared.
    """
    if recipe.data.prepared is not None:
        return Path(recipe.data.prepared)
    place = directory / "data"
    # Until there is a recipe, what lies there may be of another attempt.
    if place.exists() and (directory / "recipe.yaml").exists():
        return place
    other = Path(recipe.initialize.run) / "data" if recipe.initialize is not None else None
    if other is not None and other.exists():
        settings = PreparedCorpus.load(other).settings
        if not differences(settings, PreparedSettings.of(recipe)):
            return other
    prepare(recipe, place, pipeline=of.pipeline if of else None, progress=progress)
    return place


def opened(place: Path, recipe: Recipe, of: Run | None) -> PreparedCorpus:
    """A prepared corpus that is a recipe's, in the numbers of a run's text pipeline.

    Raises:
        InputError: it was prepared from other settings or with another vocabulary.
    """
    prepared = PreparedCorpus.load(place)
    prepared.check(recipe)
    if of is not None and any(
        getattr(prepared.pipeline, side).tokens != getattr(of.pipeline, side).tokens
        for side in ("source_vocabulary", "target_vocabulary")
    ):
        raise InputError(
            f"was prepared with another vocabulary than that of {of.directory}", path=place,
            cure="Leave data.prepared out; the run then prepares its own",
        )  # fmt: skip
    return prepared


def start_weights(run: Run, system: System) -> list[str]:
    """Fill a new system from the run the recipe starts from; the names that were filled.

    Raises:
        InputError: the weights do not fit, or were learnt in a system of another form.
    """
    if run.recipe.initialize is None:
        return []
    start = Run.load(run.recipe.initialize.run)
    check_form(start, run.recipe)
    return sorted(fill(system, start.state(), start.weights, partly=True))


def check_form(start: Run, recipe: Recipe) -> None:
    """Check that the system that weights were learnt in computes as the recipe's does, which their
    shapes do not show, and has no tables that the recipe's lacks.

    Raises:
        InputError: naming the keys that differ.
    """
    theirs, ours = start.recipe.system, recipe.system
    pairs = {key: (getattr(theirs, key, None), getattr(ours, key, None)) for key in FORM}
    for key, value in TABLES.items():
        if getattr(theirs, key, None) is value:
            pairs[key] = value, getattr(ours, key, None)
    differing = {key: pair for key, pair in pairs.items() if None not in pair and len({*pair}) > 1}
    if differing:
        raise InputError(
            "its system has another form than the recipe's, in which its weights mean nothing ("
            + "; ".join(
                f"{key} {written(here)}, not {written(there)}"
                for key, (here, there) in differing.items()
            )
            + ")",
            path=start.directory,
            cure="Set "
            + " ".join(f"system.{key}={written(here)}" for key, (here, _) in differing.items()),
        )


def is_finished(run: Run) -> bool:
    """Whether the run's training has ended."""
    lines = log.read(run.log)
    return bool(lines) and lines[-1]["kind"] == "end"


def check_room(run: Run, system: System, optimizer: torch.optim.Optimizer) -> None:
    """Check that the disk has room for all checkpoints that will be kept at a time.

    Raises:
        InputError: giving what is needed and what there is.
    """
    state = system.state_dict()
    weights = sum(state[names[0]].nbytes for names in shared(state))
    moments = 2 * sum(p.nbytes for group in optimizer.param_groups for p in group["params"])
    # The newest checkpoint and the one being written; what averaging keeps; the run's weights
    # and their next version.
    kept = most_kept(run.recipe.training.average)
    needed = 2 * (weights + moments) + (kept - 1) * weights + 2 * weights
    files = [run.weights, *run.checkpoints.rglob("*")]
    present = sum(path.stat().st_size for path in files if path.is_file())
    free = shutil.disk_usage(run.directory).free
    if free < needed - present:
        raise InputError(
            f"the checkpoints need {(needed - present) / GIB:.3g} GiB "
            f"and the disk has {free / GIB:.3g} GiB left", path=run.directory,
            cure="Free space, choose another disk, or lower training.average.checkpoints",
        )  # fmt: skip
