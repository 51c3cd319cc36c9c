"""What happens before the first update: the run directory is made or opened, the corpus prepared
and, where the recipe says so, the system filled from another run; and what could fail later for
want of space or permission is tried now.
"""

from __future__ import annotations

import fcntl
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from docmt.errors import InputError
from docmt.files import explained
from docmt.preparation import Prepared, prepare
from docmt.preparation.prepared import PreparedSettings
from docmt.preparation.preparing import Progress
from docmt.recipes import Recipe, differences
from docmt.runs import Run, few, fill, shared
from docmt.systems import System
from docmt.training import log
from docmt.training.checkpoints import most_kept

GIB = 2**30

LEFTOVER = re.compile(r"\..+\.\d+\.(part|old)")
"""Names of what a process that was killed leaves of a file or directory it was writing."""


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
    with explained(directory):
        directory.mkdir(parents=True, exist_ok=True)
        lock = (directory / ".lock").open("w")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "is being trained in by another process", path=directory,
                cure="Wait for it to end, or choose another directory",
            ) from None  # fmt: skip
        except OSError:
            # Some network file systems know no locks; training works there, unguarded.
            pass
        for path in [*directory.iterdir(), *(directory / "checkpoints").glob(".*")]:
            if LEFTOVER.fullmatch(path.name):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        yield


def open_run(recipe: Recipe, directory: Path, progress: Progress) -> tuple[Run, Prepared]:
    """The run of a recipe, made or opened, and its corpus.

    Where the recipe starts from a run, the text pipeline is that run's.

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
            raise InputError(f"data.{split} is missing", cure="Training needs both splits")
    if (directory / "recipe.yaml").exists():
        run = Run.load(directory)
        check_same(run, recipe)
        place = corpus(run.recipe, directory, run, progress)
        return run, opened(place, run.recipe, run)
    strange = sorted(
        {path.name for path in directory.iterdir()} - {".lock", "data", "stages", "text"}
    )
    if strange:
        raise InputError(
            f"holds something that is no run ({few(strange)})", path=directory,
            cure="Choose a new or an empty directory",
        )  # fmt: skip
    start = Run.load(recipe.start.run) if recipe.start is not None else None
    if start is not None:
        recipe = recipe.model_copy(update={"text": start.pipeline.settings})
    prepared = opened(corpus(recipe, directory, start, progress), recipe, start)
    return Run.create(directory, recipe, prepared.pipeline), prepared


def check_same(run: Run, recipe: Recipe) -> None:
    """Check that a run began with this recipe and was trained, not imported.

    Raises:
        InputError: naming the keys that differ.
    """
    if recipe.start is not None:
        recipe = recipe.model_copy(update={"text": run.recipe.text})
    if keys := differences(run.recipe, recipe):
        raise InputError(
            f"is the run of another recipe; these keys differ: {', '.join(keys)}",
            path=run.directory,
            cure="Choose another directory; to train on from this run, name it as start.run there",
        )
    if run.weights.exists() and not run.log.exists():
        raise InputError(
            "holds weights that were not trained there", path=run.directory,
            cure="Choose another directory and name this one as start.run",
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
    other = Path(recipe.start.run) / "data" if recipe.start is not None else None
    if other is not None and other.exists():
        settings = Prepared.load(other).settings
        if not differences(settings, PreparedSettings.of(recipe)):
            return other
    prepare(recipe, place, pipeline=of.pipeline if of else None, progress=progress)
    return place


def opened(place: Path, recipe: Recipe, of: Run | None) -> Prepared:
    """A prepared corpus that is a recipe's, in the numbers of a run's text pipeline.

    Raises:
        InputError: it was prepared from other settings or with another vocabulary.
    """
    prepared = Prepared.load(place)
    prepared.check(recipe)
    if of is not None and any(
        getattr(prepared.pipeline, side).pieces != getattr(of.pipeline, side).pieces
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
        InputError: the weights do not fit.
    """
    if run.recipe.start is None:
        return []
    start = Run.load(run.recipe.start.run)
    return sorted(fill(system, start.state(), start.weights, partly=True))


def is_finished(run: Run) -> bool:
    """Whether the run's training has ended."""
    lines = log.read(run.log)
    return bool(lines) and lines[-1]["kind"] == "end"


def check_room(run: Run, system: System, optimiser: torch.optim.Optimizer) -> None:
    """Check that the disk has room for all checkpoints that will be kept at a time.

    Raises:
        InputError: giving what is needed and what there is.
    """
    state = system.state_dict()
    weights = sum(state[names[0]].nbytes for names in shared(state))
    moments = 2 * sum(p.nbytes for group in optimiser.param_groups for p in group["params"])
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
