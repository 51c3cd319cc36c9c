"""`evaluate_where`: scores of translations on sentences that may need the sentences before them,
and on the rest.

The sentences are put into categories by the source (`docmt_research.analysis.categories`), and the
metrics of sentences are computed on each category. As everywhere in discourse, whole documents are
swapped and drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Boundaries
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_nmt.evaluation.comparison import Comparison, compare_statistics, several_comparisons
from docmt_nmt.evaluation.metric_settings import MetricSettings, SignificanceTest
from docmt_nmt.evaluation.metrics import METRICS, Kind, metric_kind
from docmt_nmt.evaluation.realignment_record import Realignment
from docmt_nmt.evaluation.resampling import SEED, interval
from docmt_nmt.evaluation.segments import ParallelDocuments, check_same_documents
from docmt_nmt.evaluation.significance import segment_statistics
from docmt_nmt.evaluation.statistics import Statistics
from docmt_research.analysis.categories import Categories, CategorySettings, categorize
from docmt_research.discourse.discourse_sides import read_sides

ALL = "all sentences"

_FEW_DOCUMENTS = 20
"""Fewer documents than this say little about others."""

_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """The score of a translation on the sentences of a category.

    Attributes:
        category: the name of the category.
        sentences, documents: number of sentences, and number of documents with them.
        metric: the name of the metric.
        system: the file of the translation.
        score: by the metric.
        low, high: the ends of the 95 % interval of the score, by bootstrap resampling of documents.
        comparison: of the hypothesis with this translation, if it is a baseline.
    """

    category: str
    sentences: int
    documents: int
    metric: str
    system: str
    score: float
    low: float
    high: float
    comparison: Comparison | None = None

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values."""
        compared = None if self.comparison is None else self.comparison.to_dict()
        return {
            "category": self.category,
            "sentences": self.sentences,
            "documents": self.documents,
            "metric": self.metric,
            "system": self.system,
            "score": self.score,
            "low": self.low,
            "high": self.high,
            "comparison": compared,
        }


@dataclass(frozen=True, slots=True)
class WhereEvaluation:
    """The scores of translations by category.

    Attributes:
        scores: by category, metric and translation, in this order.
        settings: the settings of the categories; see `Categories.settings`.
        signatures: of each metric.
        notes: notes for the reader.
        realignments: if asked for, the alignment of each translation.
    """

    scores: Sequence[CategoryScore]
    settings: str
    signatures: Sequence[str]
    notes: Sequence[str] = ()
    realignments: Sequence[Realignment] = ()

    def to_dict(self) -> dict[str, Any]:
        """All scores as plain values."""
        return {
            "scores": [score.to_dict() for score in self.scores],
            "settings": self.settings,
            "signatures": list(self.signatures),
            "notes": list(self.notes),
            "realignments": [realignment.to_dict() for realignment in self.realignments],
        }


