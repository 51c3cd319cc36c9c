"""The recipes that come with docmt: their names, papers and descriptions, which need neither torch
nor the schema of a recipe."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from docmt.recipes.yaml_source import text_of

FOLDER = Path(os.path.realpath(__file__)).parent / "bundled"
"""The folder of the bundled recipes, without links in its path."""


@cache
def files() -> dict[str, Path]:
    """The files of the bundled recipes, by name, in alphabetical order of their papers."""
    return {path.stem: path for path in sorted(FOLDER.glob("*/*.yaml"))}


def names() -> list[str]:
    """The bundled recipes, in alphabetical order."""
    return sorted(files())


def papers() -> dict[str, list[str]]:
    """The bundled recipes by the paper they reproduce, such as `bao-2021`; papers and recipes are
    in alphabetical order. `demo` has small recipes of all papers for the bundled corpus, `models`
    those of the models that come with docmt."""
    result: dict[str, list[str]] = {}
    for name, path in files().items():
        result.setdefault(path.parent.name, []).append(name)
    return result


@cache
def descriptions() -> dict[str, str]:
    """What each bundled recipe is for, by its name."""
    return {name: text_of(path, "description") for name, path in files().items()}
