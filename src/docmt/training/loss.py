"""The loss: cross-entropy with label smoothing (Szegedy et al. 2016, "Rethinking the Inception
Architecture", section 7), summed over the labels of a batch.

With p the system's distribution over V types, y the label and ε the smoothing,

    loss = −(1 − ε) log p(y) − ε/V Σ_v log p(v),  nll = −log p(y)

and the gradient of the loss by the logit of type v is p(v) − (1 − ε) [v = y] − ε/V. Logits are
made for some rows at a time and at once turned into gradients, so that they never exist together.

Shapes: N rows of a batch, R of a chunk, W d_model, V types.
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from docmt.nn.autocast import in_autocast_format
from docmt.nn.batch import IGNORED, Batch
from docmt.systems import System

LOGITS = 2**22
"""Logits that exist at a time."""


def perplexity(nll: float) -> float:
    """exp(nll) of a mean in nats, kept below what a number can hold."""
    return exp(min(nll, 700.0))


class Losses(NamedTuple):
    """Sums over the labels of a batch, in nats.

    Attributes:
        loss: () what training lowers.
        nll: () negative log-likelihood of the labels, without smoothing and without gradient.
        labels: () how many labels there are.
    """

    loss: Tensor
    nll: Tensor
    labels: Tensor


class Loss(nn.Module):
    """A system as training calls it: from a batch to its losses.

    Args:
        system: what learns.
        smoothing: ε, from 0 to below 1.
    """

    def __init__(self, system: System, smoothing: float) -> None:
        super().__init__()
        self.system, self.smoothing = system, smoothing

    def forward(self, batch: Batch) -> Losses:
        """The losses of a batch."""
        states = self.system.states(batch)
        system = self.system
        return losses(
            states, system.output_weight, batch.labels, self.smoothing, system.output_bias
        )


def losses(
    states: Tensor, weight: Tensor, labels: Tensor, smoothing: float, bias: Tensor | None = None
) -> Losses:
    """The losses of a batch.

    Args:
        states: (N, W); logits are computed in their format or that of autocast, the loss in fp32.
        weight: (V, W), which scores them.
        labels: (N,), of which those that are `IGNORED` do not count.
        smoothing: ε, from 0 to below 1.
        bias: (V,), which is added to the scores.
    """
    states, weight = in_autocast_format(states), in_autocast_format(weight)
    loss, nll = ChunkedLoss.apply(states, weight, bias, labels, smoothing)  # type: ignore[no-untyped-call]
    return Losses(loss, nll, (labels != IGNORED).sum())


class ChunkedLoss(torch.autograd.Function):
    """Loss and nll; the gradients are made on the way."""

    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        labels: Tensor,
        smoothing: float,
    ) -> tuple[Tensor, Tensor]:
        """The sums over the labels, () each."""
        learning = any(ctx.needs_input_grad)
        loss, nll = states.new_zeros(2, dtype=torch.float32)
        d_states = []
        # Sums over many chunks need the longer format.
        d_weight = torch.zeros(weight.shape, device=weight.device) if learning else None
        d_bias = None if bias is None else torch.zeros_like(bias)
        size = max(1, LOGITS // len(weight))
        for rows, row_labels in zip(
            torch.split(states, size), torch.split(labels, size), strict=True
        ):
            counted = (row_labels != IGNORED)[:, None]  # (R, 1)
            places = row_labels[:, None].clamp(min=0)  # (R, 1)
            scores = rows @ weight.T if bias is None else rows @ weight.T + bias
            logs = scores.log_softmax(dim=1, dtype=torch.float32)  # (R, V)
            row_nll = -(logs.gather(1, places) * counted).sum()
            uniform = -(logs.mean(dim=1, keepdim=True) * counted).sum()
            nll += row_nll
            loss += (1 - smoothing) * row_nll + smoothing * uniform
            if d_weight is not None:
                slope = logs.exp_().sub_(smoothing / len(weight))
                slope.scatter_add_(1, places, slope.new_full(places.shape, smoothing - 1))
                slope = slope.mul_(counted)
                if d_bias is not None:
                    d_bias += slope.sum(0)
                slope = slope.to(rows.dtype)
                d_states.append(slope @ weight)
                d_weight += slope.T @ rows
        if d_weight is not None:
            ctx.save_for_backward(torch.cat(d_states), d_weight.to(weight.dtype), d_bias)
        ctx.mark_non_differentiable(nll)
        return loss, nll

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients, by how much the loss counts."""
        d_states, d_weight, d_bias = ctx.saved_tensors
        d_bias = None if d_bias is None else d_bias * scale
        return d_states * scale, d_weight * scale, d_bias, None, None
