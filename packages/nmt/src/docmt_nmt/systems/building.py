"""`build`: a system with random weights."""

from __future__ import annotations

import torch

from docmt_nmt.nn.views import KeyValueProjection
from docmt_nmt.systems.system import System
from docmt_nmt.systems.system_registry import system_class
from docmt_nmt.systems.system_settings import EncoderDecoderSettings, SystemSettings


def build(
    settings: SystemSettings, source_vocabulary: int, target_vocabulary: int, *, seed: int = 1
) -> System:
    """A system with random weights, the same for the same seed.

    Args:
        settings: which system, and its sizes.
        source_vocabulary, target_vocabulary: numbers of types.
        seed: of the weights.

    >>> from docmt_nmt.recipes import load
    >>> system = build(load("demo-g-transformer").system, 100, 100)
    >>> type(system).__name__
    'GTransformer'
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        system = system_class(settings.name)(settings, source_vocabulary, target_vocabulary)
    if isinstance(settings, EncoderDecoderSettings):
        for module in system.modules():
            if isinstance(module, KeyValueProjection):
                module.attention_dropout = settings.attention_dropout
            elif isinstance(module, torch.nn.LayerNorm):
                module.eps = settings.norm_epsilon
    return system
