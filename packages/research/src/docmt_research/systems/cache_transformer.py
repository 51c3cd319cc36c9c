"""A sentence-level Transformer with a continuous cache (Tu et al. 2018, "Learning to Remember
Translation History with a Continuous Cache", on the Transformer as in Miculicich et al. 2018).

The Transformer writes the sentences of a document in order. When a sentence is finished, what the
last layer's cross-attention found for each of its words, c_t, and the state of that layer, s_t, go
into a cache of the words that were written last (`docmt_research.nn.reaches`). With (k_i, v_i)
what is in the cache,

    p_i = softmax_i(c_tᵀ k_i),  m_t = Σ_i p_i v_i
    λ_t = σ(U s_t + V c_t + W m_t),  s̃_t = (1 − λ_t) ⊙ s_t + λ_t ⊙ m_t

and the vocabulary is scored against s̃_t instead of s_t.

Shapes: N tokens.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from torch import Tensor

from docmt_nmt.base.settings import PositiveInt
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.layers import Layer, Residual
from docmt_nmt.nn.views import View
from docmt_nmt.systems.system_settings import EncoderDecoderSettings
from docmt_nmt.systems.transformer import SentenceEncoderDecoder
from docmt_research.nn.continuous_cache import ContinuousCache


class CacheTransformerSettings(EncoderDecoderSettings):
    """A sentence-level Transformer with a continuous cache of translated words (Tu et al. 2018)."""

    name: Literal["cache-transformer"] = "cache-transformer"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("tokens", "whole")
    writing_order: ClassVar[WritingOrder] = WritingOrder.IN_ORDER

    cache_size: PositiveInt = 25
    """Number of words in the cache."""


class CacheTransformer(SentenceEncoderDecoder):
    """A sentence-level Transformer that remembers the words it has written."""

    settings_class = CacheTransformerSettings
    reconstruction = "the equations of Tu et al. 2018 as others give them, of RNNSearch"

    def __init__(
        self, settings: CacheTransformerSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.cache = ContinuousCache(settings.d_model, settings.cache_size)

    def decode(self, tokens: Tensor, view: View) -> Tensor:
        return self.cache(*self.decode_alone(tokens, view), view)

    def decode_alone(self, tokens: Tensor, view: View) -> tuple[Tensor, Tensor]:
        """s and c, both (N, d_model), which do not depend on the sentences before."""
        x = self.embed(self.target_embedding, tokens, view.positions(self.count_positions))
        for layer in self.decoder[:-1]:
            x = layer(x, view)
        last = self.decoder[-1]
        assert isinstance(last, Layer)
        for name, sublayer in last.items():
            if name == "cross_attention":
                assert isinstance(sublayer, Residual)
                context = sublayer.branch(x, view)
                x = sublayer.add(x, context)
            else:
                x = sublayer(x, view)
        return self.decoder_norm(x), context

    def readout(self, x: Tensor) -> Tensor:
        """They are normalized before the cache."""
        return x

    def read_translations(self, target: Packed, memory: Memory) -> Tensor:
        """Return what is written to the cache of translated sentences: (N_target, 2 · d_model)."""
        return ContinuousCache.written(*self.decode_alone(target.tokens, FullPass(target, memory)))
