"""`evaluate_files`: scores of a translation in a file, by the settings of the run that
translated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docmt_files.base.documents import Boundaries, Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.files import PathLike
from docmt_nmt.corpora import holds_references
from docmt_nmt.evaluation.comparison import Comparison, several_comparisons
from docmt_nmt.evaluation.evaluation_notes import merged_notes
from docmt_nmt.evaluation.metric_settings import (
    DEFAULT_SETTINGS,
    DEFAULT_TEST,
    MetricSettings,
    SignificanceTest,
)
from docmt_nmt.evaluation.metrics import metric_kind
from docmt_nmt.evaluation.output_checks import input_notes
from docmt_nmt.evaluation.realignment import Realigner
from docmt_nmt.evaluation.realignment_record import Realignment, realign_all
from docmt_nmt.evaluation.run_settings import evaluation_settings
from docmt_nmt.evaluation.scores import Score
from docmt_nmt.evaluation.scoring import JOINED_METRICS, evaluate
from docmt_nmt.evaluation.segments import ParallelDocuments, References
from docmt_nmt.evaluation.significance import Comparer
from docmt_nmt.evaluation.systems import SystemsEvaluation, evaluate_systems
from docmt_nmt.evaluation.translation_files import (
    read_positions,
    read_references,
    read_translations,
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a translation.

    Attributes:
        scores: one for each metric.
        comparisons: for each baseline, one comparison for each metric, except metrics of other
            packages.
        positions: if asked for, the scores at each position of a sliding window, from the first.
        notes: notes for the reader besides those on single scores and comparisons.
        realignments: if asked for, the alignment of the translation, then of each baseline.
    """

    scores: list[Score]
    comparisons: list[Comparison]
    positions: list[list[Score]]
    notes: tuple[str, ...] = ()
    realignments: tuple[Realignment, ...] = ()

    @property
    def all_notes(self) -> list[str]:
        """All notes for the reader, with the names of the scores that they are about."""
        noted = [(score.name, score.notes) for score in self.scores]
        noted += [(comparison.name, comparison.notes) for comparison in self.comparisons]
        for position, scores in enumerate(self.positions, start=1):
            noted += [(f"{score.name} at position {position}", score.notes) for score in scores]
        of_texts = [note for one in self.realignments for note in one.notes]
        return [*merged_notes(noted), *self.notes, *of_texts]

    def to_dict(self) -> dict[str, Any]:
        """All scores and their signatures as plain values."""
        return {
            "scores": [score.to_dict() for score in self.scores],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "positions": [[score.to_dict() for score in scores] for scores in self.positions],
            "notes": list(self.notes),
            "realignments": [realignment.to_dict() for realignment in self.realignments],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSettings:
    """The run and the source of translations in files, and the form of line files.

    >>> FileSettings(run="runs/demo", boundaries="blank").boundaries
    'blank'
    """

    source: str | None = None
    """Source text: for COMET, to realign, and with `run` to add instance-BLEU."""

    run: PathLike | None = None
    """Run directory of the system that translated. The run's recipe gives the defaults of
    `metrics`, `lowercase` and `language`, and the division of documents into instances."""

    boundaries: Boundaries | None = None
    """Form in which line files show where documents begin; see `read_translations`."""

    docids: str | None = None
    """For line files, a file of document ids and sentence counts."""

    realign: bool = False
    """Whether translations are free text, to be split and aligned with the references, as
    `docmt_nmt.evaluation.realignment` does it."""

    encoder: PathLike | None = None
    """With `realign`, the sentence encoder: the folder or the name of a Hugging Face model, or the
    run directory of a Transformer. Default: words and characters are compared."""


_NO_FILES = FileSettings()


def evaluate_files(
    hypothesis: str,
    references: Sequence[str],
    settings: MetricSettings = DEFAULT_SETTINGS,
    test: SignificanceTest = DEFAULT_TEST,
    *,
    baselines: Sequence[str] = (),
    files: FileSettings = _NO_FILES,
    positions: bool = False,
) -> Evaluation:
    """Score a translation in a file against references in files.

    >>> _ = Path("test.de").write_text("Das ist ein kleiner Test.\\n")
    >>> evaluation = evaluate_files("test.de", ["test.de"], MetricSettings(metrics=["ter"]))
    >>> evaluation.scores[0].score
    0.0

    Args:
        hypothesis: the translation. One of all the files may be `-`, standard input.
        references: one file or several, each with one reference or, if it is an evaluation set,
            several.
        settings: the metrics, and how they compare text. Default metrics: the run's, or s-BLEU,
            d-BLEU and s-chrF; and instance-BLEU if `source` and `run` are given. Where sentences
            are joined: d-BLEU, instance-BLEU and d-chrF.
        test: of the comparisons.
        baselines: other systems' translations to compare with.
        files: the source, the run, and how files are read.
        positions: whether to score also every position of a sliding window; the hypothesis is then
            a file written by `docmt translate --output-format jsonl --positions`.

    Raises:
        InputError: options exclude each other, a file cannot be read, only the run's recipe names
            the COMET model, and it is not the default, or as `evaluate`.
    """
    if isinstance(references, str) or isinstance(baselines, str):
        raise InputError(
            "`references` and `baselines` are lists of files",
            cure="Give lists",
            parameters=("references", "baselines"),
        )
    _check_standard_input([hypothesis, *references, *baselines, files.source, files.docids])
    if positions and hypothesis == "-":
        raise InputError(
            "`positions` needs a file as `hypothesis`",
            cure="Write it to a file",
            parameters=("positions", "hypothesis"),
        )
    if positions and files.realign:
        raise InputError(
            "`realign` cannot be used with `positions`: each has a sentence for each of the source",
            cure="Leave one of them out",
            parameters=("realign", "positions"),
        )
    reader = _Reader(files)
    hypotheses = reader.read(hypothesis, allow_empty=True)
    expected = reader.references(references)
    settings = reader.settings(settings, hypotheses)
    others = {path: reader.read(path, allow_empty=True) for path in baselines}
    realigner = reader.realigner(expected, settings.language)
    realignments = realign_all(realigner, {hypothesis: hypotheses, **others})
    if realignments:
        hypotheses = [*realignments[0].documents]
        others = {one.name: [*one.documents] for one in realignments[1:]}
    evaluation = evaluate_with_baselines(hypotheses, expected, others, settings, test)
    if realigner:
        evaluation = replace(
            evaluation,
            scores=realigner.signed(evaluation.scores),
            comparisons=realigner.signed(evaluation.comparisons),
            realignments=realignments,
        )
    by_position = [
        evaluate(documents, expected, settings)
        for documents in (read_positions(hypothesis) if positions else ())
    ]
    notes = (*reader.notes, *evaluation.notes)
    return replace(evaluation, positions=by_position, notes=notes)


def evaluate_system_files(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str],
    settings: MetricSettings = DEFAULT_SETTINGS,
    test: SignificanceTest = DEFAULT_TEST,
    *,
    baselines: Sequence[str] = (),
    files: FileSettings = _NO_FILES,
) -> SystemsEvaluation:
    """Score several systems in files side by side.

    >>> _ = Path("test.de").write_text("Das ist ein kleiner Test.\\n")
    >>> found = evaluate_system_files({"a": ["test.de"], "b": ["test.de"]}, ["test.de"])
    >>> [score.system for score in found.scores if score.scores[0].name == "s-BLEU"]
    ['a', 'b']

    Args:
        systems: by name, a translation for each seed.
        references, settings, test, files: as for `evaluate_files`.
        baselines: the names of the systems, or files, to compare all others with.

    Raises:
        InputError: as `evaluate_files` or `evaluate_systems`.
    """
    paths = {name: list(group) for name, group in systems.items()}
    for baseline in baselines:
        if baseline not in paths and (baseline == "-" or Path(baseline).exists()):
            paths[baseline] = [baseline]
    every = [path for group in paths.values() for path in group]
    _check_standard_input([*every, *references, files.source, files.docids])
    reader = _Reader(files)
    translations = {
        name: [reader.read(path, allow_empty=True) for path in group]
        for name, group in paths.items()
    }
    documents = [document for group in translations.values() for one in group for document in one]
    settings = reader.settings(settings, documents)
    expected = reader.references(references)
    realigner = reader.realigner(expected, settings.language)
    realignments = realign_all(
        realigner,
        {
            path: documents
            for name, group in paths.items()
            for path, documents in zip(group, translations[name], strict=True)
        },
    )
    if realignments:
        aligned: dict[str, list[Document]] = {o.name: [*o.documents] for o in realignments}
        translations = {name: [aligned[path] for path in group] for name, group in paths.items()}
    found = evaluate_systems(translations, expected, settings, test, baselines=baselines)
    if realigner:
        found = found.realigned(realigner, realignments)
    return replace(found, notes=(*reader.notes, *found.notes))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads files, and notes which of them counts as a single document."""

    files: FileSettings
    _notes: dict[str, None] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes so far, each once."""
        return tuple(self._notes)

    def read(self, path: str, *, allow_empty: bool = False) -> list[Document]:
        documents = read_translations(
            path,
            boundaries=self.files.boundaries,
            docids=self.files.docids,
            allow_empty=allow_empty,
        )
        if self.files.boundaries is None and len(documents) == 1:
            text = f"{path} is one document of {counted(len(documents[0]), 'sentence')}"
            self._notes[text] = None
        return documents

    def references(self, paths: Sequence[str]) -> list[list[Document]]:
        """Each reference; an evaluation set may hold several."""
        return [
            documents
            for path in paths
            for documents in (
                read_references([path]) if holds_references(path) else [self.read(path)]
            )
        ]

    def settings(
        self, settings: MetricSettings, translations: Sequence[Document]
    ) -> MetricSettings:
        """The settings for these translations, by the run if there is one."""
        files = self.files
        joined = any(document.joined is not None for document in translations)
        if files.run is None and joined and not settings.metrics and not files.realign:
            settings = replace(settings, metrics=JOINED_METRICS)
        source = files.source
        read_source = None if source is None else lambda: self.read(source)
        return evaluation_settings(settings, files.run, read_source)

    def realigner(
        self, references: Sequence[Sequence[Document]], language: str | None
    ) -> Realigner | None:
        """What realigns translations, if they are to be realigned."""
        files = self.files
        if not files.realign:
            if files.encoder is not None:
                raise InputError(
                    "`encoder` has no effect without `realign`",
                    cure="Leave it out",
                    parameters=("encoder", "realign"),
                )
            return None
        sources = None if files.source is None else self.read(files.source)
        return Realigner(references, sources, language=language, encoder=files.encoder)


