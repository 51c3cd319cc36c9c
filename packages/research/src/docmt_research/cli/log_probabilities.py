"""`docmt log-probabilities`: the log-probability of given translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.cli.arguments import CorpusOptions, ForcedDecodingPrecision, RunDirectory
from docmt.cli.options import Options
from docmt.cli.terminal import note, progress_bar

if TYPE_CHECKING:
    from docmt_files.base.documents import Document


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """Options about the context of each sentence."""

    context: Annotated[int | None, typer.Option(metavar="NUMBER", min=0)] = None
    """Number of previous sentences, with translations, to give with each sentence. Default:
    documents are cut as the run translates them."""

    shuffle_context: Annotated[int | None, typer.Option(metavar="SEED", min=0)] = None
    """With `context`, give each sentence the context of another sentence, drawn with this seed."""


def log_probabilities(
    *,
    run: RunDirectory,
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
    given: Annotated[ContextOptions, Options("Context")],
    precision: ForcedDecodingPrecision = "fp32",
    corpus: Annotated[CorpusOptions, Options("Corpus")],
) -> None:
    """Give the log-probability of each target sentence of given translations, in nats, given the
    source and the context.

    A note on standard error gives the mean of all tokens and the perplexity.
    """
    from docmt_files.storage.files import write_text
    from docmt_research.analysis.sentence_probabilities import (
        json_lines,
        sentence_log_probabilities,
        summary,
        tsv_lines,
    )
    from docmt_research.analysis.suite_cautions import corpus_cautions
    from docmt_research.forced_decoding.loading import load_forced_decoder

    corpus.check_output(output)
    documents = corpus.documents()
    forced_decoder = load_forced_decoder(run, precision=precision)
    for text in corpus_cautions(documents, forced_decoder.translator.languages):
        note(text)
    start = monotonic()
    with progress_bar("Decoding") as progress:
        sentences = sentence_log_probabilities(
            forced_decoder,
            documents,
            context=given.context,
            shuffle_seed=given.shuffle_context,
            progress=progress,
        )
    seconds = monotonic() - start
    lines = tsv_lines(sentences) if output_format == "tsv" else json_lines(sentences)
    write_text(output, "".join(line + "\n" for line in lines))
    note(f"{summary(sentences)} · {len(sentences) / max(seconds, 1e-9):,.1f} sentences/s")
    note(f"signature: {_signature(documents, given, precision)}")


def _signature(documents: Sequence[Document], given: ContextOptions, precision: str) -> str:
    """The settings of the log-probabilities."""
    from docmt_nmt.evaluation.signatures import signature

    return signature(
        ((d.source, d.target) for d in documents),
        documents=len(documents),
        context="instances" if given.context is None else given.context,
        shuffled=given.shuffle_context,
        precision=precision,
    )
