"""`evaluate`: from translations and references to scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from docmt_files.base.documents import Document
from docmt_nmt.evaluation.metric_settings import DEFAULT_SETTINGS, MetricSettings
from docmt_nmt.evaluation.metrics import (
    CustomMetric,
    Kind,
    build_metric,
    check_tokenizer_fits,
    metric_kind,
)
from docmt_nmt.evaluation.output_checks import input_notes
from docmt_nmt.evaluation.scores import Score
from docmt_nmt.evaluation.segments import ParallelDocuments, References, target_sentences

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEUScore

JOINED_METRICS = ("d-bleu", "instance-bleu", "d-chrf")
"""The metrics for a translation with joined sentences, without scores by sentence."""


def evaluate(
    hypotheses: Sequence[Document],
    references: References,
    settings: MetricSettings = DEFAULT_SETTINGS,
) -> list[Score]:
    """Score the target sides of documents against reference documents.

    >>> reference = [Document("1", ("A small test.",), ("Das ist ein kleiner Test.",))]
    >>> translation = [reference[0].translated(["Das ist ein kleines Test."])]
    >>> print(*evaluate(translation, reference, MetricSettings(metrics=["ter"])))
    TER 20.00 · docs 1 · sents 1 · unit sentence · nrefs:1|case:lc|tok:tercom|...

    Args:
        hypotheses: the translations. Sentences may be empty; the score says how many are.
        references: the same documents in the same order, or several such lists.
        settings: the metrics, and how text is compared. Default metrics: s-BLEU, d-BLEU and s-chrF.

    Returns:
        One score for each metric, in order.

    Raises:
        InputError: hypotheses and references do not match (naming both counts and the first
            differing document), a reference sentence is empty, a metric compares sentences and the
            sentences are joined, or a metric or tokenizer is unknown or not installed.
    """
    kinds = [metric_kind(name) for name in settings.chosen_metrics]
    parallel = ParallelDocuments.of(hypotheses, references, settings.instances)
    tokenized = settings.tokenize != "none" and looks_tokenized(_sentences(parallel.hypothesis))
    notes = tuple(input_notes(parallel, settings.sources, lowercase=bool(settings.lowercase)))
    scores = [_score(kind, parallel, settings, tokenized=tokenized) for kind in kinds]
    return [replace(score, notes=(*notes, *score.notes)) for score in scores]


def _score(
    kind: Kind, parallel: ParallelDocuments, settings: MetricSettings, *, tokenized: bool
) -> Score:
    """The score by one metric."""
    if kind.custom is not None:
        lowercase = bool(settings.lowercase)
        return _build_score(kind, parallel, *_custom_score(kind.custom, parallel, lowercase))
    if kind.family == "COMET":
        computed, notes = settings.comet_scorer.statistics(
            parallel, settings.sources, document_level=kind.name == "doc-COMET"
        )
        score = _build_score(
            kind, parallel, computed.score, len(computed.counts), computed.signature
        )
        return replace(score, notes=tuple(notes))
    translated, expected = parallel.segments(kind.unit)
    check_tokenizer_fits(kind, settings, expected)
    result, signature = build_metric(kind, settings).corpus_score(translated, expected)
    score = _build_score(kind, parallel, result.score, len(translated), signature)
    from sacrebleu.metrics.bleu import BLEUScore

    if isinstance(result, BLEUScore):
        score = _with_bleu_details(score, result, tokenized=tokenized)
    return score


def _build_score(
    kind: Kind, parallel: ParallelDocuments, score: float, segments: int, settings: str
) -> Score:
    """A score of these documents."""
    return Score(
        name=kind.name,
        score=score,
        documents=len(parallel.hypothesis),
        sentences=parallel.sentences,
        unit=kind.unit,
        segments=segments,
        settings=settings,
        empty=parallel.empty,
        lower_is_better=kind.lower_is_better,
    )


def _custom_score(
    metric: CustomMetric, parallel: ParallelDocuments, lowercase: bool
) -> tuple[float, int, str]:
    """The score of a metric of another package, the number of segments, and the settings."""
    translated, expected = parallel.segments(metric.unit)
    if lowercase:
        translated = [segment.lower() for segment in translated]
        expected = [[segment.lower() for segment in reference] for reference in expected]
    score = float(metric.score(translated, expected))
    case = "lc" if lowercase else "mixed"
    return score, len(translated), f"nrefs:{len(expected)}|case:{case}|{metric.settings}"


def _with_bleu_details(score: Score, result: BLEUScore, *, tokenized: bool) -> Score:
    """Add the details of BLEU, and notes on reasons for a misleading BLEU score."""
    notes = []
    if result.totals[-1] == 0:
        notes.append("no translated segment has four tokens, so BLEU is 0 by definition")
    elif result.counts[-1] == 0:
        what = "0 by definition" if score.name == "multi-BLEU" else "smoothed"
        notes.append(f"no 4-gram matches a reference, so BLEU is {what}")
    if tokenized:
        notes.append(
            "many translated sentences end in a space and a full stop, so they look tokenized; "
            "BLEU expects text that is not"
        )
    return replace(
        score,
        precisions=tuple(result.precisions),
        brevity_penalty=result.bp,
        hypothesis_length=result.sys_len,
        reference_length=result.ref_len,
        notes=tuple(notes),
    )


def looks_tokenized(sentences: Sequence[str]) -> bool:
    """Return whether more than a tenth of the sentences end in a space and a full stop.

    >>> looks_tokenized(["He waits .", "Who is it ?"])
    True
    """
    return 10 * sum(s.rstrip().endswith(" .") for s in sentences) > len(sentences)


def _sentences(documents: Sequence[Document]) -> list[str]:
    return [sentence for document in documents for sentence in target_sentences(document)]
