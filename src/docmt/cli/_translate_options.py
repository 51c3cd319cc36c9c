"""Options of `docmt translate`, checked against each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from docmt.choices import Windows
from docmt.cli._terminal import note
from docmt.errors import InputError
from docmt.formats import Columns
from docmt.formats.tree import TreeOptions


def check_default_languages(source_language: str | None) -> None:
    """Check that the input of the bundled model is English, as far as is said.

    Raises:
        InputError: it is not.
    """
    if source_language is not None and source_language.lower().split("-")[0] != "en":
        raise InputError(
            f"the bundled model translates English to German, and not {source_language}",
            cure="Name a run for this language with --run; `docmt import` makes one from a "
            "pretrained model",
        )
    note("docmt: translating English to German with the bundled model; --run names another")


def check_search_options(
    run: Path,
    method: str | None,
    windows: Windows | None,
    *,
    sampling: Mapping[str, float | None],
    window_position: int | None,
    overlap: int | None,
) -> None:
    """Check that options have an effect, given others and the recipe.

    Raises:
        InputError: one has none.
    """
    from docmt.runs import Run

    search = Run.load(run).recipe.search
    method, windows = method or search.method, windows or search.windows
    for name, value in sampling.items():
        if value is not None and method != "sampling":
            raise InputError(f"{name} has no effect without sampling", cure="Add --sampling")
    if window_position is not None and windows != "sliding":
        raise InputError(
            "--window-position has no effect without sliding windows", cure="Add --windows sliding"
        )
    if overlap is not None and windows == "sliding":
        raise InputError("--overlap has no effect with sliding windows", cure="Leave it out")


def input_folder(inputs: list[str], output: str | None) -> str | None:
    """The folder that is translated, or None if the inputs are files.

    Raises:
        InputError: there are other inputs, or no folder for the output.
    """
    folders = [name for name in inputs if Path(name).is_dir()]
    if not folders:
        return None
    if len(inputs) > 1:
        raise InputError(
            "is a folder, and there are other inputs",
            path=folders[0],
            cure="Translate each folder in a command of its own, into a folder of its own",
        )
    if output is None or output == "-":
        raise InputError(
            "is a folder and needs an output folder", path=folders[0], cure="Add --output FOLDER"
        )
    return folders[0]


def check_no_folder_options(options: TreeOptions) -> None:
    """Check that options of folders are not given for files.

    Raises:
        InputError: one is.
    """
    if options != TreeOptions():
        name = "--exclude" if options.exclude else "--other-files"
        raise InputError(f"{name} is for a folder, and the inputs are files", cure="Leave it out")


def chosen_columns(names: str | None, new: bool) -> Columns | None:
    """The columns of tables that are translated.

    Raises:
        InputError: new columns of none are asked for, or a name is empty.
    """
    if names is not None:
        return Columns(tuple(name.strip() for name in names.split(",")), new)
    if new:
        raise InputError("--new-columns needs --columns", cure="Name the columns to translate")
    return None
