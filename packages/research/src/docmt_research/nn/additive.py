"""Additive attention (Bahdanau et al. 2015, section 3.1 and appendix A.1.2):

    e_ij = vᵀ tanh(W s_{i−1} + U h_j + b),  α_ij = exp(e_ij) / Σ_k exp(e_ik),  c_i = Σ_j α_ij h_j

Shapes: N tokens; U units with the same number of hypotheses B each, R = U · B hypotheses, L tokens
that the hypotheses of a unit look at.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from docmt_nmt.nn.batch import SOURCE, Memory
from docmt_nmt.nn.views import SourceKeys


class AdditiveAttention(nn.Module):
    """Attention whose scores a small network gives."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model)
        self.score = nn.Parameter(torch.empty(d_model).uniform_(-(d_model**-0.5), d_model**-0.5))
        for projection in (self.query, self.key):
            nn.init.xavier_uniform_(projection.weight)
        nn.init.zeros_(self.key.bias)

    def keys_values(self, states: Tensor) -> Tensor:
        """Keys and values of states, (N, d_model), with one head: (2, N, 1, d_model)."""
        return torch.stack((self.key(states), states))[:, :, None]

    def projected(self, memory: Memory) -> Tensor:
        """The keys and values of the source, (2, N, 1, d_model), made once."""
        if torch.is_grad_enabled():
            return self.keys_values(memory.states)
        if (self, SOURCE) not in memory.projected:
            memory.projected[self, SOURCE] = self.keys_values(memory.states)
        return memory.projected[self, SOURCE]

    def forward(self, x: Tensor, source: SourceKeys) -> tuple[Tensor, Tensor]:
        """Return what each hypothesis finds.

        Args:
            x: (R, d_model)
            source: the keys and values of each unit, with one head.

        Returns:
            (R, d_model), and the weights, (R, L).
        """
        keys, values = source.keys_values.squeeze(2)
        queries = self.query(x).view(len(keys), -1, x.shape[1])
        # Between the passes the scores' network would keep d_model numbers for every pair.
        if torch.is_grad_enabled():
            scores = checkpoint(
                self.scores, queries, keys, use_reentrant=False, preserve_rng_state=False
            )
        else:
            scores = self.scores(queries, keys)
        weights = (scores + source.bias.squeeze(1)).softmax(dim=2)
        return (weights.to(values.dtype) @ values).view_as(x), weights.flatten(0, 1)

    def scores(self, queries: Tensor, keys: Tensor) -> Tensor:
        """(U, B, d_model) with (U, L, d_model): (U, B, L)"""
        return torch.tanh(queries[:, :, None] + keys[:, None]) @ self.score


def seen_by_sequence(weights: Sequence[tuple[Tensor, Sequence[Tensor]]]) -> list[Tensor]:
    """The weights of each sequence, (1, its tokens, its source tokens), of those of each time step,
    (R, L), with the bias of scores, (U, 1, B, L) in parts, that says which source tokens are
    seen."""
    biases_of_sequences: list[list[Tensor]] = [[] for _ in weights[0][0]]
    for now, biases in weights:
        seen = (torch.cat(list(biases), dim=3) == 0).flatten(0, 2)
        seen = seen.repeat_interleave(len(now) // len(seen), dim=0)
        for sequence, weights_of_sequence in enumerate(now):
            biases_of_sequences[sequence].append(weights_of_sequence[seen[sequence]])
    return [torch.stack(rows)[None] for rows in biases_of_sequences]
