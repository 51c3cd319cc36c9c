"""`docmt evaluate`: score a translation, and compare it with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.arguments import LineOptions, TableFile
from docmt.cli.options import Options
from docmt.cli.terminal import note, noting_costs, print_json, progress_bar, writing_tables
from docmt.output import Output
from docmt_files.base.errors import InputError
from docmt_files.storage.corpus_names import is_line_file
from docmt_nmt.base.choices import EvaluationSplit
from docmt_nmt.evaluation import FileSettings, MetricSettings, SignificanceTest

if TYPE_CHECKING:
    from docmt_files.base.documents import Document
    from docmt_nmt.evaluation import Evaluation, SystemsEvaluation

_FILE = typer.Option(metavar="FILE")


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Options for the texts."""

    hypothesis: Annotated[tuple[str, ...], _FILE] = ()
    """Translation to score: a line file, `.tsv`, `.jsonl`, `.parquet`, `.sgm` or `.xml`; `-` is
    standard input."""

    system: Annotated[tuple[str, ...], typer.Option(metavar="NAME=FILE,…")] = ()
    """A system by name, with its translation or several seeds' translations; instead of
    `hypothesis`. Repeat the option for several systems."""

    references: Annotated[tuple[str, ...], typer.Option("--reference", metavar="FILE")] = ()
    """Reference; repeat the option for several references."""

    baselines: Annotated[tuple[str, ...], typer.Option("--baseline", metavar="FILE")] = ()
    """Translation of another system to compare with, or the name of a system given by `system`;
    repeat the option for several."""

    source: Annotated[str | None, _FILE] = None
    """Source text: for COMET, with `realign` to align with, with `run` to add instance-BLEU, and
    to find translations that are copies of their source."""

    run: Annotated[str | None, typer.Option(metavar="DIR")] = None
    """Run directory of the system behind the translation. Its recipe gives the defaults of
    `metrics`, `lowercase` and `language`, and the division of documents into instances."""


@dataclass(frozen=True, slots=True)
class FreeOptions:
    """Options for free translations, whose sentences are not one for one."""

    realign: bool = False
    """The translations are free text: split them into sentences, align these with the references
    and the source, and count what was lost and added."""

    encoder: Annotated[str | None, typer.Option(metavar="MODEL")] = None
    """With `realign`, sentence encoder that says how alike sentences are: the folder or name of a
    Hugging Face model, or a run directory. Default: words and characters are compared."""


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """Options for a split translated by the run itself."""

    split: EvaluationSplit | None = None
    """Split of the corpus of `run` to translate and score; instead of `hypothesis` and
    `references`."""

    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE")] = None
    """With `split`, also write the translation, and with `realign` the aligned one: a line file,
    `.tsv`, `.jsonl` or `.parquet`."""

    first_pass: Annotated[str | None, typer.Option(metavar="DIR")] = None
    """Run for the first translation, with `split` and systems with target context. Default: the
    recipe's."""

    oracle: bool = False
    """Use the references as target context of the surrounding sentences, with `split` and systems
    with target context."""


@dataclass(frozen=True, slots=True)
class PairOptions:
    """Options for a source text that the run itself translates into a language."""

    to: Annotated[str | None, typer.Option(metavar="CODE")] = None
    """Translate `source` by `run` into this language of the run and score it, instead of
    `hypothesis`."""

    source_language: Annotated[
        str | None, typer.Option("--source-language", "--from", metavar="CODE")
    ] = None
    """Language of `source`, with `to`. Default: the run's."""


_NAME = typer.Option(metavar="NAME")
_METRICS = Options(
    "Metrics",
    only=("metrics", "lowercase", "tokenize", "language", "comet_model"),
    details={
        "metrics": typer.Option("--metric", metavar="NAME"),
        "tokenize": _NAME,
        "language": typer.Option(metavar="CODE"),
        "comet_model": _NAME,
    },
)
_TEST = Options("Metrics", only=("resample",))


