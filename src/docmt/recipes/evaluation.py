"""The section `evaluation` of a recipe."""

from __future__ import annotations

from typing import Literal

from docmt.settings import Settings


class EvaluationSettings(Settings):
    """How the translations of a run are evaluated."""

    metrics: tuple[Literal["s-bleu", "d-bleu", "instance-bleu", "s-chrf", "d-chrf", "ter"], ...] = (
        "s-bleu",
        "d-bleu",
        "s-chrf",
    )
    """The scores to report. The unit that is scored as one segment is a sentence (`s-`, `ter`), a
    document (`d-`) or an instance (`instance-`)."""

    lowercase: bool = False
    """Ignore the case of letters."""
