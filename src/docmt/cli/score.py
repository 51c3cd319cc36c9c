"""`docmt score`: the log-probability of given translations."""

from __future__ import annotations

from time import monotonic
from typing import Annotated, Literal

import typer

from docmt.choices import Precision
from docmt.cli._arguments import DocumentIds, LineBoundaries, RunDirectory, SourceFile, TargetFile
from docmt.cli._terminal import note, progress_bar


def score(
    *,
    run: RunDirectory,
    source: SourceFile,
    target: TargetFile = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Default: standard output.")
    ] = "-",
    output_format: Annotated[
        Literal["tsv", "jsonl"],
        typer.Option(
            "--format",
            help="`tsv`: a line per sentence with document, sentence, log-probability and number "
            "of tokens. `jsonl`: a JSON object per sentence, with the log-probability of each "
            "token.",
        ),
    ] = "tsv",
    context: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Number of previous sentences, with their translations, that each sentence is "
            "given. Default: documents are cut as the run translates them.",
        ),
    ] = None,
    shuffle_context: Annotated[
        int | None,
        typer.Option(
            metavar="SEED",
            min=0,
            help="With `--context`, give each sentence the context of another sentence, drawn with "
            "this seed.",
        ),
    ] = None,
    boundaries: LineBoundaries = None,
    docids: DocumentIds = None,
    precision: Annotated[Precision, typer.Option(help="Number format; int8 needs a CPU.")] = "fp32",
) -> None:
    """Score given translations: the log-probability of each target sentence, in nats, given its
    source and its context.

    A note on standard error gives the mean of all tokens and the perplexity.
    """
    from docmt import corpora
    from docmt.analysis.log_probabilities import json_lines, score_documents, summary, tsv_lines
    from docmt.analysis.signatures import signature
    from docmt.decoding import Scorer
    from docmt.files import write_text

    documents = list(
        corpora.read(
            source, target, boundaries=boundaries, docids=docids, allow_empty=boundaries != "blank"
        )
    )
    scorer = Scorer.load(run, precision=precision)
    start = monotonic()
    with progress_bar("Scoring") as progress:
        scored = score_documents(
            scorer, documents, context=context, shuffle_seed=shuffle_context, progress=progress
        )
    seconds = monotonic() - start
    lines = tsv_lines(scored) if output_format == "tsv" else json_lines(scored)
    write_text(output, "".join(line + "\n" for line in lines))
    note(f"{summary(scored)} · {len(scored) / max(seconds, 1e-9):,.1f} sentences/s")
    signed = signature(
        ((d.source, d.target) for d in documents),
        documents=len(documents),
        context="instances" if context is None else context,
        shuffled=shuffle_context,
        precision=precision,
    )
    note(f"signature: {signed}")
