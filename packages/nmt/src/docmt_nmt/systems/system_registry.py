"""The systems by the names that recipes use: those of docmt, and those of other installed packages
(`docmt_files.base.entry_points`, group `docmt.systems`). Each is imported when it is built; those
of other packages, when a recipe names them. Settings of docmt's systems need no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from docmt_files.base import entry_points
from docmt_files.base.errors import InputError
from docmt_nmt.base import plugin_groups
from docmt_nmt.base.known_packages import check_package_of_system
from docmt_nmt.systems.system_settings import SystemSettings

if TYPE_CHECKING:
    from docmt_nmt.systems.system import System

SYSTEMS: Mapping[str, str] = {
    "transformer": "transformer:Transformer",
    "g-transformer": "g_transformer:GTransformer",
    "hm-gdc": "hm_gdc:HMGDC",
    "parallel-stack": "parallel_stack:ParallelStack",
    "long-short": "long_short:LongShort",
}
"""The systems of docmt by the names of their settings, each as `module:class`; a module is imported
when its system is asked for. No other package can replace them. The settings of the system
`module:class` are `module_settings:classSettings`."""

_loaded: dict[str, type[System]] = {}
"""The systems of other packages that were asked for."""


def system_names() -> list[str]:
    """The names of all systems, those of docmt first; nothing is imported.

    >>> system_names()[:2]
    ['transformer', 'g-transformer']
    """
    return list(dict.fromkeys([*SYSTEMS, *entry_points.names(plugin_groups.SYSTEMS)]))


def system_class(name: str) -> type[System]:
    """The system of this name. One of another package is imported.

    Raises:
        InputError: no system has this name, or that of another package cannot be used.

    >>> system_class("g-transformer").__name__
    'GTransformer'
    """
    if name in SYSTEMS:
        module, _, class_name = SYSTEMS[name].partition(":")
        system: type[System] = getattr(import_module(f"docmt_nmt.systems.{module}"), class_name)
        return system
    return _loaded.get(name) or _load(name)


def settings_class(name: str) -> type[SystemSettings]:
    """The settings of the system of this name: without torch, where the system is of docmt.

    Raises:
        InputError: as `system_class`.

    >>> settings_class("g-transformer").joins_sentences
    False
    """
    if name not in SYSTEMS:
        return system_class(name).settings_class
    module, _, class_name = SYSTEMS[name].partition(":")
    of_system = import_module(f"docmt_nmt.systems.{module}_settings")
    settings: type[SystemSettings] = getattr(of_system, f"{class_name}Settings")
    return settings


def settings_classes() -> list[type[SystemSettings]]:
    """Return the settings of all systems of docmt, and of those of other packages that were asked
    for.

    >>> "GTransformerSettings" in {settings.__name__ for settings in settings_classes()}
    True
    """
    return [settings_class(name) for name in (*SYSTEMS, *_loaded)]


SystemSettings.known = staticmethod(settings_classes)


def read_system(values: Any) -> Any:
    """The section `system` of a recipe as settings of the system that it names; anything but keys
    and values is returned as it is.

    Raises:
        ValueError: there is no such system.
        pydantic.ValidationError: keys or values are not valid; the system's name begins each
            location, as the tag of a member of a union does.

    >>> read_system({"name": "transformer", "layers": 2}).layers
    2
    """
    if not isinstance(values, dict):
        return values
    name = values.get("name")
    if not isinstance(name, str):
        raise ValueError(f"name must be the name of a system (got {name!r})")
    try:
        return settings_class(name).model_validate(values)
    except ValidationError as error:
        raise ValidationError.from_exception_data(
            error.title, [_below(name, problem) for problem in error.errors()]
        ) from None


def _below(name: str, problem: Any) -> InitErrorDetails:
    """A validation problem with a name before its location."""
    kind = PydanticCustomError(problem["type"], "{message}", {"message": problem["msg"]})
    return InitErrorDetails(type=kind, loc=(name, *problem["loc"]), input=problem["input"])


def _load(name: str) -> type[System]:
    """Import a system of another package."""
    from docmt_nmt.systems.system import System  # needs torch

    loaded = entry_points.load(plugin_groups.SYSTEMS, name)
    if loaded is None:
        check_package_of_system(name)
        raise InputError(
            f"unknown system {name!r}",
            cure=entry_points.cure_of_unknown(plugin_groups.SYSTEMS, name, SYSTEMS),
        )
    plugin, system = loaded
    if not (isinstance(system, type) and issubclass(system, System)):
        raise InputError(f"{plugin} is not a subclass of docmt_nmt.systems.System")
    settings = getattr(system, "settings_class", None)
    if not (isinstance(settings, type) and issubclass(settings, SystemSettings)):
        raise InputError(
            f"{plugin} has no settings_class that is a subclass of docmt_nmt.systems.SystemSettings"
        )
    own_name = settings.model_fields["name"].default
    if own_name != name:
        raise InputError(f"{plugin} has settings with the name {own_name!r}, not {name!r}")
    _loaded[name] = system
    return system
