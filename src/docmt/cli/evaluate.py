"""`docmt evaluate`: score a translation, and compare it with others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from docmt.choices import EvaluationSplit, ResampledUnit
from docmt.cli._arguments import DocumentIds, LineBoundaries
from docmt.cli._terminal import note, output_console, progress_bar
from docmt.documents import Boundaries, Document
from docmt.errors import InputError
from docmt.formats import CorpusFile, Output

if TYPE_CHECKING:
    from docmt.evaluation import Evaluation, SystemsEvaluation

_FORMATS = "a line file, `.tsv`, `.jsonl`, `.parquet`, `.sgm` or `.xml`"


def evaluate(
    hypothesis: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help=f"Translation to score: {_FORMATS}; `-` is standard input."
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE,…",
            help="Instead of `--hypothesis`: a system by its name, with its translation, or with "
            "those of several seeds. Repeat the option for several systems.",
        ),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Reference; repeat the option for several references."),
    ] = None,
    split: Annotated[
        EvaluationSplit | None,
        typer.Option(
            help="Instead of `--hypothesis` and `--reference`: translate this split of the corpus "
            "of `--run` and score it."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="With `--split`, also write the translation: a line file, `.tsv`, `.jsonl` or "
            "`.parquet`.",
        ),
    ] = None,
    first_pass: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="With `--split`, for systems that read target context: the run that translates "
            "first. Default: the recipe's.",
        ),
    ] = None,
    oracle: Annotated[
        bool,
        typer.Option(
            "--oracle",
            help="With `--split`, for systems that read target context: let them read the "
            "references of the sentences around each sentence.",
        ),
    ] = False,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Another system's translation to compare with, or the name of one given by "
            "`--system`; repeat the option for several.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Source text: for COMET, and with `--run` to add instance-BLEU."
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Run directory of the system that translated. Its recipe gives the defaults of "
            "`--metric`, `--lowercase` and `--language`, and how documents are cut into instances.",
        ),
    ] = None,
    boundaries: LineBoundaries = None,
    docids: DocumentIds = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="`s-bleu`, `d-bleu`, `instance-bleu`, `multi-bleu`, `mteval-v13a`, `s-chrf`, "
            "`d-chrf`, `ter`, `comet`, `doc-comet`, or a metric of another package; repeat the "
            "option for several. Default: the run's, or `s-bleu`, `d-bleu` and `s-chrf`.",
        ),
    ] = None,
    lowercase: Annotated[
        bool | None,
        typer.Option(
            "--lowercase/--no-lowercase",
            help="Whether to ignore case. Default: as the run's recipe says, or not.",
        ),
    ] = None,
    tokenize: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="sacrebleu's tokenizer for BLEU. Default: chosen by language."
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Target language. Default: the run's.")
    ] = None,
    comet_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Model of `comet` and `doc-comet`, by its name on the Hugging Face hub, or a file "
            "`.ckpt`. Default: `Unbabel/wmt22-comet-da`. Loading a model may run code in it, so "
            "another one that a run's recipe names is only used if you name it here too.",
        ),
    ] = None,
    resample: Annotated[
        ResampledUnit | None,
        typer.Option(
            help="With `--baseline`, what the tests draw and swap at random: sentences, or whole "
            "documents. Default: what the metric compares as one segment."
        ),
    ] = None,
    positions: Annotated[
        bool,
        typer.Option(
            "--positions",
            help="Also score each position of a sliding window; the hypothesis is what "
            "`docmt translate --output-format jsonl --positions` wrote.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the scores to standard output as JSON.")
    ] = False,
) -> None:
    """Score a translation against references, by sentence and by document.

    With `--baseline`, also test whether the difference from another system could be chance. With
    `--system`, score several systems side by side, each with one training or several of different
    seeds. With `--split`, a run first translates a split of its own corpus.
    """
    chosen: dict[str, Any] = {
        "metrics": metric,
        "lowercase": lowercase,
        "tokenize": tokenize,
        "language": language,
        "comet_model": comet_model,
        "resample": resample,
        "note": note,
    }
    files = _Files(hypothesis or [], reference or [], baseline or [], source, boundaries, docids)
    of_split = {"--output": output, "--first-pass": first_pass, "--oracle": oracle}
    evaluation: Evaluation | SystemsEvaluation
    if split is None:
        for option, value in of_split.items():
            if value:
                raise InputError(f"{option} has no effect without --split", cure="Leave it out")
        if system:
            evaluation = _evaluate_systems(system, files, run, positions=positions, **chosen)
        else:
            evaluation = _evaluate_files(files, run, positions=positions, **chosen)
    else:
        if system:
            raise InputError("--system cannot be used with --split", cure="Leave one of them out")
        if positions:
            raise InputError("--positions cannot be used with --split", cure="Leave it out")
        search = {"first_pass": first_pass, "oracle": oracle or None}
        evaluation = _evaluate_split(files, run, split, output, search=search, **chosen)
    if as_json:
        typer.echo(json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=2))
        return
    _print(evaluation)


def _print(evaluation: Evaluation | SystemsEvaluation) -> None:
    """Print tables and lines to quote."""
    from docmt.evaluation import SystemsEvaluation
    from docmt.evaluation.score_tables import print_evaluation, print_systems

    if isinstance(evaluation, SystemsEvaluation):
        print_systems(evaluation, output_console())
    else:
        print_evaluation(evaluation, output_console())


class _Files(NamedTuple):
    """The files that the command was given, and how they are read."""

    hypotheses: list[str]
    references: list[str]
    baselines: list[str]
    source: str | None
    boundaries: Boundaries | None
    docids: str | None


def _evaluate_files(files: _Files, run: str | None, **settings: Any) -> Evaluation:
    """Score the hypothesis.

    Raises:
        InputError: there is none or no reference, there are several, or as `evaluate_files`.
    """
    from docmt.evaluation import evaluate_files

    if not files.hypotheses or not files.references:
        raise InputError(
            "there is no --hypothesis and --reference to score",
            cure="Name both files, or let a run translate its own test split with "
            "--run DIR --split test",
        )
    if len(files.hypotheses) > 1:
        raise InputError(
            "--hypothesis is given more than once",
            cure="Name one translation as --hypothesis and the others as --baseline, or score "
            "several systems side by side with --system",
        )
    return evaluate_files(
        files.hypotheses[0],
        files.references,
        baselines=files.baselines,
        source=files.source,
        run=run,
        boundaries=files.boundaries,
        docids=files.docids,
        **settings,
    )


def _evaluate_systems(
    systems: list[str], files: _Files, run: str | None, *, positions: bool, **settings: Any
) -> SystemsEvaluation:
    """Score several systems side by side.

    Raises:
        InputError: there is no reference, an option is for a single hypothesis, or as
            `evaluate_system_files`.
    """
    from docmt.evaluation import evaluate_system_files, system_files

    for option, value in (("--hypothesis", files.hypotheses), ("--positions", positions)):
        if value:
            raise InputError(f"{option} cannot be used with --system", cure="Leave one of them out")
    if not files.references:
        raise InputError("there is no --reference to score against", cure="Name the file")
    return evaluate_system_files(
        system_files(systems, lambda path: Path(path).exists()),
        files.references,
        baselines=files.baselines,
        source=files.source,
        run=run,
        boundaries=files.boundaries,
        docids=files.docids,
        **settings,
    )


def _evaluate_split(
    files: _Files, run: str | None, split: EvaluationSplit, output: str | None, **settings: Any
) -> Evaluation:
    """Translate a split of the run's corpus and score it.

    Raises:
        InputError: there is no run, there are files that the split takes the place of, the output
            cannot be written, or as `score_split`.
    """
    from docmt.analysis.split_scores import score_split
    from docmt.corpora import file_format
    from docmt.evaluation import read_translations

    if run is None:
        raise InputError("--split needs the run that is to translate", cure="Add --run DIR")
    given = {
        "--hypothesis": files.hypotheses,
        "--reference": files.references,
        "--source": files.source,
    }
    if superfluous := [name for name, value in given.items() if value]:
        raise InputError(
            f"--split takes the place of {' and '.join(superfluous)}", cure="Leave one of them out"
        )
    if output == "-":
        raise InputError("standard output is for the scores", cure="Name a file as --output")
    if output is not None:
        Output().paths(["-"], output)

    def read_baselines() -> dict[str, list[Document]]:
        return {
            path: read_translations(path, boundaries=files.boundaries, docids=files.docids)
            for path in files.baselines
        }

    with progress_bar(f"translating the {split} split") as progress:
        scores = score_split(
            Path(run), split, output=output, baselines=read_baselines, progress=progress, **settings
        )
    if output is not None:
        documents = [translation.document for translation in scores.translations]
        CorpusFile(file_format(output)).write(documents, output)
    return scores.evaluation
