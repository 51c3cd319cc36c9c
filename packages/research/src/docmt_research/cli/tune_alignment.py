"""`docmt tune-alignment`: which attention of a run aligns words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from docmt.cli.arguments import CorpusOptions, RunDirectory
from docmt.cli.options import Options
from docmt.cli.terminal import note, output_console

_LINES = Options("Corpus", fields_of=CorpusOptions, only=("target", "boundaries", "docids"))


def tune_alignment(
    *,
    run: RunDirectory,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel="Corpus",
            help="Source text to choose by: a line file, or a corpus of both sides. Default: the "
            "run's validation split.",
        ),
    ] = None,
    lines: Annotated[Mapping[str, Any], _LINES],
) -> None:
    """Choose the best attention for word alignment, of a decoder layer, of some of the layer's
    heads or of several layers together, and write it into the run (`alignment.json`).

    `docmt translate` puts inline codes, such as tags, between words by the alignment. Nobody has
    manual links for their own corpus; links of a statistical aligner stand in for them.
    """
    from rich.table import Table

    from docmt_nmt import corpora
    from docmt_research.analysis.alignment_tuning import tune_alignment as tune_alignment_of

    documents = None
    if source is not None:
        documents = list(corpora.read(source, **lines))
    best, tried = tune_alignment_of(run, documents)
    table = Table("attention", "agreement (%)", box=None, header_style="bold")
    for choice, agreement in sorted(tried.items(), key=lambda item: -item[1]):
        table.add_row(str(choice), f"{100 * agreement:.1f}")
    output_console().print(table)
    note(f"docmt: {best} written to {run / 'alignment.json'}")
