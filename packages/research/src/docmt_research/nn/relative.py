"""Attention with relative positions of tokens or of sentences, computed as attention over longer
vectors.

`RelativeAttention` follows Dai et al. 2019 ("Transformer-XL", section 3.3). The score of token i
for token j is, with r_n the sinusoids of a distance,

    (W_q x_i + u)ᵀ W_k x_j + (W_q x_i + v)ᵀ W_r r_{i−j}

As sin (i − j)ω and cos (i − j)ω are sums of products of the sines and cosines of iω and jω, the
second term is the product of r_j with a vector a_i, a function of i alone:

    p = W_rᵀ (W_q x_i + v),  a_i = (p_c sin iω − p_s cos iω,  p_s sin iω + p_c cos iω)

`SegmentRelativeAttention` follows Zheng et al. 2020 ("Towards Making the Most of Context in Neural
Machine Translation"): Shaw et al. 2018 with distances of sentences. With token i in
sentence k and token j in sentence κ, and e_κ a vector of zeros but a one for κ,

    e_ij = (W_q x_i)ᵀ (W_k x_j + γᴷ_{k−κ}) = [W_q x_i; (γᴷ_{k−κ'} · W_q x_i)_κ'] · [W_k x_j; e_κ]
    z_i = Σ_j α_ij (W_v x_j + γⱽ_{k−κ}),  and  Σ_j α_ij e_κ  is each sentence's share of the weights

Both divide scores by √D. So every kernel and cache can compute them.

Shapes: N tokens, H heads, D head dimension, S sentences of the longest instance.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from docmt_nmt.nn.attention import MultiHeadAttention
from docmt_nmt.nn.embeddings import sinusoids
from docmt_nmt.nn.views import KeysValues, Positions

LANES = 8
"""Vectors of kernels for 16 bits have a multiple of so many numbers."""


class _WidenedAttention(MultiHeadAttention):
    """Attention over states, (N, d_model), with features of their positions at the end of each."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__(d_model, heads)
        self.d_model, self.head_dim = d_model, d_model // heads

    def _parts(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """States and features."""
        return x[:, : self.d_model], x[:, self.d_model :]

    def _queries(self, content: Tensor, features: Tensor) -> Tensor:
        """Queries in two parts, (N, H, ...), with scores divided by √D, not by the root of the
        whole length."""
        q = torch.cat([content, features.to(content.dtype)], dim=2)
        return q * (q.shape[2] / self.head_dim) ** 0.5

    def _with_features(self, content: Tensor, features: Tensor) -> Tensor:
        """Keys or values, (N, H, D), with the same features in all heads."""
        same = features[:, None].expand(-1, self.heads, -1)
        return torch.cat([content, same.to(content.dtype)], dim=2)


class RelativeAttention(_WidenedAttention):
    """Multi-head attention with relative positions (Dai et al. 2019). The bias of `query` is u, and
    `position_bias` is v − u.

    Args:
        d_model: the size of the states.
        heads: H.
    """

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__(d_model, heads)
        self.waves = d_model // 2 * 2
        self.position_key = nn.Parameter(torch.empty(d_model, self.waves))  # W_r
        nn.init.xavier_uniform_(self.position_key)
        self.position_bias = nn.Parameter(torch.zeros(heads, self.head_dim))

    def at(self, x: Tensor, positions: Positions) -> Tensor:
        """States, (N, d_model), at their positions, as `forward` takes them."""
        r = sinusoids(positions.values, self.waves, "sinusoidal-from-0")
        return torch.cat([x, r.to(x.dtype).expand(len(x), -1)], dim=1)

    def forward(self, x: Tensor, over: KeysValues) -> Tensor:
        """States at positions, as `at` gives them, over keys and values: (N, d_model)."""
        states, r = self._parts(x)
        content = self.split(self.query(states))  # (N, H, D)
        w_r = self.position_key.view(self.heads, self.head_dim, self.waves)
        p = torch.einsum("nhd,hdw->nhw", content + self.position_bias, w_r)
        p_sine, p_cosine = p.chunk(2, dim=2)
        sine, cosine = r[:, None].chunk(2, dim=2)
        a = torch.cat([p_cosine * sine - p_sine * cosine, p_sine * sine + p_cosine * cosine], dim=2)
        attended = over.attend(self._queries(content, a), x, self)
        return self.output(attended[:, :, : self.head_dim].flatten(1))

    def keys_and_values(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of states at positions."""
        states, r = self._parts(y)
        keys = self._with_features(self.split(self.key(states)), r)
        return keys, pad(self.split(self.value(states)), (0, self.waves))


class SegmentRelativeAttention(_WidenedAttention):
    """Multi-head attention with relative positions of sentences (Zheng et al. 2020).

    Args:
        d_model: the size of the states.
        heads: H; they share γᴷ and γⱽ.
        max_distance: the distance, in sentences, from which on all are alike.
    """

    def __init__(self, d_model: int, heads: int, *, max_distance: int) -> None:
        super().__init__(d_model, heads)
        self.max_distance = max_distance
        shape = 2 * max_distance + 1, self.head_dim
        self.distance_keys = nn.Parameter(torch.empty(shape))  # γᴷ, of -max_distance first
        self.distance_values = nn.Parameter(torch.empty(shape))  # γⱽ
        for table in (self.distance_keys, self.distance_values):
            nn.init.normal_(table, std=self.head_dim**-0.5)

    def at(self, x: Tensor, segments: Positions) -> Tensor:
        """States, (N, d_model), in sentences of these indices, as `forward` takes them."""
        # The whole vector is as long as kernels like it.
        count = segments.limit + -(self.head_dim + segments.limit) % LANES
        each = torch.arange(count, device=x.device)
        return torch.cat([x, (segments.values[:, None] == each).to(x.dtype)], dim=1)

    def forward(self, x: Tensor, over: KeysValues) -> Tensor:
        """States in sentences, as `at` gives them, over keys and values: (N, d_model)."""
        states, which = self._parts(x)
        content = self.split(self.query(states))  # (N, H, D)
        each = torch.arange(which.shape[1], device=x.device)
        own_segment = which.argmax(dim=1)
        distance = (own_segment[:, None] - each).clamp(-self.max_distance, self.max_distance)
        index = (distance + self.max_distance)[:, None].expand(-1, self.heads, -1)  # (N, H, S)
        for_distances = content @ self.distance_keys.to(content.dtype).T  # (N, H, distances)
        q = self._queries(content, for_distances.gather(2, index))
        attended, shares = over.attend(q, x, self).tensor_split([self.head_dim], dim=2)
        by_distance = torch.zeros_like(for_distances).scatter_add(2, index, shares)
        attended = attended + by_distance @ self.distance_values.to(attended.dtype)
        return self.output(attended.flatten(1))

    def keys_and_values(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of states in sentences."""
        states, which = self._parts(y)
        keys, values = self.split(self.key(states)), self.split(self.value(states))
        return self._with_features(keys, which), self._with_features(values, which)
