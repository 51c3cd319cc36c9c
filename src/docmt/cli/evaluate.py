"""`docmt evaluate`: score a translation, and compare it with another."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from docmt.cli._terminal import note, output_console
from docmt.documents import Boundaries

_FORMATS = "a line file, `.tsv`, `.jsonl` or `.parquet`"


def evaluate(
    hypothesis: Annotated[
        str,
        typer.Option(
            metavar="FILE", help=f"Translation to score: {_FORMATS}; `-` is standard input."
        ),
    ],
    reference: Annotated[
        list[str],
        typer.Option(metavar="FILE", help="Reference; repeat the option for several references."),
    ],
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Another system's translation to compare with."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Source text, to add instance-BLEU; needs `--run`."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Run directory of the system that translated. Its recipe gives the defaults of "
            "`--metric`, `--lowercase` and `--language`, and how documents are cut into instances.",
        ),
    ] = None,
    boundaries: Annotated[
        Boundaries | None,
        typer.Option(
            help="How line files show where documents begin. Default: `markers` if the first line "
            "is `<d>`, else `docids` if `--docids` is given, else `none`: the file is one document."
        ),
    ] = None,
    docids: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="For line files, a file with one line per document: its id, a tab, its number of "
            "sentences.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="`s-bleu`, `d-bleu`, `instance-bleu`, `s-chrf`, `d-chrf` or `ter`; repeat the "
            "option for several metrics. Default: the run's, or `s-bleu`, `d-bleu` and `s-chrf`.",
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
        str | None,
        typer.Option(metavar="CODE", help="Target language. Default: the run's."),
    ] = None,
    positions: Annotated[
        bool,
        typer.Option(
            "--positions",
            help="Also score each position of a sliding window; the hypothesis is what "
            "`docmt translate --format jsonl --positions` wrote.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the scores to standard output as JSON.")
    ] = False,
) -> None:
    """Score a translation against references, by sentence and by document.

    With `--baseline`, also test whether the difference from another system could be chance.
    """

    from docmt.evaluation import evaluate_files
    from docmt.evaluation.tables import print_evaluation

    evaluation = evaluate_files(
        hypothesis, reference, baseline=baseline, source=source, run=run, boundaries=boundaries,
        docids=docids, metrics=metric, lowercase=lowercase, tokenize=tokenize, language=language,
        positions=positions, note=note,
    )  # fmt: skip
    if as_json:
        typer.echo(json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=2))
    else:
        print_evaluation(evaluation, output_console())
