"""All systems. To add one: a file with its settings (a `name` of its own) and its `System`, and a
line in `docmt.systems.system_registry`."""

from __future__ import annotations

import torch

from docmt.nn.views import KeyValueProjection
from docmt.systems.associated_memory import AssociatedMemory, AssociatedMemorySettings
from docmt.systems.cache_rnnsearch import CacheRNNSearch, CacheRNNSearchSettings
from docmt.systems.cache_transformer import CacheTransformer, CacheTransformerSettings
from docmt.systems.cadec import CADec, CADecSettings
from docmt.systems.context_aware_transformer import (
    ContextAwareTransformer,
    ContextAwareTransformerSettings,
)
from docmt.systems.cross_sentence_rnn import CrossSentenceRNN, CrossSentenceRNNSettings
from docmt.systems.document_transformer import DocumentTransformer, DocumentTransformerSettings
from docmt.systems.flat_transformer import FlatTransformer, FlatTransformerSettings
from docmt.systems.g_transformer import GTransformer, GTransformerSettings
from docmt.systems.han import HAN, HANSettings
from docmt.systems.hm_gdc import HMGDC, HMGDCSettings
from docmt.systems.hm_gdc_rnnsearch import HMGDCRNNSearch, HMGDCRNNSearchSettings
from docmt.systems.hybrid_context import HybridContext, HybridContextSettings
from docmt.systems.long_short import LongShort, LongShortSettings
from docmt.systems.multi_encoder_rnn import MultiEncoderRNN, MultiEncoderRNNSettings
from docmt.systems.parallel_stack import ParallelStack, ParallelStackSettings
from docmt.systems.rnnsearch import RNNSearch, RNNSearchSettings
from docmt.systems.san import SAN, SANSettings
from docmt.systems.system import System, WritingOrder
from docmt.systems.system_registry import SYSTEMS, read_system, settings_classes, system_class
from docmt.systems.system_settings import (
    PRESETS,
    EncoderDecoderSettings,
    PresetSettings,
    SizeSettings,
    SystemSettings,
)
from docmt.systems.transformer import EncoderDecoder, Transformer, TransformerSettings


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
    "HAN",
    "HMGDC",
    "PRESETS",
    "SAN",
    "SYSTEMS",
    "AssociatedMemory",
    "AssociatedMemorySettings",
    "CADec",
    "CADecSettings",
    "CacheRNNSearch",
    "CacheRNNSearchSettings",
    "CacheTransformer",
    "CacheTransformerSettings",
    "ContextAwareTransformer",
    "ContextAwareTransformerSettings",
    "CrossSentenceRNN",
    "CrossSentenceRNNSettings",
    "DocumentTransformer",
    "DocumentTransformerSettings",
    "EncoderDecoder",
    "EncoderDecoderSettings",
    "FlatTransformer",
    "FlatTransformerSettings",
    "GTransformer",
    "GTransformerSettings",
    "HANSettings",
    "HMGDCRNNSearch",
    "HMGDCRNNSearchSettings",
    "HMGDCSettings",
    "HybridContext",
    "HybridContextSettings",
    "LongShort",
    "LongShortSettings",
    "MultiEncoderRNN",
    "MultiEncoderRNNSettings",
    "ParallelStack",
    "ParallelStackSettings",
    "PresetSettings",
    "RNNSearch",
    "RNNSearchSettings",
    "SANSettings",
    "SizeSettings",
    "System",
    "SystemSettings",
    "Transformer",
    "TransformerSettings",
    "WritingOrder",
    "build",
    "read_system",
    "settings_classes",
    "system_class",
]