def evaluate(
    *,
    files: Annotated[FileOptions, Options("Texts")],
    lines: Annotated[LineOptions, Options("Texts")],
    pair: Annotated[PairOptions, Options("A text that the run translates")],
    free: Annotated[FreeOptions, Options("Free translations")],
    of_split: Annotated[SplitOptions, Options("A split that the run translates")],
    metrics: Annotated[MetricSettings, _METRICS],
    test: Annotated[SignificanceTest, _TEST],
    positions: Annotated[
        bool,
        typer.Option(
            "--positions",
            help="Also score each position of a sliding window; the hypothesis is the output of "
            "`docmt translate --output-format jsonl --positions`.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the scores to standard output as JSON.")
    ] = False,
    table: TableFile = None,
) -> None:
    """Score a translation against references, by sentence and by document.

    With `--baseline`, also test whether the difference from another system could be chance. With
    `--system`, score several systems side by side, each with one training or several of different
    seeds. With `--realign`, translations need not have a sentence for each sentence of the
    references. With `--split`, a run first translates a split of its own corpus; with `--to`, a
    source text into one of its languages.
    """
    settings: dict[str, Any] = {"settings": metrics, "test": test}
    _check_options(files, free, pair, of_split, positions=positions)
    _check_table(table, files, of_split.output)
    if of_split.split is not None:
        _finish(_evaluate_split(files, lines, of_split, settings), table, as_json=as_json)
        return
    settings["files"] = FileSettings(
        source=files.source, run=files.run, **asdict(lines), **asdict(free)
    )
    settings["baselines"] = files.baselines
    if pair.to is not None or pair.source_language is not None:
        _finish(_evaluate_pair(files, pair, settings), table, as_json=as_json)
    elif files.system:
        _finish(_evaluate_systems(files, settings, positions=positions), table, as_json=as_json)
    else:
        _check_output(files, of_split.output)
        evaluation = _evaluate_files(files, settings | {"positions": positions})
        if of_split.output is not None:
            _write(evaluation.realignments[0].documents, of_split.output)
        _finish(evaluation, table, as_json=as_json)


def _check_options(
    files: FileOptions,
    free: FreeOptions,
    pair: PairOptions,
    of_split: SplitOptions,
    *,
    positions: bool,
) -> None:
    """Refuse options that exclude each other or have no effect."""
    if of_split.split is not None:
        if positions:
            raise InputError(
                "`positions` cannot be used with `split`",
                cure="Leave it out",
                parameters=("positions", "split"),
            )
        if free.realign or free.encoder:
            raise InputError(
                "`realign` cannot be used with `split`, as a run translates sentence for sentence",
                cure="Leave it out, or write a translation of whole instances with `output` and "
                "score that file",
                parameters=("realign", "split", "output"),
            )
        return
    is_translated = pair.to is not None or pair.source_language is not None
    if is_translated and (positions or files.system):
        raise InputError(
            "`to` is for one translation by `run`",
            cure="Leave out `positions` and `system`",
            parameters=("to", "run", "positions", "system"),
        )
    is_written = free.realign and not files.system and not is_translated
    for name in ("output", "first_pass", "oracle"):
        if getattr(of_split, name) and not (name == "output" and is_written):
            raise InputError(
                f"`{name}` has no effect without `split`",
                cure="Leave it out",
                parameters=(f"{name}", "split"),
            )


def _check_table(table: str | None, files: FileOptions, output: str | None) -> None:
    """Check the file for the tables, before any work."""
    from docmt.output.table_files import check_table_file

    systems = (p for one in files.system for p in (one, *one.partition("=")[2].split(",")))
    texts = (*files.hypothesis, *files.references, *files.baselines, files.source)
    check_table_file(table, (*texts, *systems, output))


def _check_output(files: FileOptions, output: str | None) -> None:
    """Check the file to write, before any work."""
    from docmt_files.storage.files import check_not_an_input

    if output == "-":
        raise InputError(
            "standard output is for the scores",
            cure="Name a file as `output`",
            parameters=("output",),
        )
    if output is not None:
        Output().paths(["-"], output)
        check_not_an_input(
            output, (*files.hypothesis, *files.references, *files.baselines, files.source)
        )


def _write(documents: Sequence[Document], output: str) -> None:
    """Write a translation."""
    from docmt_nmt.corpora import file_format
    from docmt_nmt.corpora.corpus_files import CorpusFile

    CorpusFile(file_format(output)).write(documents, output)


def _finish(
    evaluation: Evaluation | SystemsEvaluation, table: str | None, *, as_json: bool
) -> None:
    """Print tables and lines to quote, or JSON."""
    from docmt.output.score_tables import print_evaluation, print_systems
    from docmt_nmt.evaluation import SystemsEvaluation

    if as_json:
        print_json(evaluation.to_dict())
    with writing_tables(table, quiet=as_json) as console:
        if isinstance(evaluation, SystemsEvaluation):
            print_systems(evaluation, console)
        else:
            print_evaluation(evaluation, console)


