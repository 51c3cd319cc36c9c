"""The section `evaluation` of a recipe."""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import AfterValidator

from docmt_files.base import entry_points
from docmt_nmt.base import plugin_groups
from docmt_nmt.base.choices import COMET_MODEL, Metric
from docmt_nmt.base.settings import Settings

SENTENCE_METRICS = ("s-bleu", "multi-bleu", "mteval-v13a", "s-chrf", "ter", "comet", "doc-comet")
"""docmt's sentence-level metrics."""


def _check_metric(name: str) -> str:
    """Check that docmt or an installed package has a metric of this name; nothing is imported."""
    own = get_args(Metric)
    if name not in own and name not in entry_points.names(plugin_groups.METRICS):
        raise ValueError(
            f"unknown metric. {entry_points.cure_of_unknown(plugin_groups.METRICS, name, own)}"
        )
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
