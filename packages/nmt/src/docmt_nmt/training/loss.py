"""The loss: cross-entropy with label smoothing (Szegedy et al. 2016, "Rethinking the Inception
Architecture", section 7), summed over the labels of a batch.

With p the system's distribution over V vocabulary entries, y the label and ε the smoothing,

    loss = −(1 − ε) log p(y) − ε/V Σ_v log p(v),  nll = −log p(y)

and the gradient of the loss by the logit of entry v is p(v) − (1 − ε) [v = y] − ε/V. Logits are
computed for a chunk of positions at a time and turned into gradients at once: the logits of a whole
batch never exist together.

The loss of context sentences, all sentences of an instance but the last, may be discounted: with
L_last the loss of the last sentence and L_context the loss of the others, the loss is L_last + w ·
L_context (Lupo et al. 2022, "Focused Concatenation for Context-Aware Neural Machine Translation",
Eq. 3).

Shapes: N target positions of a batch, C of a chunk, D d_model, V vocabulary size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from docmt_nmt.nn.autocast import in_autocast_format
from docmt_nmt.nn.batch import IGNORED, Batch
from docmt_nmt.systems import System

MAX_LOGITS = 2**22
"""Maximum number of logits computed at a time."""


class Losses(NamedTuple):
    """Sums over the labels of a batch, in nats.

    Attributes:
        loss: () quantity minimized by training.
        nll: () negative log-likelihood of the labels, without smoothing and without gradient.
        labels: () number of labels.
    """

    loss: Tensor
    nll: Tensor
    labels: Tensor


class Loss(nn.Module):
    """A system and the loss as one module: from a batch to the losses.

    Args:
        smoothing: ε, from 0 to below 1.
        context_weight: w, of the labels of all but the last sentence of an instance.
    """

    def __init__(self, system: System, smoothing: float, context_weight: float = 1.0) -> None:
        super().__init__()
        self.system, self.smoothing, self.context_weight = system, smoothing, context_weight

    def forward(self, batch: Batch) -> Losses:
        """The losses of a batch."""
        states = self.system.states(batch)
        weight, bias = self.system.output_weight, self.system.output_bias
        label_weights = None
        if self.context_weight != 1:
            in_last = batch.target.in_last_sentence
            label_weights = torch.where(in_last, 1.0, self.context_weight)
        return smoothed_cross_entropy(
            states, weight, batch.labels, self.smoothing, bias, label_weights
        )


def smoothed_cross_entropy(
    states: Tensor,
    weight: Tensor,
    labels: Tensor,
    smoothing: float,
    bias: Tensor | None = None,
    label_weights: Tensor | None = None,
) -> Losses:
    """The losses of the output layer's logits, states · weightᵀ + bias.

    Args:
        states: (N, D); the logits are computed in this format or autocast's, the loss in fp32.
        weight: (V, D) of the output layer.
        labels: (N,) token ids; `IGNORED` labels do not count.
        smoothing: ε, from 0 to below 1.
        bias: (V,) of the output layer.
        label_weights: (N,) factors on the loss of each label; the nll has no factors.
    """
    states, weight = in_autocast_format(states), in_autocast_format(weight)
    loss, nll = _ChunkedCrossEntropy.apply(  # type: ignore[no-untyped-call]
        states, weight, bias, labels, smoothing, label_weights
    )
    return Losses(loss, nll, (labels != IGNORED).sum())


class _ChunkedCrossEntropy(torch.autograd.Function):
    """Loss and nll; the forward pass computes the gradients too."""

    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        labels: Tensor,
        smoothing: float,
        label_weights: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """The sums over the labels, () each."""
        needs_grad = any(ctx.needs_input_grad)
        loss, nll = states.new_zeros(2, dtype=torch.float32)
        d_states = []
        # In fp32, because it is a sum over many chunks.
        d_weight = torch.zeros(weight.shape, device=weight.device) if needs_grad else None
        d_bias = None if bias is None else torch.zeros_like(bias)
        size = max(1, MAX_LOGITS // len(weight))
        counts = (labels != IGNORED)[:, None]  # (N, 1)
        weights = counts if label_weights is None else counts * label_weights[:, None]  # (N, 1)
        for chunk, chunk_labels, counted, weighed in zip(
            *(torch.split(x, size) for x in (states, labels, counts, weights)), strict=True
        ):
            index = chunk_labels[:, None].clamp(min=0)  # (C, 1)
            logits = chunk @ weight.T if bias is None else chunk @ weight.T + bias
            log_p = logits.log_softmax(dim=1, dtype=torch.float32)  # (C, V)
            nlls = -log_p.gather(1, index)  # (C, 1)
            uniform = -log_p.mean(dim=1, keepdim=True)  # (C, 1)
            nll += (nlls * counted).sum()
            loss += (((1 - smoothing) * nlls + smoothing * uniform) * weighed).sum()
            if d_weight is not None:
                d_logits = log_p.exp_().sub_(smoothing / len(weight))
                d_logits.scatter_add_(1, index, d_logits.new_full(index.shape, smoothing - 1))
                d_logits = d_logits.mul_(weighed)
                if d_bias is not None:
                    d_bias += d_logits.sum(0)
                d_logits = d_logits.to(chunk.dtype)
                d_states.append(d_logits @ weight)
                d_weight += d_logits.T @ chunk
        if d_weight is not None:
            ctx.save_for_backward(torch.cat(d_states), d_weight.to(weight.dtype), d_bias)
        ctx.mark_non_differentiable(nll)
        return loss, nll

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_loss: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of the forward pass, scaled by the gradient of the loss, ()."""
        d_states, d_weight, d_bias = ctx.saved_tensors
        d_bias = None if d_bias is None else d_bias * d_loss
        return d_states * d_loss, d_weight * d_loss, d_bias, None, None, None