def evaluate_where(
    hypothesis: str,
    references: Sequence[str],
    *,
    languages: tuple[str, str],
    source: str | None = None,
    baselines: Sequence[str] = (),
    metrics: Sequence[str] | None = None,
    settings: CategorySettings | None = None,
    tokenized: bool = False,
    lowercase: bool = False,
    boundaries: Boundaries | None = None,
    docids: str | None = None,
    realign: bool = False,
    encoder: str | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> WhereEvaluation:
    """Score translations in files on the sentences of each category.

    Args:
        hypothesis: the file of the translation. One of all the files may be `-`, standard input.
        references: the files of the references.
        languages: the codes of the source and of the target language.
        source: the file of the source. Default: the source side of the translation's file.
        baselines: the files of other translations, with which the first is compared.
        metrics: metrics of sentences, except for COMET. Default: s-BLEU and s-chrF.
        settings: the settings of the categories.
        tokenized: whether the words of the source are already divided by spaces.
        lowercase: whether to score without regard to case.
        boundaries, docids: how line files show where documents begin; see `read_translations`.
        realign, encoder: whether and how to align free translations with the first reference; see
            `Realigner`.
        note: called with each message to the user about the files.

    Raises:
        InputError: a file cannot be read or is missing, the documents do not have the same
            sentences, a metric is unknown or not of sentences, or as `categorize`.
    """
    kinds = [_sentence_metric(name) for name in metrics or ("s-bleu", "s-chrf")]
    if not references:
        raise InputError(
            "there is no reference to score against",
            cure="Add `references=FILE`",
            parameters=("references=FILE",),
        )
    sides = read_sides(
        hypothesis,
        references,
        source=source,
        baselines=baselines,
        boundaries=boundaries,
        docids=docids,
        note=note,
        realign=realign,
        encoder=encoder,
        language=languages[1],
    )
    if sides.source is None:
        raise InputError(
            "there is no source to categorize",
            cure="Add `source=FILE`",
            parameters=("source=FILE",),
        )
    for path, documents in sides.translated.items():
        check_same_documents(sides.source, documents, ("the source", path))
    categories = categorize(sides.source, languages[0], settings, tokenized=tokenized)
    counted_by = MetricSettings(lowercase=lowercase, language=languages[1])
    parallel = {
        path: ParallelDocuments.of(documents, sides.references, name=path)
        for path, documents in sides.translated.items()
    }
    tables = {
        kind: {path: segment_statistics(kind, one, counted_by) for path, one in parallel.items()}
        for kind in kinds
    }
    everything = np.ones(len(categories.documents), bool)
    scores = [
        score
        for name, members in {**categories.members, ALL: everything}.items()
        if members.any()
        for kind, by_path in tables.items()
        for score in _scores(kind, by_path, _Part(name, members, categories.documents))
    ]
    aligned = f"|{sides.realigner.settings}" if sides.realigner else ""
    signatures = [
        f"{kind.name}: {next(iter(by_path.values())).signature}{aligned}"
        for kind, by_path in tables.items()
    ]
    notes = _notes(categories, scores, len(sides.source))
    return WhereEvaluation(scores, categories.settings, signatures, notes, sides.realignments)


def _sentence_metric(name: str) -> Kind:
    """A metric of sentences.

    Raises:
        InputError: it is not, or is unknown.
    """
    kind = metric_kind(name)
    if kind.custom is not None or kind.unit != "sentence" or kind.family == "COMET":
        known = [
            name
            for name, one in METRICS.items()
            if one.unit == "sentence" and one.family != "COMET"
        ]
        raise InputError(
            f"{kind.name} cannot be computed on some of the sentences of documents",
            cure=f"Choose from {', '.join(known)}",
        )
    return kind


@dataclass(frozen=True, slots=True)
class _Part:
    """The sentences of a category: the name, the indices among all sentences, and the document of
    every sentence."""

    name: str
    members: NDArray[np.bool_]
    documents: NDArray[np.int64]

    def statistics(self, of_sentences: Statistics) -> Statistics:
        """Return the statistics of the sentences of the category, by document."""
        _, sizes = np.unique(self.documents[self.members], return_counts=True)
        counts = of_sentences.counts[self.members]
        rows = Statistics(counts, of_sentences.scores, of_sentences.signature)
        return rows.grouped(sizes.tolist())


def _scores(kind: Kind, by_path: dict[str, Statistics], part: _Part) -> list[CategoryScore]:
    """The scores of all translations on the sentences of a category."""
    tables = {path: part.statistics(documents) for path, documents in by_path.items()}
    first, *baselines = tables
    comparisons = {
        path: compare_statistics(
            kind.name,
            [tables[first]],
            [tables[path]],
            unit="sentence",
            resampled="document",
            baseline_name=path,
            test=SignificanceTest(resamples=_RESAMPLES),
            lower_is_better=kind.lower_is_better,
        )
        for path in baselines
    }
    sentences = int(part.members.sum())
    return [
        CategoryScore(
            part.name,
            sentences,
            len(documents.counts),
            kind.name,
            path,
            documents.score,
            *interval([documents], _RESAMPLES, SEED),
            comparisons.get(path),
        )
        for path, documents in tables.items()
    ]


def _notes(
    categories: Categories, scores: Sequence[CategoryScore], documents: int
) -> tuple[str, ...]:
    """Return notes for the reader."""
    notes = [*categories.notes]
    if documents < _FEW_DOCUMENTS:
        notes.append(
            f"only {counted(documents, 'document')} to resample; with fewer than {_FEW_DOCUMENTS}, "
            "the intervals are too narrow and p is coarse"
        )
    compared = sum(score.comparison is not None for score in scores)
    if compared > 1:
        notes.append(several_comparisons(counted(compared, "comparison")))
    return tuple(notes)
