"""The continuous cache of a decoder (Tu et al. 2018, "Learning to Remember Translation History with
a Continuous Cache"); what is in it is in `docmt_research.nn.reaches.recent_words`.

Shapes: N tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from docmt_nmt.nn.gates import GateProjection, gate
from docmt_nmt.nn.views import View
from docmt_research.nn.reaches import RecentWords


class ContinuousCache(nn.Module):
    """The cache as a part of a decoder. With s_t the state of the decoder as it writes a word, c_t
    what attention to the source found, and (k_i, v_i) the slots,

        p_i = softmax_i(c_tᵀ k_i),  m_t = Σ_i p_i v_i
        λ_t = σ(U s_t + V c_t + W m_t),  s̃_t = (1 − λ_t) ⊙ s_t + λ_t ⊙ m_t

    s̃_t is what the word is predicted with, and (c_t, s_t) is what is written to the cache when the
    sentence is finished. No gradient passes into it.

    Args:
        d_model: the size of the states.
        size: how many slots the cache has.
    """

    def __init__(self, d_model: int, size: int) -> None:
        super().__init__()
        self._size = size
        self.gate = GateProjection(d_model, parts=3, bias=False)  # U, V and W

    def forward(self, state: Tensor, context: Tensor, view: View) -> Tensor:
        """s̃, (N, d_model), of s and c, both (N, d_model); s where the cache is empty."""
        cache = view.look(RecentWords(self._size), self.written(state, context))
        memory, is_there = cache.read(context)
        share = gate(self.gate, state, context, memory, passes="context", has_context=is_there)
        return torch.where(is_there[:, None], torch.lerp(state, memory, share), state)

    @staticmethod
    def written(state: Tensor, context: Tensor) -> Tensor:
        """Return what is written to the cache: (N, 2 · d_model)."""
        return torch.cat([context, state], dim=1).detach()
