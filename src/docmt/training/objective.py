"""The loss: cross-entropy with label smoothing (Szegedy et al. 2016, "Rethinking the Inception
Architecture", section 7), summed over the labels of a batch.

With p the system's distribution over V types, y the label and ε the smoothing,

    loss = −(1 − ε) log p(y) − ε/V Σ_v log p(v),  nll = −log p(y)
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

from torch import Tensor
from torch.nn.functional import log_softmax, nll_loss

from docmt.batches.packing import IGNORED


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


def losses(logits: Tensor, labels: Tensor, smoothing: float) -> Losses:
    """The losses of a batch.

    Args:
        logits: (N, V), in any floating-point format; the loss is computed in fp32.
        labels: (N,), of which those that are `IGNORED` do not count.
        smoothing: ε, from 0 to below 1.
    """
    log_probabilities = log_softmax(logits.float(), dim=-1)
    nll = nll_loss(log_probabilities, labels, ignore_index=IGNORED, reduction="sum")
    counted = labels != IGNORED
    loss = nll
    if smoothing:
        uniform = -(log_probabilities.mean(dim=-1) * counted).sum()
        loss = (1 - smoothing) * nll + smoothing * uniform
    return Losses(loss, nll.detach(), counted.sum())
