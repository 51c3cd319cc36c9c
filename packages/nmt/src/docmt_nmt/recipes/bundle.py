"""The recipes bundled with docmt and with other installed packages
(`docmt_files.base.entry_points`, group `docmt.recipes`): names, papers and descriptions. They need
neither torch nor the schema of a recipe.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from docmt_files.base import entry_points
from docmt_files.base.entry_points import Plugin
from docmt_files.base.errors import InputError
from docmt_files.base.wording import did_you_mean
from docmt_nmt.base import plugin_groups
from docmt_nmt.base.known_packages import check_package_of_recipe
from docmt_nmt.recipes.yaml_source import text_of

FOLDER = Path(os.path.realpath(__file__)).parent / "bundled"
"""The folder of the recipes of docmt, without links in its path."""


_folders = [FOLDER]
"""The folders of bundled recipes that are in use, those of other packages too."""


def is_bundled(path: Path) -> bool:
    """Return whether a file, given without links, is one of the bundled recipes in use."""
    return any(path.is_relative_to(folder) for folder in _folders)


@cache
def own_files() -> dict[str, Path]:
    """The files of docmt's recipes, by name, in alphabetical order of the papers."""
    return _files_in(FOLDER)


def files() -> dict[str, Path]:
    """The files of all bundled recipes, by name: docmt's first, then other packages'."""
    return {name: path for name, path, _ in _entries()}


def find_recipe(name_or_path: str, folder: Path | None = None) -> Path:
    """The file of a recipe. Names unknown to docmt are looked up in other packages.

    Args:
        folder: the folder relative paths are resolved from.

    Raises:
        InputError: the text is neither a bundled name nor looks like a path, several packages have
            the name, or the package of the name is not installed.
    """
    listed_by = "docmt recipes"
    if _looks_like_path(name_or_path) or name_or_path in own_files():
        return find("recipe", name_or_path, own_files(), folder, listed_by=listed_by)
    known = files()
    packages = [plugin.package for plugin, found in _of_packages() if name_or_path in found]
    if len(packages) > 1:
        raise InputError(
            f"the packages {' and '.join(packages)} both have a recipe {name_or_path!r}",
            cure="Uninstall one of them",
        )
    try:
        return find("recipe", name_or_path, known, folder, listed_by=listed_by)
    except InputError:
        check_package_of_recipe(name_or_path)
        raise


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
        noun: the word for it in messages.
        folder: the folder relative paths are resolved from.
        listed_by: the command listing the bundled ones.

    Raises:
        InputError: the text is neither a bundled name nor looks like a path.
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
    if _looks_like_path(name_or_path) or path.is_file():
        return path if folder is None else folder / path
    hint = did_you_mean(name_or_path, bundled, cutoff=0.4)
    cure = f"`{listed_by}` lists them; the path of a {noun} file ends in .yaml"
    raise InputError(
        f"there is no {noun} {name_or_path!r}", cure=f"{hint[:1].upper()}{hint[1:]} {cure}".lstrip()
    )


def names() -> list[str]:
    """The bundled recipes, those of other packages too, in alphabetical order.

    >>> "demo-g-transformer" in names()
    True
    """
    return sorted(files())


def papers() -> dict[str, list[str]]:
    """The bundled recipes by the paper they reproduce, such as `bao-2021`; papers and recipes are
    in alphabetical order. `demo` has small recipes of all papers for the bundled corpus, `models`
    the recipes of the bundled models, `firefox` those that begin with a model of Firefox.

    >>> "demo-g-transformer" in papers()["demo"]
    True
    """
    result: dict[str, list[str]] = {}
    for paper, name in sorted((path.parent.name, name) for name, path in files().items()):
        result.setdefault(paper, []).append(name)
    return result


def packages() -> dict[str, str]:
    """The package of each bundled recipe, by the recipe's name.

    >>> packages()["demo-g-transformer"]
    'docmt-nmt'
    """
    return {name: package for name, _, package in _entries()}


def descriptions() -> dict[str, str]:
    """The purpose of each bundled recipe, by name."""
    return {name: _description(path) for name, path in files().items()}


@cache
def _description(path: Path) -> str:
    """The purpose of a recipe, read without the other keys."""
    return text_of(path, "description")


def _looks_like_path(name_or_path: str) -> bool:
    """Return whether a text is a path and not a name, whatever recipes there are."""
    path = Path(name_or_path)
    return path.suffix in (".yaml", ".yml") or len(path.parts) > 1


def _entries() -> list[tuple[str, Path, str]]:
    """The name, the file and the package of each recipe. docmt's names take precedence; of two
    other packages with the same name, the first is listed."""
    entries = {name: (name, path, "docmt-nmt") for name, path in own_files().items()}
    for plugin, found in _of_packages():
        for name, path in found.items():
            entries.setdefault(name, (name, path, plugin.package))
    return list(entries.values())


def _of_packages() -> tuple[tuple[Plugin, dict[str, Path]], ...]:
    """The recipes of other packages. The packages are imported."""
    return _of_plugins(tuple(entry_points.installed(plugin_groups.RECIPES)))


@cache
def _of_plugins(_plugins: tuple[Plugin, ...]) -> tuple[tuple[Plugin, dict[str, Path]], ...]:
    """The recipes in the folders of these packages."""
    found = []
    for plugin, package in entry_points.load_each(plugin_groups.RECIPES):
        if not isinstance(package, ModuleType) or package.__file__ is None:
            raise InputError(f"{plugin} is not a Python package, a folder with an __init__.py")
        folder = Path(os.path.realpath(package.__file__)).parent
        _folders.append(folder)
        found.append((plugin, _files_in(folder)))
    return tuple(found)


def _files_in(folder: Path) -> dict[str, Path]:
    """The recipes in the subfolders of a folder, one for each paper, by name."""
    return {path.stem: path for path in sorted(folder.glob("*/*.yaml"))}
