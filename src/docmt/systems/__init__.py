"""The Transformer and the systems of four papers, one file each, and what all systems have in
common. To add one: a file with its settings (a `name` of its own) and its `System`, and a line in
`docmt.systems.system_registry`; or an entry point of another package.

Settings need no torch; modules do, and are imported at their first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from docmt.ground.writing_order import WritingOrder
from docmt.systems.system_registry import (
    SYSTEMS,
    read_system,
    settings_class,
    settings_classes,
    system_class,
    system_names,
)
from docmt.systems.system_settings import (
    PRESETS,
    EncoderDecoderSettings,
    PresetSettings,
    SizeSettings,
    SystemSettings,
)

if TYPE_CHECKING:
    from docmt.systems.building import build
    from docmt.systems.system import System
    from docmt.systems.transformer import EncoderDecoder

__all__ = [
    "PRESETS",
    "SYSTEMS",
    "EncoderDecoder",
    "EncoderDecoderSettings",
    "PresetSettings",
    "SizeSettings",
    "System",
    "SystemSettings",
    "WritingOrder",
    "build",
    "read_system",
    "settings_class",
    "settings_classes",
    "system_class",
    "system_names",
]

_MODULES = {
    "EncoderDecoder": "docmt.systems.transformer",
    "System": "docmt.systems.system",
    "build": "docmt.systems.building",
}
"""The module of each name that needs torch."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