def _evaluate_files(files: FileOptions, settings: Mapping[str, Any]) -> Evaluation:
    """Score the hypothesis."""
    from docmt_nmt.evaluation import evaluate_files

    if not files.hypothesis or not files.references:
        raise InputError(
            "there is no `hypothesis` and `references` to score",
            cure="Name both files, or let a run translate its own test split with "
            "`run=DIR` `split=test`",
            parameters=("hypothesis", "references", "run=DIR", "split=test"),
        )
    if len(files.hypothesis) > 1:
        raise InputError(
            "`hypothesis` is given more than once",
            cure="Name one translation as `hypothesis` and the others as `baselines`, or score "
            "several systems side by side with `system`",
            parameters=("hypothesis", "baselines", "system"),
        )
    return evaluate_files(files.hypothesis[0], files.references, **settings)


def _evaluate_pair(
    files: FileOptions, pair: PairOptions, settings: Mapping[str, Any]
) -> Evaluation:
    """Translate the source by the run into a language, and score the translation."""
    from docmt.translating import translate_files
    from docmt_files import Input
    from docmt_nmt.evaluation import evaluate_files
    from docmt_nmt.runs.open_run import load, open_run

    if files.run is None or files.source is None or files.hypothesis or not files.references:
        raise InputError(
            "`to` needs `run`, `source` and `references`, and makes the hypothesis itself",
            cure="Name them, and leave out `hypothesis`",
            parameters=("to", "run", "source", "references", "hypothesis"),
        )
    run = load(files.run)
    source = pair.source_language or run.languages[0]
    translator = run.between(source, pair.to or run.languages[1])
    read: FileSettings = settings["files"]
    segmented = is_line_file(files.source)
    form = Input(segmented=segmented, boundaries=read.boundaries, docids=read.docids)
    with TemporaryDirectory() as folder, noting_costs(translator):
        hypothesis = str(Path(folder, "hypothesis.jsonl"))
        translate_files(
            translator,
            [files.source],
            [hypothesis],
            form=Output("jsonl"),
            input_form=form,
            progress=progress_bar,
            note=note,
        )
        metrics = settings["settings"]
        if metrics.language is None:
            metrics = replace(metrics, language=translator.languages[1])
        if not open_run(files.run).recipe.is_trained:
            # A language model cuts nothing into instances; without them, COMET reads the source.
            is_read = any("comet" in name for name in metrics.metrics or ())
            read = replace(read, run=None) if is_read else replace(read, source=None)
        chosen = {**settings, "settings": metrics, "files": read, "positions": False}
        return evaluate_files(hypothesis, files.references, **chosen)


def _evaluate_systems(
    files: FileOptions, settings: Mapping[str, Any], *, positions: bool
) -> SystemsEvaluation:
    """Score several systems side by side."""
    from docmt_nmt.evaluation import evaluate_system_files, system_files

    for option, value in (("hypothesis", files.hypothesis), ("positions", positions)):
        if value:
            raise InputError(
                f"`{option}` cannot be used with `system`",
                cure="Leave one of them out",
                parameters=(f"{option}", "system"),
            )
    if not files.references:
        raise InputError(
            "there is no `references` to score against",
            cure="Name the file",
            parameters=("references",),
        )
    systems = system_files(files.system, lambda path: Path(path).exists())
    return evaluate_system_files(systems, files.references, **settings)


def _evaluate_split(
    files: FileOptions, lines: LineOptions, of_split: SplitOptions, settings: Mapping[str, Any]
) -> Evaluation:
    """Translate a split of the run's corpus and score it."""
    from docmt_nmt.evaluation import read_translations
    from docmt_nmt.evaluation.split_scores import score_split

    assert of_split.split is not None
    if files.system:
        raise InputError(
            "`system` cannot be used with `split`",
            cure="Leave one of them out",
            parameters=("system", "split"),
        )
    if files.run is None:
        raise InputError(
            "`split` needs the run that is to translate",
            cure="Add `run=DIR`",
            parameters=("split", "run=DIR"),
        )
    given = [name for name in ("hypothesis", "references", "source") if getattr(files, name)]
    if given:
        listed = " and ".join(f"`{name}`" for name in given)
        raise InputError(
            f"`split` takes the place of {listed}",
            cure="Leave one of them out",
            parameters=("split", *given),
        )
    _check_output(files, of_split.output)

    def read_baselines() -> dict[str, list[Document]]:
        return {path: read_translations(path, **asdict(lines)) for path in files.baselines}

    with progress_bar(f"translating the {of_split.split} split") as progress:
        scores = score_split(
            Path(files.run),
            of_split.split,
            output=of_split.output,
            baselines=read_baselines,
            progress=progress,
            note=note,
            search={"first_pass": of_split.first_pass, "oracle": of_split.oracle or None},
            **settings,
        )
    if of_split.output is not None:
        _write([translation.document for translation in scores.translations], of_split.output)
    return scores.evaluation
