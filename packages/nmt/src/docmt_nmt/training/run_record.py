"""The record of a training: the progress and the results of the validations. A checkpoint keeps it
as `state.json`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from docmt_files.storage.json_files import read_model
from docmt_nmt.recipes.training import BestCheckpointMetric
from docmt_nmt.training.training_metrics import perplexity

CLOSED_GATES = 0.01
"""A share of the context below which a gate is closed."""


class ValidationResult(BaseModel):
    """The scores of one validation.

    Attributes:
        step: the update after which the system was validated.
        loss: mean negative log-likelihood per label, in nats.
        bleu: BLEU of the translation, where checkpoints are selected by it.
        bleu_name: name of the BLEU variant.
        attention_entropy: with `training.log_attention`, the mean entropy of each attention, in
            bits, by the attention's short name.
        context_share: the mean share of the context passed by each gate, by the gate's short name.
    """

    step: int
    loss: float
    bleu: float | None = None
    bleu_name: Literal["s-BLEU", "d-BLEU"] = "d-BLEU"
    attention_entropy: dict[str, float] = {}
    context_share: dict[str, float] = {}

    def cost(self, metric: BestCheckpointMetric) -> float:
        """Return the quantity minimized by checkpoint selection."""
        if metric == "loss":
            return self.loss
        assert self.bleu is not None, "selection by BLEU needs it at every validation"
        return -self.bleu

    def log_fields(self) -> dict[str, float | dict[str, float]]:
        """The scores as fields of a log line."""
        optional = {
            "bleu": self.bleu,
            "attention_entropy": self.attention_entropy,
            "context_share": self.context_share,
        }
        return {
            "loss": self.loss,
            "perplexity": perplexity(self.loss),
            **{name: value for name, value in optional.items() if value not in (None, {})},
        }

    @property
    def closed_gates(self) -> str | None:
        """A warning for a system whose gates let almost no context through."""
        highest = max(self.context_share.values(), default=1.0)
        if highest >= CLOSED_GATES:
            return None
        return (
            f"warning: no gate passes more than {highest:.1%} of the context: this system "
            "translates sentences, almost without the context behind its gates. In fine-tuning, "
            "initialize.new_attention: copy starts with context that is of use"
        )

    def __str__(self) -> str:
        text = f"validation loss {self.loss:.4f} · perplexity {perplexity(self.loss):.2f}"
        return text if self.bleu is None else f"{text} · {self.bleu_name} {self.bleu:.2f}"


class TrainingRecord(BaseModel):
    """Progress and validations of a training.

    Attributes:
        step: updates done.
        epoch: the current epoch, from 1.
        batches: batches done in the current epoch, over all processes.
        history: all validations so far.
        loaded: names of the parameters loaded from another run at the start.
        scaler: state of the fp16 gradient scaler; empty without one.
    """

    step: int = 0
    epoch: int = 1
    batches: int = 0
    history: list[ValidationResult] = []
    loaded: list[str] = []
    scaler: dict[str, int | float] = {}

    @classmethod
    def load(cls, path: Path, *, cure: str) -> TrainingRecord:
        """Read the record of a checkpoint.

        Args:
            cure: the advice for a file that cannot be read.

        Raises:
            InputError: the file is missing or damaged.
        """
        return read_model(path, cls, what="a valid training record", cure=cure)

    def costs(self, metric: BestCheckpointMetric) -> list[tuple[int, float]]:
        """The step and the cost of each validation."""
        return [(result.step, result.cost(metric)) for result in self.history]

    def best(self, metric: BestCheckpointMetric) -> ValidationResult | None:
        """The best validation, the first of equals; None before the first."""
        return min(self.history, key=lambda result: result.cost(metric), default=None)

    def first_is_best(self, metric: BestCheckpointMetric) -> str | None:
        """A note where the first of several validations is the best: what is validated may not be
        what is learned."""
        best = self.best(metric)
        if len(self.history) < 3 or best is not self.history[0]:
            return None
        return (
            f"note: the first validation, after step {best.step:,}, is the best of "
            f"{len(self.history):,}: the validation split may be made in another way than the "
            "training split"
        )

    def validations_since_best(self, metric: BestCheckpointMetric) -> int:
        """Number of validations in a row without a new best."""
        best = self.best(metric)
        return sum(best is not None and result.step > best.step for result in self.history)
