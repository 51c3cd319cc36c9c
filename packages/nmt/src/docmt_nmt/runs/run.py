"""`Run`: a run directory and its translator. `open_run` opens one.

    RUN/format.json   the format of the directory, and docmt's version
    RUN/recipe.yaml   the recipe, with every key

A run of a trained system has more files (`docmt_nmt.runs.system_run`), and the run of a language
model stores answers (`docmt_llm.answers.answer_store`). Nothing here needs torch.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from docmt_files.base.errors import InputError
from docmt_files.storage.files import COPY_AGAIN, PathLike, whole_directory, write_text
from docmt_files.storage.json_files import json_text, read_json
from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.recipes.translator_kinds import translator_kind
from docmt_nmt.runs.bundled import resolve

if TYPE_CHECKING:
    from docmt_nmt.translators.translator import Translator

RUN_FORMAT = 1
"""The format of run directories, as this version of docmt writes and reads them. A release with a
new format raises the number and reads earlier formats; older releases refuse the directory with a
message."""

_FORMAT = "format.json"


@dataclass(frozen=True, slots=True)
class Run:
    """A run directory.

    Attributes:
        directory: the path.
        recipe: the recipe.
    """

    directory: Path
    recipe: BaseRecipe

    @classmethod
    def make(cls, directory: PathLike, recipe: BaseRecipe) -> Self:
        """Make a run directory of a recipe alone, all of it or nothing.

        Raises:
            InputError: the path is taken, or cannot be written.
        """
        directory = Path(directory)
        check_new(directory)
        with whole_directory(directory, replace=False) as part:
            write_recipe(part, recipe)
        return cls(directory, recipe)

    def translator(self, *, processes: int | None = 1, **options: Any) -> Translator:
        """Load the translator of the run.

        Args:
            processes, options: as for `docmt.load`.

        Raises:
            InputError: the translator cannot be loaded, or an option is not valid or has no effect
                with it.
        """
        kind = translator_kind(self.recipe.translator_name)
        given = {name: value for name, value in options.items() if value is not None}
        if processes not in (None, 1):
            given["processes"] = processes
        self._check_options(kind.options, given)
        if "processes" in kind.options:
            given["processes"] = processes
        return kind.open_translator(self, **given)

    @property
    def options(self) -> frozenset[str]:
        """The names of the options with an effect on the translator of the run."""
        return translator_kind(self.recipe.translator_name).options

    def _check_options(self, known: frozenset[str], given: dict[str, Any]) -> None:
        """Check each option for an effect."""
        for name in given:
            if name not in known:
                taken = [f"`{option}`" for option in sorted(known)]
                listed = f"; it takes {', '.join(taken)}" if taken else ""
                raise InputError(
                    f"`{name}` has no effect with {self.directory}, whose translator is "
                    f"{self.recipe.translator_name}",
                    cure=f"Leave it out{listed}",
                    parameters=(name, *known),
                )


def write_recipe(directory: Path, recipe: BaseRecipe) -> None:
    """Write the recipe of a run directory, with the format of the directory. The recipe comes last,
    because it makes the directory a run."""
    from docmt_nmt.recipes import dump  # It reads YAML, which takes long to load.

    state = {"format": RUN_FORMAT, "docmt": version("docmt-nmt")}
    write_text(directory / _FORMAT, json_text(state) + "\n")
    write_text(directory / "recipe.yaml", dump(recipe))


def read_recipe(directory: PathLike) -> BaseRecipe:
    """The recipe of a run directory.

    Raises:
        InputError: the directory is not a run, or the recipe cannot be read.
    """
    from docmt_nmt.recipes import load_any

    directory = resolve(directory)
    check_run(directory)
    return load_any(directory / "recipe.yaml")


def check_run(directory: Path) -> None:
    """Check that a directory is a run directory of a known format.

    Raises:
        InputError: it is not.
    """
    if not (directory / "recipe.yaml").is_file():
        problem = "is not a run directory" if directory.exists() else "no such directory"
        raise InputError(
            f"{problem} (a run directory holds recipe.yaml)",
            path=directory,
            cure="Name the directory that was given to `docmt train` or `docmt import`",
        )
    check_format(directory)


def check_not_a_run(directory: PathLike) -> None:
    """Check that a directory is not a run directory yet.

    Raises:
        InputError: the directory is a run.
    """
    if (Path(directory) / "recipe.yaml").exists():
        raise InputError(
            "is already a run directory", path=directory, cure="Choose another directory"
        )


def check_new(directory: PathLike) -> None:
    """Check for a free path, or an empty directory, for a new run directory.

    Raises:
        InputError: the path is taken.
    """
    check_not_a_run(directory)
    path = Path(directory)
    if os.path.lexists(path) and not path.is_dir():
        raise InputError("is not a directory", path=path, cure="Choose another directory")
    if path.is_dir() and any(path.iterdir()):
        raise InputError(
            "is not empty", path=path, cure="Choose another directory, or empty this one"
        )


def check_format(directory: Path) -> None:
    """Check the format of a run directory.

    Raises:
        InputError: a newer docmt wrote the directory in another format, or the file is damaged.
    """
    path = directory / _FORMAT
    if not os.path.lexists(path):
        return  # Bundled models have the first format.
    state = read_json(path)
    number = state.get("format")
    if not isinstance(number, int) or number < 1:
        raise InputError("has no number of a format", path=path, cure=COPY_AGAIN)
    if number > RUN_FORMAT:
        raise InputError(
            f"was written by docmt {state.get('docmt', 'of another version')!s:.20} in format "
            f"{number}, and docmt {version('docmt-nmt')} reads up to format {RUN_FORMAT}",
            path=directory,
            cure="Update docmt: `pip install --upgrade docmt`",
        )
