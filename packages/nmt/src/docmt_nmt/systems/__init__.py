"""The Transformer and the systems of four papers, one file each, and what all systems have in
common. To add one: a file with its settings (a `name` of its own) and its `System`, and a line in
`docmt_nmt.systems.system_registry`; or an entry point of another package.

Settings need no torch; modules do, and are imported at their first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.systems.system_registry import (
    SYSTEMS,
    read_system,
    settings_class,
    settings_classes,
    system_class,
    system_names,
)
from docmt_nmt.systems.system_settings import (
    PRESETS,
    EncoderDecoderSettings,
    PresetSettings,
    SizeSettings,
    SystemSettings,
)

if TYPE_CHECKING:
    from docmt_nmt.systems.building import build
    from docmt_nmt.systems.system import System
    from docmt_nmt.systems.transformer import EncoderDecoder

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
    "EncoderDecoder": "docmt_nmt.systems.transformer",
    "System": "docmt_nmt.systems.system",
    "build": "docmt_nmt.systems.building",
}
"""The module of each name that needs torch."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
