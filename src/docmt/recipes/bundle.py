"""The recipes that come with docmt: their names, papers and descriptions, which need neither torch
nor the schema of a recipe."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from docmt.ground.errors import InputError
from docmt.ground.wording import did_you_mean
from docmt.recipes.yaml_source import text_of

FOLDER = Path(os.path.realpath(__file__)).parent / "bundled"
"""The folder of the bundled recipes, without links in its path."""


@cache
def files() -> dict[str, Path]:
    """The files of the bundled recipes, by name, in alphabetical order of their papers."""
    return {path.stem: path for path in sorted(FOLDER.glob("*/*.yaml"))}


def find(
    noun: str,
    name_or_path: str,
    bundled: Mapping[str, Path],
    folder: Path | None = None,
    *,
    listed_by: str,
) -> Path:
    """The file of a recipe or a sweep.

    Args:
        noun: what it is, for messages.
        folder: where a relative path begins.
        listed_by: the command that lists the bundled ones.

    Raises:
        InputError: it is neither a bundled name nor looks like a path.
    """
    if name_or_path in bundled:
        return bundled[name_or_path]
    path = Path(name_or_path)
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"{name_or_path[:80]!r} cannot be the name of a {noun} ({reason})",
            cure=f"Give the name of a {noun}, or the path of a YAML file",
        ) from None
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1 or path.is_file():
        return path if folder is None else folder / path
    hint = did_you_mean(name_or_path, bundled, cutoff=0.4)
    cure = f"`{listed_by}` lists them; the path of a {noun} file ends in .yaml"
    raise InputError(
        f"there is no {noun} {name_or_path!r}", cure=f"{hint[:1].upper()}{hint[1:]} {cure}".lstrip()
    )


def names() -> list[str]:
    """The bundled recipes, in alphabetical order.

    >>> "demo-g-transformer" in names()
    True
    """
    return sorted(files())


def papers() -> dict[str, list[str]]:
    """The bundled recipes by the paper they reproduce, such as `bao-2021`; papers and recipes are
    in alphabetical order. `demo` has small recipes of all papers for the bundled corpus, `models`
    those of the models that come with docmt.

    >>> "demo-g-transformer" in papers()["demo"]
    True
    """
    result: dict[str, list[str]] = {}
    for name, path in files().items():
        result.setdefault(path.parent.name, []).append(name)
    return result


@cache
def descriptions() -> dict[str, str]:
    """The purpose of each bundled recipe, by its name."""
    return {name: text_of(path, "description") for name, path in files().items()}
