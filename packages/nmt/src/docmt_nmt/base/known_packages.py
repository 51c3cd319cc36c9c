"""Systems and other parts of docmt in packages beside it, so that an error can name the package of
a part where it is not installed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from docmt_files.base.entry_points import Group, installed
from docmt_files.base.errors import InputError
from docmt_nmt.base import plugin_groups

_RESEARCH = (
    "associated-memory",
    "cache-rnnsearch",
    "cache-transformer",
    "cadec",
    "context-aware-transformer",
    "cross-sentence-rnn",
    "document-transformer",
    "flat-transformer",
    "han",
    "hm-gdc-rnnsearch",
    "hybrid-context",
    "multi-encoder-rnn",
    "rnnsearch",
    "san",
)

PACKAGES: Mapping[str, str] = dict.fromkeys(_RESEARCH, "docmt-research")
"""The package of each system that is not in docmt itself."""

ENGINES: Mapping[str, str] = {"language-model": "docmt-llm", "t5": "docmt-llm"}
"""The package of each engine that is not in docmt itself."""

_ENGINE_RECIPES = re.compile(r"(demo-)?(language-model)(-.*)?")
"""Names of recipes of engines, and the engine in them."""


def check_package_of_system(name: str) -> None:
    """Check that the package of a system is installed, where the package is known.

    Raises:
        InputError: it is not, naming the package.
    """
    if name in PACKAGES:
        _check_installed(plugin_groups.SYSTEMS, PACKAGES[name], f"the system {name!r} is")
    check_package_of_translator(name)  # A recipe names some engines as it names a system.


def check_package_of_translator(name: str) -> None:
    """Check that the package of an engine is installed, where the package is known.

    Raises:
        InputError: it is not, naming the package.
    """
    if name in ENGINES:
        _check_installed(plugin_groups.TRANSLATORS, ENGINES[name], f"the translator {name!r} is")


def check_package_of_recipe(name: str) -> None:
    """Check that the package of a recipe is installed. Recipes of such a package have the name of
    one of the package's systems in theirs: `iwslt-han` is a recipe of `han`.

    Raises:
        InputError: it is not, naming the package.
    """
    if engine := _ENGINE_RECIPES.fullmatch(name):
        subject = f"recipes of the translator {engine[2]!r} are"
        _check_installed(plugin_groups.RECIPES, ENGINES[engine[2]], subject)
    systems = [system for system in PACKAGES if f"-{system}-" in f"-{name}-"]
    if systems:
        system = max(systems, key=len)
        _check_installed(
            plugin_groups.RECIPES, PACKAGES[system], f"recipes of the system {system!r} are"
        )


def not_installed(package: str, subject: str) -> InputError:
    """The error for a part of docmt in a package that is not installed.

    Args:
        package: the package.
        subject: the part and its verb, such as `the system 'han' is`.
    """
    return InputError(
        f"{subject} in the package {package}, which is not installed",
        cure=f"Install it with `pip install {package}`",
    )


def _check_installed(group: Group, package: str, subject: str) -> None:
    """Check that a package offers anything of a group."""
    if all(plugin.package != package for plugin in installed(group)):
        raise not_installed(package, subject)
