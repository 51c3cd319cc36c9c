"""Gates between the own state of a token and the context of the token. `docmt_nmt.nn.recording`
records the values of these gates.

Shapes: N tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from docmt_nmt.nn.recording import Passes, active_recorder


class GateProjection(nn.Linear):
    """W and b of a gate over a number of parts, (N, d_model) each.

    Args:
        d_model: the size of the states.
        parts: the number of parts.
        bias: whether there is a b.
        passes: the part that a gate of 1 lets through, as `gate` is told.
    """

    def __init__(
        self, d_model: int, *, parts: int = 2, bias: bool = True, passes: Passes = "own"
    ) -> None:
        super().__init__(parts * d_model, d_model, bias=bias)
        self.passes = passes
        nn.init.xavier_uniform_(self.weight)
        if bias:
            nn.init.zeros_(self.bias)

    def start_at(self, bias: float) -> None:
        """Set W to 0 and b to a bias with which the share σ(bias) of the own state passes."""
        nn.init.zeros_(self.weight)
        nn.init.constant_(self.bias, bias if self.passes == "own" else -bias)


def gate(
    linear: nn.Module, *parts: Tensor, passes: Passes, has_context: Tensor | None = None
) -> Tensor:
    """The gate σ(W [parts] + b).

    Args:
        linear: W and b; the record has the name of this module.
        parts: (N, d) each.
        passes: the part that a gate of 1 lets through.
        has_context: (N,) the tokens with context; default: all. The gates of other tokens have no
            effect, and are not recorded.

    Returns:
        (N, d_model)
    """
    values = torch.sigmoid(linear(torch.cat(parts, dim=-1)))
    if (recorder := active_recorder()) is not None and recorder.wants_gates:
        recorder.add_gate(linear, passes, values if has_context is None else values[has_context])
    return values


def gated_sum(
    linear: nn.Module,
    own: Tensor,
    context: Tensor,
    has_context: Tensor,
    *,
    norm: nn.Module | None = None,
) -> Tensor:
    """λ ⊙ own + (1 − λ) ⊙ context with λ = σ(W [own; context] + b), and own for a token without
    context.

    Args:
        linear: W and b.
        own, context: (N, d_model)
        has_context: (N,) which tokens have any.
        norm: normalizes the sum, if anything does.

    Returns:
        (N, d_model)
    """
    share = gate(linear, own, context, passes="own", has_context=has_context)
    mixed = share * own + (1 - share) * context
    return torch.where(has_context[:, None], mixed if norm is None else norm(mixed), own)
