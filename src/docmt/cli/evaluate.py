"""`docmt evaluate`: score a translation, and compare it with another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.terminal import note
from docmt.documents import Boundaries
from docmt.errors import InputError
from docmt.wording import counted

if TYPE_CHECKING:
    from docmt.documents import Document
    from docmt.evaluation import Comparison, Score

FILE = "a line file, `.tsv`, `.jsonl` or `.parquet`"


def evaluate(
    hypothesis: Annotated[
        str,
        typer.Option(
            metavar="FILE", help=f"The translation to score: {FILE}; `-` is standard input."
        ),
    ],
    reference: Annotated[
        list[str], typer.Option(metavar="FILE", help="A reference; may be given several times.")
    ],
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Another system's translation to compare with."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The source; with `--run`, for `instance-bleu`."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="The run that translated: its recipe says language, metrics and case, and how "
            "the source is cut into instances.",
        ),
    ] = None,
    boundaries: Annotated[
        Boundaries | None,
        typer.Option(
            help="How line files say where documents begin. Default: by `<d>` lines if the "
            "first line is one, else by `--docids`, else the file is one document."
        ),
    ] = None,
    docids: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Document id, tab, number of sentences, a line each."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="`s-bleu`, `d-bleu`, `instance-bleu`, `s-chrf`, `d-chrf` or `ter`; may be given "
            "several times. Default: the run's, or `s-bleu`, `d-bleu` and `s-chrf`.",
        ),
    ] = None,
    lowercase: Annotated[
        bool | None,
        typer.Option(
            "--lowercase/--no-lowercase",
            help="Score without regard to case. Default: the run's choice, or with regard to it.",
        ),
    ] = None,
    tokenize: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="sacrebleu's tokenizer for BLEU. Default: by language."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Target language. Default: the run's."),
    ] = None,
    positions: Annotated[
        bool,
        typer.Option(
            "--positions",
            help="Also score the translation in each place of a sliding window; the hypothesis is "
            "what `docmt translate --format jsonl --positions` wrote.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the scores as JSON to standard output.")
    ] = False,
) -> None:
    """Score a translation against references, sentence by sentence and document by document.

    With `--baseline`, also say whether the difference to another system could be chance.
    """
    from docmt.evaluation import compare
    from docmt.evaluation import evaluate as score
    from docmt.evaluation.metrics import metric_kind
    from docmt.evaluation.reading import as_target, read_positions
    from docmt.evaluation.scoring import DEFAULT_METRICS

    if [hypothesis, *reference, baseline, source, docids].count("-") > 1:
        raise InputError("only one file can be standard input", cure="Name the others")
    if positions and hypothesis == "-":
        raise InputError("--positions needs a file as --hypothesis", cure="Write it to a file")

    def read(path: str, *, allow_empty: bool = True) -> list[Document]:
        return read_noting(path, boundaries, docids, allow_empty)

    translated = [as_target(document) for document in read(hypothesis)]
    expected = [
        [as_target(document) for document in read(path, allow_empty=False)] for path in reference
    ]
    metrics, instances = metric or list(DEFAULT_METRICS), None
    if run is not None:
        from docmt.evaluation.instances import instance_sizes
        from docmt.runs import Run

        trained = Run.load(run)
        metrics = metric or list(trained.recipe.evaluation.metrics)
        lowercase = trained.recipe.evaluation.lowercase if lowercase is None else lowercase
        language = language or trained.recipe.data.target_language
        if source is not None:
            if trained.recipe.search.windows == "sliding":
                raise InputError(
                    "the run translates with windows that overlap (search.windows sliding), and "
                    "--source is for scores by instance", cure="Leave out --source",
                )  # fmt: skip
            documents = read(source, allow_empty=False)
            instances = instance_sizes(documents, trained.pipeline, trained.recipe.instances)
            if metric is None and "instance-bleu" not in metrics:
                metrics.append("instance-bleu")
    elif source is not None:
        raise InputError("--source is of no use without --run", cure="Give both, or neither")
    settings: dict[str, Any] = {
        "lowercase": bool(lowercase), "tokenize": tokenize, "language": language,
        "instances": instances,
    }  # fmt: skip
    scores = score(translated, expected, metrics=metrics, **settings)
    comparisons = []
    if baseline is not None:
        by = [name for name in metrics if metric_kind(name).family == "BLEU"]
        if not by:
            raise InputError("--baseline compares by BLEU only", cure="Add --metric s-bleu")
        other = [as_target(document) for document in read(baseline)]
        comparisons = compare(translated, other, expected, metrics=by, **settings)
    by_position = [
        score(documents, expected, metrics=metrics, **settings)
        for documents in (read_positions(hypothesis) if positions else ())
    ]
    show(scores, comparisons, by_position, as_json)


def read_noting(
    path: str, boundaries: Boundaries | None, docids: str | None, allow_empty: bool
) -> list[Document]:
    """The documents of a file; that it was taken for one document is said."""
    from docmt.evaluation.reading import read_text

    documents = read_text(path, boundaries=boundaries, docids=docids, allow_empty=allow_empty)
    if boundaries is None and len(documents) == 1:
        note(f"{path} is one document of {counted(len(documents[0]), 'sentence')}")
    return documents


def show(
    scores: list[Score],
    comparisons: list[Comparison],
    by_position: list[list[Score]],
    as_json: bool,
) -> None:
    """Write the result to standard output, for programs or for people."""
    if as_json:
        values = {
            "scores": [score.to_dict() for score in scores],
            "comparisons": [comparison.to_dict() for comparison in comparisons],
            "positions": [[score.to_dict() for score in found] for found in by_position],
        }
        typer.echo(json.dumps(values, ensure_ascii=False, indent=2))
        return
    from rich.console import Console

    from docmt.evaluation.report import (
        comparison_table,
        full_lines,
        position_table,
        score_table,
    )

    console = Console()
    console.print(score_table(scores))
    if comparisons:
        console.print(comparison_table(comparisons))
    if by_position:
        console.print(position_table(by_position))
    # Not through rich, which would break the lines, and they are there to be copied.
    typer.echo(full_lines(scores, comparisons))
