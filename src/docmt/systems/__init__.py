"""The Transformer and the systems of four papers, one file each, and what all systems have in
common. To add one: a file with its settings (a `name` of its own) and its `System`, and a line in
`docmt.systems.system_registry`; or an entry point of another package."""

from __future__ import annotations

import torch

from docmt.ground.writing_order import WritingOrder
from docmt.nn.views import KeyValueProjection
from docmt.systems.system import System
from docmt.systems.system_registry import (
    SYSTEMS,
    read_system,
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
from docmt.systems.transformer import EncoderDecoder


def build(
    settings: SystemSettings, source_vocabulary: int, target_vocabulary: int, *, seed: int = 1
) -> System:
    """A system with random weights, the same for the same seed.

    Args:
        settings: which system, and its sizes.
        source_vocabulary, target_vocabulary: numbers of types.
        seed: of the weights.

    >>> from docmt.recipes import load
    >>> system = build(load("demo-g-transformer").system, 100, 100)
    >>> type(system).__name__
    'GTransformer'
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        system = system_class(settings.name)(settings, source_vocabulary, target_vocabulary)
    if isinstance(settings, EncoderDecoderSettings):
        for module in system.modules():
            if isinstance(module, KeyValueProjection):
                module.attention_dropout = settings.attention_dropout
            elif isinstance(module, torch.nn.LayerNorm):
                module.eps = settings.norm_epsilon
    return system


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
    "settings_classes",
    "system_class",
    "system_names",
]
