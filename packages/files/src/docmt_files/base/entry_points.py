"""Systems, recipes, formats and other parts of docmt from other packages, by entry points.

A package is imported only when a recipe, an option or the name of a file asks for a name of the
package; the list of names is read from the metadata of installed packages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any

from docmt_files.base.errors import InputError
from docmt_files.base.wording import did_you_mean

_PREFIX = "[docmt."
"""The beginning of a group of docmt in the metadata of a package."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group of entry points.

    Attributes:
        name: the name in the metadata of packages.
        noun: the word for an object of the group.
    """

    name: str
    noun: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Plugin:
    """A system, recipe folder or other part of docmt from another package.

    Attributes:
        group: the group of the entry point.
        name: the name by which it is asked for.
        package: the installed distribution with the object.
        object: where it is, as `module:name`.
    """

    group: Group
    name: str
    package: str
    object: str

    def __str__(self) -> str:
        return f"the {self.group.noun} {self.name!r} of the package {self.package}"


def installed(*groups: Group) -> list[Plugin]:
    """The objects offered by other packages, by group, name and package; nothing is imported."""
    return [plugin for group in groups for plugin, _ in _entry_points(group)]


def names(group: Group) -> list[str]:
    """The names of a group, in alphabetical order; nothing is imported."""
    return sorted({plugin.name for plugin in installed(group)})


def cure_of_unknown(group: Group, name: str, known: Iterable[str]) -> str:
    """The cure for an unknown name of a group: the name that may be meant, or the known names, and
    that packages can add more.

    Args:
        group: the group.
        name: the unknown name.
        known: docmt's own names, besides which the names of other packages count.
    """
    every = list(dict.fromkeys([*known, *names(group)]))
    hint = did_you_mean(name, every)
    first = f"{hint[0].upper()}{hint[1:]}" if hint else f"Known: {', '.join(every)}."
    return (
        f"{first} Other packages can add {group.noun}s; `docmt plugins` lists those that are "
        "installed in this environment"
    )


def load(group: Group, name: str) -> tuple[Plugin, Any] | None:
    """Import the object of this name.

    Returns:
        The plugin and the object, or None if no installed package has the name.

    Raises:
        InputError: several packages have the name, or it cannot be imported; naming the package.
    """
    found = [each for each in _entry_points(group) if each[0].name == name]
    if not found:
        return None
    if len(found) > 1:
        packages = " and ".join(plugin.package for plugin, _ in found)
        raise InputError(
            f"the packages {packages} both have a {group.noun} {name!r}",
            cure="Uninstall one of them",
        )
    plugin, point = found[0]
    return plugin, _imported(plugin, point)


def load_each(group: Group) -> Iterator[tuple[Plugin, Any]]:
    """Import all objects of a group whose names say nothing, as those of folders of recipes.

    Raises:
        InputError: one cannot be imported; naming the package.
    """
    for plugin, point in _entry_points(group):
        yield plugin, _imported(plugin, point)


def _imported(plugin: Plugin, point: EntryPoint) -> Any:
    """Import the object of an entry point."""
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    # Any exception in the code of another package, even an exit, is an error about the package.
    except BaseException as error:
        raise InputError(
            f"{plugin} cannot be imported ({type(error).__name__}: {error})",
            cure=f"Update or uninstall {plugin.package}",
        ) from error


@contextmanager
def errors_of(plugin: Plugin) -> Iterator[None]:
    """Turn any exception in the code of another package into an `InputError` naming the package."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise wrong(plugin, f"fails ({type(error).__name__}: {error})") from error


def wrong(plugin: Plugin, problem: str) -> InputError:
    """Return the error for a fault of another package."""
    cure = f"Update {plugin.package}, or report this to those who maintain it"
    return InputError(f"{plugin} {problem}", cure=cure)


def _entry_points(group: Group) -> list[tuple[Plugin, EntryPoint]]:
    found = [
        (Plugin(group, point.name, package, point.value), point)
        for package, point in _points_on(tuple(sys.path))
        if point.group == group.name
    ]
    return sorted(found, key=lambda each: (each[0].name, each[0].package))


@lru_cache
def _points_on(_path: tuple[str, ...]) -> list[tuple[str, EntryPoint]]:
    """The entry points of all groups of docmt with this `sys.path`, with their packages. To look
    through all packages takes longer than reading a small file, so it is done once, and only
    packages that mention docmt are read further."""
    found: dict[str, list[EntryPoint]] = {}
    for distribution in distributions():
        if _PREFIX in (distribution.read_text("entry_points.txt") or ""):
            # The first of a name on the path is the one that would be imported.
            found.setdefault(_name_of(distribution), [*distribution.entry_points])
    return [(package, point) for package, points in found.items() for point in points]


def _name_of(distribution: Distribution) -> str:
    """The name of a distribution. `Distribution.name` parses the whole description, too."""
    metadata = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    named = re.search(r"^Name: *(\S+)", metadata, re.MULTILINE)
    return named[1] if named else "unknown"
