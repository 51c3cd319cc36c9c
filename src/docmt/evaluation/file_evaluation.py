"""`evaluate_files`: scores of a translation in a file, by the settings of the run that made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.choices import COMET_MODEL, ResampledUnit
from docmt.corpora import holds_references
from docmt.documents import Boundaries, Document
from docmt.errors import InputError
from docmt.evaluation.comet import Comet
from docmt.evaluation.comparison import Comparison, several_comparisons
from docmt.evaluation.metrics import MetricSettings, metric_kind
from docmt.evaluation.output_checks import input_notes
from docmt.evaluation.scores import Score
from docmt.evaluation.scoring import DEFAULT_METRICS, JOINED_METRICS, evaluate
from docmt.evaluation.segments import ParallelDocuments, References
from docmt.evaluation.significance import Comparer
from docmt.evaluation.systems import SystemsEvaluation, evaluate_systems
from docmt.evaluation.translation_files import read_positions, read_references, read_translations
from docmt.files import PathLike
from docmt.wording import counted

if TYPE_CHECKING:
    from docmt.runs import Run


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a translation.

    Attributes:
        scores: one for each metric.
        comparisons: for each baseline, one for each metric but those of other packages.
        positions: if asked for, the scores at each position of a sliding window, from the first.
    """

    scores: list[Score]
    comparisons: list[Comparison]
    positions: list[list[Score]]

    def to_dict(self) -> dict[str, Any]:
        """All scores and their signatures as plain values."""
        return {
            "scores": [score.to_dict() for score in self.scores],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "positions": [[score.to_dict() for score in scores] for scores in self.positions],
        }


