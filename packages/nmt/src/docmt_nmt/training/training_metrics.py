"""The numbers of a training step, and their means between two lines of the log."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


def perplexity(nll: float) -> float:
    """exp(nll) for a mean in nats, capped at a finite value."""
    return math.exp(min(nll, 700.0))


@dataclass(frozen=True, slots=True)
class StepMetrics:
    """The numbers of one training step, over all batches and processes.

    Attributes:
        loss, nll: sums over the labels, in nats.
        grad_norm: Euclidean norm of the gradient of the mean loss, before clipping.
    """

    loss: float
    nll: float
    labels: float
    grad_norm: float

    @property
    def is_finite(self) -> bool:
        """True if the step could change the weights."""
        return math.isfinite(self.loss) and math.isfinite(self.grad_norm)


@dataclass(slots=True)
class RunningMeans:
    """The means over the training steps since the last line of the log."""

    loss: float = 0.0
    nll: float = 0.0
    labels: float = 0.0
    grad_norm: float = 0.0
    started: float = field(default_factory=time.perf_counter)

    def add(self, metrics: StepMetrics) -> None:
        """Add a step."""
        self.loss += metrics.loss
        self.nll += metrics.nll
        self.labels += metrics.labels
        self.grad_norm = metrics.grad_norm

    def log_fields(self) -> dict[str, float]:
        """The fields of a log line: means per label, and the `grad_norm` of the last step."""
        labels = max(self.labels, 1.0)
        nll = self.nll / labels
        return {
            "loss": self.loss / labels,
            "nll": nll,
            "perplexity": perplexity(nll),
            "grad_norm": self.grad_norm,
            "tokens": int(self.labels),
            "tokens_per_second": round(self.labels / (time.perf_counter() - self.started), 1),
        }