def _check_standard_input(paths: Sequence[str | None]) -> None:
    """Allow standard input for one file at most."""
    if paths.count("-") > 1:
        raise InputError("only one file can be standard input", cure="Name the others")


def evaluate_with_baselines(
    hypotheses: Sequence[Document],
    references: References,
    baselines: Mapping[str, Sequence[Document]],
    settings: MetricSettings = DEFAULT_SETTINGS,
    test: SignificanceTest = DEFAULT_TEST,
) -> Evaluation:
    """Score a translation, and compare it with others of the same documents.

    >>> reference = [Document("1", ("A small test.",), ("Das ist ein kleiner Test.",))]
    >>> ours = [reference[0].translated(["Das ist ein kleiner Fest."])]
    >>> settings = MetricSettings(metrics=["ter"])
    >>> found = evaluate_with_baselines(ours, reference, {"the reference": reference}, settings)
    >>> [(one.baseline_name, one.difference) for one in found.comparisons]
    [('the reference', 20.0)]

    Args:
        hypotheses: the translation.
        references: one reference or several.
        baselines: the other translations, by their names.
        settings: as for `evaluate`. Metrics of other packages are not compared.
        test: of the comparisons.

    Raises:
        InputError: as `evaluate` or `compare`, or there is a baseline but all metrics are of other
            packages.
    """
    metrics = settings.chosen_metrics
    compared = [name for name in metrics if metric_kind(name).custom is None]
    if baselines and not compared:
        raise InputError(
            "`baselines` cannot compare by metrics of other packages",
            cure="Add `metrics=s-bleu`",
            parameters=("baselines", "metrics=s-bleu"),
        )
    if test.resample is not None and not baselines:
        raise InputError(
            "`resample` has no effect without `baselines`",
            cure="Leave it out",
            parameters=("resample", "baselines"),
        )
    scores = evaluate(hypotheses, references, settings)
    comparisons, notes = [], []
    if baselines:
        names = {f"the baseline {name}": name for name in baselines}
        given = {name: [baselines[path]] for name, path in names.items()}
        comparer = Comparer(
            {"the translation": [hypotheses], **given},
            references,
            replace(settings, metrics=compared, comet=settings.comet_scorer),
            test,
        )
        comparisons = [
            replace(comparison, baseline_name=path)
            for name, path in names.items()
            for comparison in comparer.compare("the translation", name)
        ]
        for name, documents in given.items():
            parallel = ParallelDocuments.of(documents[0], references, name=name)
            found = input_notes(parallel, lowercase=bool(settings.lowercase))
            notes += [f"{name}: {text}" for text in found]
    if len(baselines) > 1:
        notes.append(several_comparisons(counted(len(baselines), "baseline")))
    return Evaluation(scores, comparisons, positions=[], notes=tuple(notes))
