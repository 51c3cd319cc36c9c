"""`run_stages`: the run directories of all stages of a run, whose updates, time and data belong to
the run as much as those of the last stage."""

from __future__ import annotations

from pathlib import Path

from docmt_files.storage.files import resolved
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.run import read_recipe
from docmt_nmt.runs.training_logs import minutes_by_update, read_log


def run_stages(directory: Path) -> list[Path]:
    """The run directories of a run's stages, in the order of training; the last is the run itself.

    A run that starts from another run, which is not one of its stages, is its own first stage.

    Raises:
        InputError: the recipe of a stage cannot be read.
    """
    found = [directory]
    while (before := _stage_before(found[0])) is not None and before not in found:
        found.insert(0, before)
    return found


def _stage_before(directory: Path) -> Path | None:
    """The stage that a stage starts from, where it lies now; None for the first."""
    if not (directory / "recipe.yaml").is_file():
        return None  # a log alone
    recipe = read_recipe(directory)
    if not isinstance(recipe, Recipe) or recipe.initialize is None:
        return None
    start = Path(recipe.initialize.run)
    if start.parent.name != "stages":
        return None
    beside = resolved(directory).parent
    folder = beside if beside.name == "stages" else directory / "stages"
    # By name, as the run may have been moved since it was trained.
    own = folder / start.name
    return own if (own / "recipe.yaml").is_file() else None


def earlier_minutes(directory: Path) -> float:
    """The minutes of the updates of all stages before a run's last one."""
    times = [minutes_by_update(read_log(one / "log.jsonl")) for one in run_stages(directory)[:-1]]
    return sum(max(minutes.values(), default=0.0) for minutes in times)
