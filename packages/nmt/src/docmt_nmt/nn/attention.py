"""Multi-head attention, and the scoped attention of the G-Transformer (Vaswani et al. 2017; Bao et
al. 2021, Eq. 5, 8 and 10).

Shapes: N_q queries, N_k keys, H heads, D head dimension.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from docmt_nmt.nn.choices import Sees
from docmt_nmt.nn.gates import GateProjection, gate
from docmt_nmt.nn.native import operations
from docmt_nmt.nn.recording import active_recorder
from docmt_nmt.nn.views import KeysValues, Reach, Scopes, SelfProjection, View

Scope = Literal["group", "global", "combined"]


class MultiHeadAttention(SelfProjection):
    """Multi-head attention with its four projections.

    Args:
        d_model: the size of the states.
        heads: H.
        kv_dim: the size of the states behind keys and values; default: d_model.
    """

    def __init__(self, d_model: int, heads: int, *, kv_dim: int | None = None) -> None:
        super().__init__()
        self.heads = heads
        #: Computes queries, keys and values at once; see `join_projections`.
        self.joined: nn.Module | None = None
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(kv_dim or d_model, d_model)
        self.value = nn.Linear(kv_dim or d_model, d_model)
        self.output = nn.Linear(d_model, d_model)
        for projection in (self.query, self.key, self.value):
            # As if the three were one matrix.
            nn.init.xavier_uniform_(projection.weight, gain=2**-0.5)
        nn.init.xavier_uniform_(self.output.weight)
        for projection in (self.query, self.key, self.value, self.output):
            nn.init.zeros_(projection.bias)

    def forward(self, x: Tensor, over: KeysValues) -> Tensor:
        """Queries x, (N_q, d_model), over keys and values: (N_q, d_model). A query without keys
        gets the bias of the output projection."""
        return self.output(over.attend_from(x, self).flatten(1))

    def split(self, x: Tensor) -> Tensor:
        """(N, d_model) as (N, H, D)"""
        return x.view(x.shape[0], self.heads, x.shape[1] // self.heads)

    def queries(self, x: Tensor) -> Tensor:
        return self.split(self.query(x))

    def keys_and_values(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of y, (N_k, kv_dim): (N_k, H, D) each."""
        return self.split(self.key(y)), self.split(self.value(y))

    def queries_keys_values(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        if self.joined is None:
            return self.queries(x), *self.keys_and_values(x)
        q, k, v = self.joined(x).view(x.shape[0], 3, self.heads, x.shape[1] // self.heads).unbind(1)
        return q, k, v

    def join_projections(self) -> None:
        """Let one linear layer compute queries, keys and values, for self-attention in search: one
        large product is faster than three, and in eight bits inputs are rounded once. The three
        layers become views of the joined layer, without gradients."""
        if self.joined is None:
            names = "query", "key", "value"
            layers: list[nn.Linear] = [getattr(self, name) for name in names]
            joined = nn.Linear(layers[0].in_features, 3 * layers[0].out_features, device="meta")
            weight = torch.cat([layer.weight.detach() for layer in layers])
            bias = torch.cat([layer.bias.detach() for layer in layers])
            joined.weight = nn.Parameter(weight, requires_grad=False)
            joined.bias = nn.Parameter(bias, requires_grad=False)
            self.joined = joined
            for index, name in enumerate(names):
                setattr(self, name, LinearPart(joined, index, len(names)))

    def cached_keys_values(self, y: Tensor) -> Tensor:
        return torch.stack(self.keys_and_values(y)).to(self.kv_dtype or y.dtype)


class LinearPart(nn.Module):
    """One of several linear layers of the same size, computed by one joined layer.

    Args:
        joined: the joined linear layer.
        index: the index of this layer.
        count: the number of layers.
    """

    def __init__(self, joined: nn.Module, index: int, count: int) -> None:
        super().__init__()
        self.joined, self.index, self.count = joined, index, count

    def forward(self, x: Tensor) -> Tensor:
        """(N, K) to (N, M)"""
        part: Tensor = self.joined(x).chunk(self.count, dim=1)[self.index]
        return part


class ScopedAttention(nn.Module):
    """Attention over sentences, instances, or both.

    The attention over sentences and, where there is only one, the attention over instances is
    called `attention`, so that a G-Transformer's group attention takes the weights of a
    Transformer. The combined scope adds `global_attention` and `gate`.

    Args:
        d_model: the size of the states.
        heads: H.
        scope: `group`, `global` or `combined`.
        attention: an attention shared with another module; default: a new one.

    Attributes:
        sees: what the global attention of the combined scope sees.
        beyond: where it looks if it `sees` what lies beyond the sentence.
    """

    sees: Sees = "instance"
    beyond: Reach[KeysValues] | None = None

    def __init__(
        self, d_model: int, heads: int, scope: Scope, *, attention: MultiHeadAttention | None = None
    ) -> None:
        super().__init__()
        self.scope = scope
        #: Whether the gate-sum may be rounded in another way than PyTorch's.
        self.at_once = False
        self.attention = attention or MultiHeadAttention(d_model, heads)
        if scope == "combined":
            self.global_attention = MultiHeadAttention(d_model, heads)
            self.gate = GateProjection(d_model)

    def over(self, x: Tensor, scopes: Scopes, view: View) -> Tensor:
        """Queries x, (N_q, d_model), over the keys and values in scope: (N_q, d_model)."""
        if self.scope == "global":
            return self.attention(x, scopes.instances)
        local = self.attention(x, scopes.sentences)
        if self.scope == "group":
            return local
        if self.sees == "beyond":
            assert self.beyond is not None, "a system says where it looks"
            seen = view.look(self.beyond, x)
            if seen.is_empty and not self.training:
                return local
            return self.combine(local, self.global_attention(x, seen), seen.has_keys(x))
        seen = scopes.instances if self.sees == "instance" else scopes.sentences
        return self.combine(local, self.global_attention(x, seen))

    def combine(self, local: Tensor, global_: Tensor, has_context: Tensor | None = None) -> Tensor:
        """The gate-sum of Bao et al. 2021, Eq. 10, of H_L and H_G: all (N_q, d_model); H_L for the
        queries without context, of (N_q,)."""
        if has_context is None and self.at_once and active_recorder() is None:
            return operations.gated_sum(self.gate(torch.cat([local, global_], 1)), local, global_)
        g = gate(self.gate, local, global_, passes="own", has_context=has_context)
        combined = local * g + global_ * (1 - g)
        return (
            combined if has_context is None else torch.where(has_context[:, None], combined, local)
        )


class SelfAttention(ScopedAttention):
    """Scoped attention over the tokens themselves."""

    def join_projections(self) -> None:
        """Compute queries, keys and values of each attention at once; see
        `MultiHeadAttention.join_projections`."""
        self.attention.join_projections()
        if self.scope == "combined":
            self.global_attention.join_projections()

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model)"""
        return self.over(x, view.own, view)


class CrossAttention(ScopedAttention):
    """Scoped attention over the encoded source."""

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N_target, d_model) to (N_target, d_model)"""
        return self.over(x, view.source, view)
