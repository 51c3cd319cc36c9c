"""`EngineRun`: the run directory of a translator that docmt does not train, and `open_run`, which
opens a run directory of either kind.

    RUN/format.json           the format of the directory, and the docmt that wrote it
    RUN/recipe.yaml           the recipe, with every key
    RUN/answers.jsonl         answers of the language model, so that no request is sent twice
    RUN/evaluation/test/      what `docmt evaluate --split test` translated, and its scores
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from docmt.bundled import resolve
from docmt.recipes import EngineRecipe
from docmt.runs.system_run import Run, check_new, read_recipe, write_recipe
from docmt.storage.files import PathLike, whole_directory


@dataclass(frozen=True, slots=True)
class EngineRun:
    """The run directory of a large language model.

    Attributes:
        directory: its path.
        recipe: its recipe.
    """

    directory: Path
    recipe: EngineRecipe

    @classmethod
    def create(cls, directory: PathLike, recipe: EngineRecipe) -> Self:
        """Make a run directory, all of it or nothing.

        Raises:
            InputError: there is something in its place, or it cannot be written.
        """
        directory = Path(directory)
        check_new(directory)
        with whole_directory(directory, replace=False) as part:
            write_recipe(part, recipe)
        return cls(directory, recipe)


def open_run(directory: PathLike) -> Run | EngineRun:
    """Open a run directory of either kind.

    Args:
        directory: its path, or `bundled:NAME` for a model that comes with docmt.

    Raises:
        InputError: it is not a run directory, or its recipe or pipeline cannot be read.
    """
    directory, recipe = resolve(directory), read_recipe(directory)
    if isinstance(recipe, EngineRecipe):
        return EngineRun(directory, recipe)
    return Run.with_recipe(directory, recipe)
