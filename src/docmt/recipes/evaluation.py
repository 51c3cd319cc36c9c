"""The section `evaluation` of a recipe."""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import AfterValidator

from docmt.ground import entry_points
from docmt.ground.choices import COMET_MODEL, Metric
from docmt.ground.settings import Settings
from docmt.ground.wording import did_you_mean

SENTENCE_METRICS = ("s-bleu", "multi-bleu", "mteval-v13a", "s-chrf", "ter", "comet", "doc-comet")
"""docmt's sentence-level metrics."""


def _check_metric(name: str) -> str:
    """Check that docmt or an installed package has a metric of this name; nothing is imported."""
    known = get_args(Metric)
    if name not in known:
        known += tuple(entry_points.names("docmt.metrics"))
    if name not in known:
        hint = did_you_mean(name, known) or f"known: {', '.join(known)}"
        raise ValueError(f"unknown metric, {hint}")
    return name


class EvaluationSettings(Settings):
    """Evaluation of the translations of a run."""

    metrics: tuple[Annotated[str, AfterValidator(_check_metric)], ...] = (
        "s-bleu",
        "d-bleu",
        "s-chrf",
    )
    """The scores to report: `s-bleu`, `d-bleu`, `instance-bleu`, `multi-bleu`, `mteval-v13a`,
    `s-chrf`, `d-chrf`, `ter`, `comet`, `doc-comet`, or a metric of another package. A segment is a
    document (`d-`), an instance (`instance-`), or otherwise a sentence. COMET needs `pip install
    docmt[comet]`."""

    comet_model: str = COMET_MODEL
    """Model of `comet` and `doc-comet`: a name of the Hugging Face hub, or a file `.ckpt`. Loading
    a model may run code in it. So commands on a finished run load a model other than the default
    only if it is also given as `--comet-model`; `docmt sweep` always uses the model named here."""

    lowercase: bool = False
    """Ignore the case of letters; `ter` always does."""
