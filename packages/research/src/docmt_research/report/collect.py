"""Contents of a report, gathered from runs: scores, suites, the value of context, curves.

Translations and results are kept in the report's folder: they are made once, and every number can
be computed again from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import resolved, write_text
from docmt_files.storage.json_files import json_text
from docmt_nmt.data.preparation import read_split
from docmt_nmt.evaluation import (
    MetricSettings,
    Realigner,
    SystemsEvaluation,
    evaluate_systems,
    evaluation_settings,
    scored_references,
)
from docmt_nmt.evaluation.realignment_record import realign_all
from docmt_nmt.runs.open_run import open_run
from docmt_nmt.runs.run import Run
from docmt_research.analysis.attention_maps import map_attention, measure_attention
from docmt_research.analysis.attention_statistics import AttentionStatistics
from docmt_research.analysis.categories import Categories, categorize
from docmt_research.analysis.context_value import (
    ContextValue,
    context_notes,
    context_value,
    context_value_signature,
)
from docmt_research.analysis.contrastive_evaluation import SuiteResult, contrast, suite_notes
from docmt_research.analysis.contrastive_suites import Suite, detokenized
from docmt_research.analysis.value_by_category import CategoryValue, value_by_category
from docmt_research.forced_decoding.forced_decoder import ForcedDecoder
from docmt_research.forced_decoding.loading import load_forced_decoder
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from docmt_research.report.run_summaries import RunSummary, reconstructions, summary
from docmt_research.report.split_translations import Progress, read_named, translate_split

SplitName = Literal["valid", "test"]
"""The possible splits of a report."""


@dataclass(frozen=True, slots=True)
class AttentionPart:
    """Attention and gates of a run.

    Attributes:
        statistics: entropies and gates, over all documents.
        document: the id of the drawn document.
        maps: the heat maps as PNG, by kind and scope.
    """

    statistics: AttentionStatistics
    document: str
    maps: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class ReportData:
    """All contents of a report.

    Attributes:
        split: the translated split.
        languages: codes of the source and the target language.
        runs: the runs; the first is the baseline.
        references: the documents with their (first) references.
        translations: the translations of each run, by run name; of runs that translate sentence by
            sentence.
        evaluation: scores and comparisons of all runs.
        suites: for each contrastive suite the result of each run, by run name.
        context: the value of context to each run, by run name.
        attention: attention and gates of each run, by run name.
        categories: the categories of the source sentences; None if there are no lists for the
            language.
        by_category: the value of context in each category to each run, by run name.
        notes: notes for the reader besides those on scores, suites and values.
    """

    split: SplitName
    languages: tuple[str, str]
    runs: Sequence[RunSummary]
    references: Sequence[Document]
    translations: Mapping[str, Sequence[Document]]
    evaluation: SystemsEvaluation
    suites: Sequence[Mapping[str, SuiteResult]] = ()
    context: Mapping[str, Sequence[ContextValue]] = field(default_factory=dict)
    attention: Mapping[str, AttentionPart] = field(default_factory=dict)
    categories: Categories | None = None
    by_category: Mapping[str, Sequence[CategoryValue]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def all_notes(self) -> list[str]:
        """The notes for the reader, in all sections."""
        return [
            *self.notes,
            *self.evaluation.all_notes,
            *(text for suite in self.suites for text in suite_notes(suite)),
            *self.context_notes,
            *(() if self.categories is None else self.categories.notes),
        ]

    @property
    def context_notes(self) -> list[str]:
        """Notes on the values of context."""
        return context_notes(self.context, len(self.references))

    @property
    def context_signature(self) -> str:
        """Return the settings of the values of context, besides the runs."""
        return context_value_signature(self.references)


def collect(
    runs: Sequence[Path],
    folder: Path,
    *,
    split: SplitName = "test",
    metrics: Sequence[str] | None = None,
    comet_model: str | None = None,
    suites: Sequence[Suite] = (),
    detokenize: bool = False,
    contexts: Sequence[int] = (),
    drawn: str | None = None,
    translated: Mapping[str, str] | None = None,
    realign: bool = False,
    encoder: str | None = None,
    progress: Progress,
) -> ReportData:
    """Translate, score and measure.

    Args:
        runs: run directories, one or more; the others are compared with the first.
        folder: the report's; `data` in it keeps translations and results.
        split: the split of the runs' corpus, which must be the same.
        metrics: names of metrics. Default: the metrics of the first run's recipe.
        comet_model: the model of COMET; see `docmt_nmt.evaluation.evaluate_files`.
        suites: contrastive suites to evaluate the runs on.
        detokenize: whether these are tokenized as Moses does, which the runs' texts are not.
        contexts: sizes of context to find the value of.
        drawn: the id of the document for attention maps; with it, entropies and gates are measured.
        translated: files with translations of the split by other systems, by the names of these.
        realign: whether translations are free text, to be aligned with the references.
        encoder: with `realign`, the sentence encoder; see `docmt_nmt.evaluation.Realigner`.
        progress: shows the current step.

    Raises:
        InputError: a translation has other documents, a run or the corpus of a run cannot be used,
            or the runs' corpora differ.
    """
    names = run_names(runs)
    loaded = {name: open_run(path) for name, path in zip(names, runs, strict=True)}
    first = next(iter(loaded.values()))
    if drawn is not None:
        _check_attention(loaded)
    data = first.recipe.data
    languages = data.source_language, data.target_language
    references = _references(loaded, split)
    corpus = getattr(data, split)
    scored = scored_references(corpus, references, f"data.{split}")
    notes: list[str] = []
    translations = {
        name: translate_split(run, name, references, folder / "data", split, progress, notes)
        for name, run in loaded.items()
    }
    translations |= read_named(translated or {}, translations, references, realign=realign)
    chosen = MetricSettings(metrics=metrics, comet_model=comet_model)
    settings = evaluation_settings(chosen, first.directory)
    names_of_metrics = [m for m in settings.chosen_metrics if m != "instance-bleu"]
    realigner = None
    if realign:
        realigner = Realigner(scored, references, language=languages[1], encoder=encoder)
    realignments = realign_all(realigner, translations)
    if realignments:
        translations = {one.name: [*one.documents] for one in realignments}
    joined = [name for name, each in translations.items() if each[0].joined is not None]
    if joined:
        names_of_metrics = [m for m in names_of_metrics if m.startswith("d-")] or ["d-bleu"]
        which = "joins sentences" if len(joined) == 1 else "join sentences"
        notes.append(f"{', '.join(joined)} {which}, so that scores are by document.")
    evaluation = evaluate_systems(
        {name: [each] for name, each in translations.items()},
        scored,
        replace(settings, metrics=names_of_metrics, pipeline=None),
        baselines=[names[0]] if len(translations) > 1 else [],
    )
    if realigner:
        evaluation = evaluation.realigned(realigner, realignments)
    forced_decoders = {
        name: load_forced_decoder(run.directory, precision="fp32")
        for name, run in (loaded.items() if suites or contexts or drawn is not None else ())
    }
    if detokenize:
        suites = [detokenized(suite, languages) for suite in suites]
    results = [
        {
            name: _contrast(name, forced_decoder, suite, progress)
            for name, forced_decoder in forced_decoders.items()
        }
        for suite in suites
    ]
    values = {
        name: _context_value(name, forced_decoder, references, contexts, progress)
        for name, forced_decoder in (forced_decoders.items() if contexts else ())
    }
    categories = _categories(references, languages[0], notes)
    by_category = (
        {}
        if categories is None
        else {
            name: value_by_category(each, references, categories) for name, each in values.items()
        }
    )
    attention = {}
    if drawn is not None:
        document = _document(references, drawn)
        attention = {
            name: _attention(name, forced_decoder, references, document, progress)
            for name, forced_decoder in forced_decoders.items()
            if isinstance(forced_decoder, SystemForcedDecoder)
        }
    notes += reconstructions(loaded)
    report = ReportData(
        split,
        languages,
        [
            *(summary(name, run) for name, run in loaded.items()),
            *(
                RunSummary(name, path, "a translation in a file", None, {}, {})
                for name, path in (translated or {}).items()
            ),
        ],
        references,
        {name: each for name, each in translations.items() if name not in joined},
        evaluation,
        results,
        values,
        attention,
        categories,
        by_category,
        notes,
    )
    state = {
        **evaluation.to_dict(),
        "notes": report.all_notes,
        "suites": [{n: result.as_dict() for n, result in each.items()} for each in results],
        "context": {name: [v.as_dict() for v in each] for name, each in values.items()},
        "categories": None if categories is None else categories.settings,
        "context_by_category": {n: [v.as_dict() for v in each] for n, each in by_category.items()},
        "attention": {name: each.statistics.as_dict() for name, each in attention.items()},
    }
    write_text(folder / "data" / "results.json", json_text(state, indent=1) + "\n")
    return report


def run_names(runs: Sequence[Path]) -> list[str]:
    """Return names of runs: the last parts of the paths, as many as distinguish the runs.

    Raises:
        InputError: a run is given twice.
    """
    parts = [resolved(path).parts for path in runs]
    if len(set(parts)) < len(parts):
        raise InputError("a run is given twice", cure="Name each run once")
    depth = 1
    while len({parts_of_path[-depth:] for parts_of_path in parts}) < len(parts):
        depth += 1
    return ["/".join(parts_of_path[-depth:]) for parts_of_path in parts]


def _references(runs: Mapping[str, Run], split: SplitName) -> list[Document]:
    """The documents of the split, which are the same for all runs."""
    references: list[Document] = []
    for name, run in runs.items():
        if getattr(run.recipe.data, split) is None:
            raise InputError(
                f"{name}: data.{split} is missing",
                cure="Choose another `split`",
                parameters=("split",),
            )
        split_documents = list(read_split(run.recipe.data, split))
        if references and [(d.source, d.target) for d in split_documents] != [
            (d.source, d.target) for d in references
        ]:
            raise InputError(
                f"{name} has another {split} split than {next(iter(runs))}",
                cure="Compare runs on the same corpus",
            )
        references = references or split_documents
    return references


def _check_attention(runs: Mapping[str, Run]) -> None:
    """Require measurable attention in all runs."""
    for run in runs.values():
        if not run.recipe.is_trained:
            raise InputError(
                f"is a run of the translator {run.recipe.translator_name}, whose attention docmt "
                "does not see",
                path=run.directory,
                cure="Leave out `attention`, or this run",
                parameters=("attention",),
            )


def _contrast(
    name: str, forced_decoder: ForcedDecoder, suite: Suite, progress: Progress
) -> SuiteResult:
    """The result of a suite for a run, with the controls."""
    with progress(f"{name}: {suite.name}") as report:
        return contrast(forced_decoder, suite, progress=report)


def _context_value(
    name: str,
    forced_decoder: ForcedDecoder,
    references: Sequence[Document],
    contexts: Sequence[int],
    progress: Progress,
) -> list[ContextValue]:
    """Return the values of context to a run, for all context sizes of the run."""
    limit = forced_decoder.max_context
    read = [context for context in contexts if limit is None or context <= limit]
    if not read:
        return []
    with progress(f"{name}: the value of context") as report:
        return context_value(forced_decoder, references, read, progress=report)


def _categories(
    references: Sequence[Document], language: str, notes: list[str]
) -> Categories | None:
    """The categories of the source sentences, or a note about missing categories."""
    try:
        return categorize(references, language)
    except InputError:
        notes.append(f"Sentences are not categorized: docmt has no lists of words of {language}.")
        return None


def _document(references: Sequence[Document], wanted: str) -> Document:
    """The document of this id."""
    for document in references:
        if document.id == wanted:
            return document
    ids = ", ".join(document.id for document in references[:5])
    raise InputError(f"there is no document {wanted!r}", cure=f"Ids are {ids}, …")


def _attention(
    name: str,
    forced_decoder: SystemForcedDecoder,
    references: Sequence[Document],
    drawn: Document,
    progress: Progress,
) -> AttentionPart:
    """Return where a run looks."""
    from docmt_research.analysis.plots import plot_maps

    maps = map_attention(forced_decoder, drawn)
    with progress(f"{name}: attention") as report:
        statistics = measure_attention(forced_decoder, references, report)
    return AttentionPart(statistics, drawn.id, plot_maps(maps, "png"))
