"""The simpler simple recurrent unit (Kim et al. 2019, "From Research to Production and Back:
Ludicrously Fast Neural Machine Translation"), in place of a decoder's self-attention.

    f_t = σ(W_f x_t + b_f)
    c_t = f_t ⊙ c_{t−1} + (1 − f_t) ⊙ W x_t,  c_0 = 0
    h_t = ReLU(c_t)

Both products are computed for all tokens at once; the recurrence itself has no products.

Shapes: N tokens, S sequences.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from docmt_nmt.nn.choices import SequenceUnit
from docmt_nmt.nn.views import Sequences, View


class SSRU(nn.Module):
    """A recurrence over the target tokens of a sentence or of an instance.

    Args:
        d_model: size of the states.
        unit: the text over which the state runs on; at the beginning of the next, it is zero.
    """

    def __init__(self, d_model: int, unit: SequenceUnit) -> None:
        super().__init__()
        self.unit = unit
        self.input = nn.Linear(d_model, d_model, bias=False)
        self.forget = nn.Linear(d_model, d_model)
        for linear in (self.input, self.forget):
            nn.init.xavier_uniform_(linear.weight)
        nn.init.zeros_(self.forget.bias)

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model), whether a view is of all target tokens or of one new token
        of every hypothesis."""
        forget = torch.sigmoid(self.forget(x))
        inputs = (1 - forget) * self.input(x)
        streams = view.recurrent_streams(self.unit)
        if len(streams) == 1:
            return relu(self._recur(streams[0], inputs, forget))
        parts = zip(streams, inputs.chunk(len(streams)), forget.chunk(len(streams)), strict=True)
        return relu(torch.cat([self._recur(*part) for part in parts]))

    def _recur(self, sequences: Sequences, inputs: Tensor, forget: Tensor) -> Tensor:
        """The states c, (N, d_model), of the tokens of a stream."""
        state = sequences.state(self)
        states = []
        for now, kept in zip(
            sequences.time_steps(inputs), sequences.time_steps(forget), strict=True
        ):
            state = now if state is None else torch.addcmul(now, kept, state[: now.shape[0]])
            states.append(state)
        if state is not None:
            sequences.keep_state(self, state)
        return sequences.in_text_order(torch.cat(states)) if states else inputs
