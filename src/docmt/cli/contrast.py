"""`docmt contrast`: evaluate a system on contrastive suites."""

from __future__ import annotations

import json
from time import monotonic
from typing import Annotated, Literal

import typer

from docmt.choices import Precision
from docmt.cli._arguments import RunDirectory
from docmt.cli._terminal import note, output_console, progress_bar
from docmt.errors import InputError


def contrast(
    suites: Annotated[
        list[str],
        typer.Argument(
            metavar="SUITE",
            help="A contrastive suite: JSON lines, or the JSON of Voita et al. 2019, of ContraPro "
            "or of Bawden et al. 2018.",
        ),
    ],
    *,
    run: RunDirectory,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR",
            help="Another run to compare with, such as a sentence-level one; repeat the option for "
            "several.",
        ),
    ] = None,
    target_context: Annotated[
        Literal["reference", "own"],
        typer.Option(
            help="For systems that read the translation of the context: which one, that of the "
            "suite or their own."
        ),
    ] = "reference",
    context: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="The most sentences of context. Default: all that the suite gives; for ContraPro, "
            "3.",
        ),
    ] = None,
    controls: Annotated[
        bool,
        typer.Option(
            "--controls/--no-controls",
            help="Whether the run is also evaluated without context, and with that of other cases.",
        ),
    ] = True,
    documents: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="For ContraPro, the folder with its documents. Default: `documents`, beside the "
            "suite.",
        ),
    ] = None,
    detokenize: Annotated[
        bool,
        typer.Option(
            "--detokenize",
            help="Detokenize the suite as Moses does: for tokenized suites, such as those of Voita "
            "et al. 2019, and runs that read untokenized text.",
        ),
    ] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also write everything as JSON, down to the log-probability of each candidate.",
        ),
    ] = None,
    precision: Annotated[Precision, typer.Option(help="Number format; int8 needs a CPU.")] = "fp32",
) -> None:
    """Evaluate a system on contrastive suites: how often it finds the right translation of a
    sentence in its context more probable than every other.

    Accuracies are given by phenomenon and distance, with 95 % intervals (Wilson) and, against each
    control and baseline, the p-value of McNemar's test.
    """
    from docmt.analysis.analysis_tables import suite_lines, suite_table
    from docmt.analysis.contrastive_scores import contrast as evaluate
    from docmt.decoding import Scorer
    from docmt.evaluation.contrastive_suites import detokenized, read_suite
    from docmt.files import write_text

    read = [read_suite(path, documents=documents, context=context) for path in suites]
    scorer = Scorer.load(run, precision=precision)
    if str(run) in (baseline or []):
        raise InputError(f"{run} is compared with itself", cure="Name another run as --baseline")
    baselines = {path: Scorer.load(path, precision=precision) for path in baseline or []}
    if detokenize:
        read = [detokenized(suite, scorer.translator.pipeline.languages) for suite in read]
    console = output_console()
    results = []
    for suite in read:
        start = monotonic()
        with progress_bar(suite.name) as progress:
            result = evaluate(
                scorer,
                suite,
                target_context=target_context,
                controls=controls,
                baselines=baselines,
                progress=progress,
            )
        seconds = max(monotonic() - start, 1e-9)
        scored = sum(len(case.candidates) for case in suite.cases) * (1 + len(result.controls))
        results.append(result)
        console.print(suite_table(result))
        for line in suite_lines(result):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        note(f"{scored:,} candidates in {seconds:,.1f} s: {scored / seconds:,.1f} a second")
    if output is not None:
        values = [result.as_dict() | {"run": str(run)} for result in results]
        write_text(output, json.dumps(values, ensure_ascii=False, indent=1) + "\n")
