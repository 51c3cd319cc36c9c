"""Recurrent networks over packed sequences: gated recurrent units (Cho et al. 2014) and long
short-term memory (Hochreiter and Schmidhuber 1997).

With x what a gated recurrent unit reads and s its state before,

    r = σ(W_r x + U_r s + b_r),  z = σ(W_z x + U_z s + b_z)
    n = tanh(W_n x + b_n + r ⊙ (U_n s + b_u)),  s' = (1 − z) ⊙ n + z ⊙ s

which resets the product U_n s where Cho et al. reset s, as PyTorch does. The state of a long
short-term memory has two parts, s and m:

    i = σ(W_i x + U_i s + b_i),  f = σ(W_f x + U_f s + b_f),  o = σ(W_o x + U_o s + b_o)
    m' = f ⊙ m + i ⊙ tanh(W_g x + U_g s + b_g),  s' = o ⊙ tanh(m')

Shapes: N tokens of a packed sequence, S spans, L layers, P parts of a state, G gates; in steps R
hypotheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from docmt_nmt.nn.sequences import TimeOrder
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device


class Recurrent(nn.Module):
    """Layers of recurrent units over each span of a packed sequence.

    Args:
        d_model: the size of the states.
        layers: L.
        bidirectional: whether half of each layer reads forwards and half backwards, or all
            forwards.
        dropout: share of what passes from layer to layer that is dropped in training.
        inputs: the size of the inputs; default: d_model.
        cell: the kind of unit.
    """

    def __init__(
        self,
        d_model: int,
        layers: int,
        *,
        bidirectional: bool,
        dropout: float,
        inputs: int | None = None,
        cell: CellKind = "gru",
    ) -> None:
        super().__init__()
        kind = nn.GRU if cell == "gru" else nn.LSTM
        self.network: nn.RNNBase = kind(
            inputs or d_model,
            d_model // 2 if bidirectional else d_model,
            layers,
            bidirectional=bidirectional,
            dropout=dropout if layers > 1 else 0.0,
        )

    def forward(self, x: Tensor, spans: Spans, initial: Tensor | None = None) -> Tensor:
        """The states of the top layer.

        Args:
            x: (N, inputs)
            spans: those that are read, each on its own.
            initial: (S, P · L · d_model) the state each begins with; default: zeros.

        Returns:
            (N, d_model), of a bidirectional network the forward half first.
        """
        order = TimeOrder(spans)
        network = self.network
        if initial is not None:
            longest_first = initial[to_device(order.spans, x.device)]
            states = longest_first.view(len(spans), -1, network.hidden_size)
            initial = states.transpose(0, 1).to(x.dtype).contiguous()
        return self._run(x[order.from_text], order.sizes, initial)[order.to_text]

    def _run(self, x: Tensor, sizes: Sequence[int], initial: Tensor | None) -> Tensor:
        """The network over tokens in time order, (N, inputs), by PyTorch, which wants the sizes as
        a tensor of the host."""
        begin: Any = initial
        if initial is not None and isinstance(self.network, nn.LSTM):
            begin = initial.chunk(2)
        output, _ = self.network(PackedSequence(x, torch.tensor(sizes)), begin)
        return output.data

    def last(self, x: Tensor, spans: Spans) -> Tensor:
        """The top layer's state after the last token of each span, (S, d_model), of a network that
        reads forwards, given x, (N, inputs); zeros for empty spans."""
        # A network cannot read nothing, so an empty token stands at the very end.
        padded = torch.cat([x, x.new_zeros(1, x.shape[1])])
        filled = spans.host_lengths > 0
        lengths = [*spans.host_lengths[filled].tolist(), 1]
        states = self(padded, Spans.of(lengths, spans.device))
        ends = to_device(spans.host_offsets[1:][filled] - 1, x.device)
        last_states = states.new_zeros(len(spans), states.shape[1])
        return last_states.index_copy(0, to_device(filled.nonzero()[0], x.device), states[ends])


class Cell(nn.Module):
    """One recurrent unit, for one step. Its input has been multiplied with its weights already.

    Args:
        d_model: the size of each part of the state.

    Attributes:
        parts: P, of which the first is what others see.
        gates: G.
    """

    parts: ClassVar[int]
    gates: ClassVar[int]

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.state = nn.Linear(d_model, self.gates * d_model)  # U


class GRUCell(Cell):
    """One gated recurrent unit."""

    parts = 1
    gates = 3

    def forward(self, inputs: Tensor, state: Tensor) -> Tensor:
        """The state after a token, (R, d_model).

        Args:
            inputs: (R, 3 · d_model) W_r x + b_r, W_z x + b_z and W_n x + b_n, concatenated.
            state: (R, d_model) the state before it.
        """
        d_model = state.shape[1]
        of_state = self.state(state)
        reset, update = torch.sigmoid(inputs[:, :-d_model] + of_state[:, :-d_model]).chunk(2, dim=1)
        new = torch.tanh(torch.addcmul(inputs[:, -d_model:], reset, of_state[:, -d_model:]))
        return torch.lerp(new, state, update)


class LSTMCell(Cell):
    """One unit of long short-term memory."""

    parts = 2
    gates = 4

    def forward(self, inputs: Tensor, state: Tensor) -> Tensor:
        """The state after a token, (R, 2 · d_model).

        Args:
            inputs: (R, 4 · d_model) W x + b of the gates i and f, of g and of the gate o,
                concatenated.
            state: (R, 2 · d_model) s and m before it.
        """
        hidden, memory = state.chunk(2, dim=1)
        i, f, g, o = (inputs + self.state(hidden)).chunk(4, dim=1)
        memory = torch.sigmoid(f) * memory + torch.sigmoid(i) * torch.tanh(g)
        return torch.cat([torch.sigmoid(o) * torch.tanh(memory), memory], dim=1)


CellKind = Literal["gru", "lstm"]
CELLS: dict[CellKind, type[Cell]] = {"gru": GRUCell, "lstm": LSTMCell}
"""The units by what settings call them."""
