"""Recurrent networks over packed rows: gated recurrent units (Cho et al. 2014).

With x what a unit reads and s its state before,

    r = σ(W_r x + U_r s + b_r),  z = σ(W_z x + U_z s + b_z)
    n = tanh(W_n x + b_n + r ⊙ (U_n s + b_u)),  s' = (1 − z) ⊙ n + z ⊙ s

which resets the product U_n s where Cho et al. reset s, as PyTorch does.

Shapes: N tokens of a row, S spans, W d_model, L layers; in steps R rows.
"""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from docmt.nn.spans import Spans


class ReadingOrder:
    """The tokens of a row in the order a recurrent network reads them: the first tokens of all
    spans, then the second ones, and so on. The longest spans come first, so that those that go on
    are always the first ones.

    Attributes:
        spans: (S,) the spans, longest first.
        tokens: (N,) the tokens.
        sizes: for each place how many spans are so long.
    """

    def __init__(self, spans: Spans) -> None:
        self.spans = spans.lengths.argsort(descending=True, stable=True)
        rank = self.spans.argsort()
        self.tokens = (spans.positions * len(spans) + rank[spans.index]).argsort()
        self.sizes = torch.bincount(spans.positions).cpu()

    @cached_property
    def back(self) -> Tensor:
        """(N,) where in this order each token of the row is."""
        return self.tokens.argsort()


class Recurrent(nn.Module):
    """Layers of gated recurrent units over each span of a row.

    Args:
        d_model: W, of what is read and of what comes out.
        layers: L.
        both_ways: whether half of each layer reads forwards and half backwards, or all forwards.
        dropout: share of what passes from layer to layer that is dropped in training.
    """

    def __init__(self, d_model: int, layers: int, *, both_ways: bool, dropout: float) -> None:
        super().__init__()
        self.network = nn.GRU(
            d_model, d_model // 2 if both_ways else d_model, layers,
            bidirectional=both_ways, dropout=dropout if layers > 1 else 0.0,
        )  # fmt: skip

    def forward(self, x: Tensor, spans: Spans, start: Tensor | None = None) -> Tensor:
        """The top layer's states.

        Args:
            x: (N, W)
            spans: those that are read, each on its own.
            start: (S, L · W) the state each begins with; default: zeros.

        Returns:
            (N, W), of those that read both ways the forward half first.
        """
        order = ReadingOrder(spans)
        network = self.network
        if start is not None:
            states = start[order.spans].view(len(spans), -1, network.hidden_size)
            start = states.transpose(0, 1).to(x.dtype).contiguous()
        output, _ = network(PackedSequence(x[order.tokens], order.sizes), start)
        return output.data[order.back]

    def last(self, x: Tensor, spans: Spans) -> Tensor:
        """The top layer's state after the last token of each span, (S, W), of a network that reads
        forwards, given x, (N, W); zeros for spans that are empty."""
        # A network cannot read nothing, so an empty token stands behind every row.
        beyond = torch.cat([x, x.new_zeros(1, x.shape[1])])
        offsets = torch.cat([spans.offsets, spans.offsets[-1:] + 1])
        full = torch.cat([spans.lengths > 0, spans.lengths.new_ones(1, dtype=torch.bool)])
        states = self(beyond, Spans(torch.cat([offsets[:1], offsets[1:][full]])))
        there = spans.lengths > 0
        found = states.new_zeros(len(spans), x.shape[1])
        return found.index_copy(0, there.nonzero().squeeze(1), states[spans.offsets[1:][there] - 1])


class Cell(nn.Module):
    """One unit, for one step. What it reads has gone through its weights already.

    Args:
        d_model: W.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.state = nn.Linear(d_model, 3 * d_model)  # U

    def forward(self, read: Tensor, state: Tensor) -> Tensor:
        """The state after a token, (R, W).

        Args:
            read: (R, 3 · W) W_r x + b_r, W_z x + b_z and W_n x + b_n, one beside the other.
            state: (R, W) the state before it.
        """
        d_model = state.shape[1]
        kept = self.state(state)
        reset, update = torch.sigmoid(read[:, :-d_model] + kept[:, :-d_model]).chunk(2, dim=1)
        new = torch.tanh(torch.addcmul(read[:, -d_model:], reset, kept[:, -d_model:]))
        return torch.lerp(new, state, update)
