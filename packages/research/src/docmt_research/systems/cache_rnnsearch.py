"""RNNSearch with a continuous cache (Tu et al. 2018, "Learning to Remember Translation History with
a Continuous Cache").

RNNSearch writes the sentences of a document in order. When a sentence is finished, what attention
found for each of its words, c_t, and the state of the decoder's top layer, s_t, go into a cache of
the words that were written last (`docmt_research.nn.reaches`). With (k_i, v_i) what is in the
cache,

    p_i = softmax_i(c_tᵀ k_i),  m_t = Σ_i p_i v_i
    λ_t = σ(U s_t + V c_t + W m_t),  s̃_t = (1 − λ_t) ⊙ s_t + λ_t ⊙ m_t

and s̃_t predicts the next word instead of s_t. The recurrence goes on with s_t.

Shapes: N tokens.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from torch import Tensor

from docmt_nmt.base.settings import PositiveInt
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.views import View
from docmt_research.nn.continuous_cache import ContinuousCache
from docmt_research.systems.rnnsearch import Decoder, RecurrentSettings, RNNSearch


class CacheRNNSearchSettings(RecurrentSettings):
    """RNNSearch with a continuous cache of translated words (Tu et al. 2018)."""

    name: Literal["cache-rnnsearch"] = "cache-rnnsearch"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("tokens", "whole")
    writing_order: ClassVar[WritingOrder] = WritingOrder.IN_ORDER

    cache_size: PositiveInt = 25
    """Number of words in the cache."""


class CacheDecoder(Decoder):
    """The decoder of RNNSearch with a continuous cache."""

    def __init__(self, settings: CacheRNNSearchSettings) -> None:
        super().__init__(settings)
        self.cache = ContinuousCache(settings.d_model, settings.cache_size)

    def forward(self, x: Tensor, view: View) -> Tensor:
        top, context = self.recur(x, view)
        return self.output(self.cache(top, context, view), x, context)


class CacheRNNSearch(RNNSearch):
    """RNNSearch that remembers the words it has written."""

    settings_class = CacheRNNSearchSettings
    reconstruction = "the equations of Tu et al. 2018 as others give them"

    def __init__(
        self, settings: CacheRNNSearchSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(
            settings, source_vocabulary, target_vocabulary, decoder=CacheDecoder(settings)
        )

    def read_translations(self, target: Packed, memory: Memory) -> Tensor:
        """Return what is written to the cache of translated sentences: (N_target, 2 · d_model)."""
        x = self.embed(self.target_embedding, target.tokens)
        return ContinuousCache.written(*self.decoder.recur(x, FullPass(target, memory)))