def evaluate_files(
    hypothesis: str,
    references: Sequence[str],
    *,
    baselines: Sequence[str] = (),
    source: str | None = None,
    run: PathLike | None = None,
    boundaries: Boundaries | None = None,
    docids: str | None = None,
    metrics: Sequence[str] | None = None,
    lowercase: bool | None = None,
    tokenize: str | None = None,
    language: str | None = None,
    comet_model: str | None = None,
    resample: ResampledUnit | None = None,
    positions: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> Evaluation:
    """Score a translation in a file against references in files.

    Args:
        hypothesis: the translation. One of all the files may be `-`, standard input.
        references: one file or several, each with one reference or, if it is an evaluation set,
            several.
        baselines: other systems' translations to compare with.
        source: the source, for COMET and instance-BLEU; for the latter it is cut into instances as
            `run` cuts it.
        run: the run that translated. Its recipe gives the defaults of the settings below.
        boundaries: how line files show where documents begin; see `read_translations`.
        docids: for line files, a file of document ids and sentence counts.
        metrics: see `evaluate`. Default: the run's, or s-BLEU, d-BLEU and s-chrF; and instance-BLEU
            if `source` and `run` are given. Where sentences are joined: d-BLEU, instance-BLEU and
            d-chrF.
        lowercase: whether to score without regard to case. Default: the run's, or not.
        tokenize: sacrebleu's tokenizer for BLEU. Default: by language.
        language: code of the target language. Default: the run's.
        comet_model: the model of COMET. Default: `docmt.choices.COMET_MODEL`. Loading a model may
            run code in it, so another one that only the run's recipe names is an error.
        resample: what comparisons resample; see `compare`.
        positions: whether to score also every position of a sliding window; the hypothesis is then
            what `docmt translate --output-format jsonl --positions` wrote.
        note: called with each thing that a user should know about the files.

    Raises:
        InputError: options exclude each other, a file cannot be read, or as `evaluate`.
    """
    _check_standard_input([hypothesis, *references, *baselines, source, docids])
    if positions and hypothesis == "-":
        raise InputError("`positions` needs a file as `hypothesis`", cure="Write it to a file")
    files = _Files(boundaries, docids, note)
    hypotheses = files.read(hypothesis, allow_empty=True)
    expected = files.references(references)
    if run is None and any(document.joined is not None for document in hypotheses):
        metrics = metrics or JOINED_METRICS
    settings = evaluation_settings(
        run,
        None if source is None else lambda: files.read(source),
        metrics=metrics,
        lowercase=lowercase,
        language=language,
        comet_model=comet_model,
    )
    settings["tokenize"] = tokenize
    others = {path: files.read(path, allow_empty=True) for path in baselines}
    evaluation = evaluate_with_baselines(
        hypotheses, expected, others, resample=resample, note=note, **settings
    )
    by_position = [
        evaluate(documents, expected, **settings)
        for documents in (read_positions(hypothesis) if positions else ())
    ]
    return replace(evaluation, positions=by_position)


def evaluate_system_files(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str],
    *,
    baselines: Sequence[str] = (),
    source: str | None = None,
    run: PathLike | None = None,
    boundaries: Boundaries | None = None,
    docids: str | None = None,
    metrics: Sequence[str] | None = None,
    lowercase: bool | None = None,
    tokenize: str | None = None,
    language: str | None = None,
    comet_model: str | None = None,
    resample: ResampledUnit | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> SystemsEvaluation:
    """Score several systems in files side by side.

    Args:
        systems: by name, a translation for each seed.
        references, source, run, boundaries, docids, metrics, lowercase, tokenize, language,
            comet_model, resample, note: as for `evaluate_files`.
        baselines: the names of the systems, or files, to compare all others with.

    Raises:
        InputError: as `evaluate_files` or `evaluate_systems`.
    """
    paths = {name: list(files) for name, files in systems.items()}
    for baseline in baselines:
        if baseline not in paths and (baseline == "-" or Path(baseline).exists()):
            paths[baseline] = [baseline]
    every = [path for group in paths.values() for path in group]
    _check_standard_input([*every, *references, source, docids])
    files = _Files(boundaries, docids, note)
    translations = {
        name: [files.read(path, allow_empty=True) for path in group]
        for name, group in paths.items()
    }
    documents = [document for group in translations.values() for one in group for document in one]
    if run is None and any(document.joined is not None for document in documents):
        metrics = metrics or JOINED_METRICS
    settings = evaluation_settings(
        run,
        None if source is None else lambda: files.read(source),
        metrics=metrics,
        lowercase=lowercase,
        language=language,
        comet_model=comet_model,
    )
    return evaluate_systems(
        translations,
        files.references(references),
        baselines=baselines,
        resample=resample,
        tokenize=tokenize,
        note=note,
        **settings,
    )


@dataclass(frozen=True, slots=True)
class _Files:
    """Settings of reading files, and who is told of one that counts as a single document."""

    boundaries: Boundaries | None
    docids: str | None
    note: Callable[[str], None]

    def read(self, path: str, *, allow_empty: bool = False) -> list[Document]:
        documents = read_translations(
            path, boundaries=self.boundaries, docids=self.docids, allow_empty=allow_empty
        )
        if self.boundaries is None and len(documents) == 1:
            self.note(f"{path} is one document of {counted(len(documents[0]), 'sentence')}")
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


def _check_standard_input(paths: Sequence[str | None]) -> None:
    """Check that no more than one file is standard input.

    Raises:
        InputError: several are.
    """
    if paths.count("-") > 1:
        raise InputError("only one file can be standard input", cure="Name the others")


def evaluate_with_baselines(
    hypotheses: Sequence[Document],
    references: References,
    baselines: Mapping[str, Sequence[Document]],
    *,
    resample: ResampledUnit | None = None,
    note: Callable[[str], None] = lambda _: None,
    **settings: Any,
) -> Evaluation:
    """Score a translation, and compare it with others of the same documents.

    Args:
        hypotheses: the translation.
        references: one reference or several.
        baselines: the other translations, by their names.
        resample: what comparisons resample; see `compare`.
        note: called with what a user should know about the comparisons.
        settings: those of `evaluate`. Metrics of other packages are not compared.

    Raises:
        InputError: as `evaluate` or `compare`, or there is a baseline but all metrics are of other
            packages.
    """
    compared = [name for name in settings["metrics"] if metric_kind(name).custom is None]
    if baselines and not compared:
        raise InputError(
            "`baselines` cannot compare by metrics of other packages", cure="Add `metrics=s-bleu`"
        )
    if resample is not None and not baselines:
        raise InputError("`resample` has no effect without `baselines`", cure="Leave it out")
    scores = evaluate(hypotheses, references, **settings)
    comparisons = []
    if baselines:
        names = {f"the baseline {name}": name for name in baselines}
        given = {name: [baselines[path]] for name, path in names.items()}
        others = {key: settings[key] for key in settings if key not in ("metrics", "instances")}
        comparer = Comparer(
            {"the translation": [hypotheses], **given},
            references,
            resample=resample,
            metrics=compared,
            instances=settings.get("instances"),
            settings=MetricSettings(**others),
        )
        comparisons = [
            replace(comparison, baseline_name=path)
            for name, path in names.items()
            for comparison in comparer.compare("the translation", name)
        ]
        for name, documents in given.items():
            parallel = ParallelDocuments.of(documents[0], references, name=name)
            for found in input_notes(parallel, lowercase=settings["lowercase"]):
                note(f"{name}: {found}")
    if len(baselines) > 1:
        note(several_comparisons(counted(len(baselines), "baseline")))
    return Evaluation(scores, comparisons, positions=[])


def evaluation_settings(
    run: PathLike | None,
    read_source: Callable[[], Sequence[Document]] | None,
    *,
    metrics: Sequence[str] | None = None,
    lowercase: bool | None = None,
    language: str | None = None,
    comet_model: str | None = None,
    own_recipe: bool = False,
) -> dict[str, Any]:
    """The settings of `evaluate`: those that are given, else the run's, else the defaults.

    Args:
        run: the run directory that translated, if there is one.
        read_source: reads the source documents, if instances are to be scored, or for COMET.
        metrics, lowercase, language, comet_model: as for `evaluate_files`.
        own_recipe: whether the recipe of the run is the user's own, from which it was trained just
            now, so that its COMET model is one that the user names.

    Raises:
        InputError: only the run's recipe names the COMET model, and it is not the default; the
            source cannot be cut into instances, as a run is missing or its windows overlap; or
            COMET is not installed.
    """
    if run is None:
        settings: dict[str, Any] = {
            "metrics": list(metrics or DEFAULT_METRICS),
            "lowercase": bool(lowercase),
            "language": language,
        }
        default_model, names_other = COMET_MODEL, False
    else:
        # This loads torch, which scores of files alone do not need.
        from docmt.runs import Run

        trained = Run.load(run)
        chosen = trained.recipe.evaluation
        settings = {
            "metrics": list(metrics or chosen.metrics),
            "lowercase": chosen.lowercase if lowercase is None else lowercase,
            "language": language or trained.recipe.data.target_language,
            "pipeline": trained.pipeline,
        }
        default_model = chosen.comet_model
        names_other = default_model != COMET_MODEL and not own_recipe
    reads_source = any(metric_kind(name).family == "COMET" for name in settings["metrics"])
    if reads_source:
        if comet_model is None and names_other:
            raise InputError(
                f"the recipe of the run names the COMET model {default_model}, and loading a COMET "
                "model may run code in it",
                path=run,
                cure=f"If you trust it, name it with `comet_model={default_model}`",
            )
        settings["comet"] = _comet(comet_model or default_model)
    elif comet_model is not None:
        raise InputError(
            "`comet_model` has no effect without a metric of COMET", cure="Leave it out"
        )
    if read_source is None:
        return settings
    if run is None and not reads_source:
        raise InputError("`source` has no effect without `run`", cure="Give both, or neither")
    documents = read_source()
    if reads_source:
        settings["sources"] = documents
    if run is not None and not (reads_source and trained.recipe.search.windows == "sliding"):
        settings["instances"] = _instances(documents, trained)
        if metrics is None and "instance-bleu" not in settings["metrics"]:
            settings["metrics"].append("instance-bleu")
    return settings


def _comet(model: str) -> Comet:
    """A model of COMET on the GPU, if there is one.

    Raises:
        InputError: COMET is not installed.
    """
    found = Comet(model)
    found.check_installed()
    # COMET loads it too.
    import torch

    found.gpus = int(torch.cuda.is_available())
    return found


def _instances(documents: Sequence[Document], run: Run) -> list[int]:
    """The number of sentences in each instance of the source documents.

    Raises:
        InputError: the windows of the run overlap.
    """
    from docmt.evaluation.instance_sizes import instance_sizes

    if run.recipe.search.windows == "sliding":
        raise InputError(
            "`source` is for scores by instance, but the windows of this run overlap "
            "(search.windows: sliding)",
            cure="Leave out `source`",
        )
    return instance_sizes(documents, run.pipeline, run.recipe.instances)
