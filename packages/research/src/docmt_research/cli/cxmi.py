"""`docmt cxmi`: the value of context to a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.arguments import CorpusOptions, ForcedDecodingPrecision, RunDirectory, TableFile
from docmt.cli.options import Options
from docmt.cli.terminal import print_lines, progress_bar, writing_tables
from docmt_files.base.wording import counted
from docmt_files.storage.json_files import json_text
from docmt_research.cli.category_options import CategoryOptions

if TYPE_CHECKING:
    from rich.console import Console

    from docmt_files.base.documents import Document
    from docmt_research.analysis import ContextValue
    from docmt_research.analysis.categories import Categories


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """Options for the comparison."""

    context: Annotated[tuple[int, ...], typer.Option(metavar="NUMBER", min=1)] = ()
    """Number of previous sentences; repeat the option for several. Default: 1 to 4, or as many of
    them as the run reads."""

    baseline: Annotated[str | None, typer.Option(metavar="DIR")] = None
    """The run that gives the log-probabilities of sentences alone, such as a sentence-level run
    with the same vocabulary. Default: the run itself."""


def cxmi(
    *,
    run: RunDirectory,
    against: Annotated[ContextOptions, Options("Context")],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Also write all values as JSON, by sentence."
        ),
    ] = None,
    table: TableFile = None,
    precision: ForcedDecodingPrecision = "fp32",
    corpus: Annotated[CorpusOptions, Options("Corpus")],
    by_category: Annotated[CategoryOptions, Options("Categories")],
) -> None:
    """Measure the value of context: the number of bits by which the sentences before it make a
    sentence of the reference more probable (conditional cross-mutual information, CXMI; Fernandes
    et al. 2021), by the size of the context, with the context of other sentences as a control.
    """
    from docmt.output.table_files import check_table_file
    from docmt_files.storage.files import write_text
    from docmt_research.analysis import context_notes, context_value, context_value_signature
    from docmt_research.analysis.analysis_tables import context_value_table
    from docmt_research.analysis.categories import categorize
    from docmt_research.analysis.suite_cautions import corpus_cautions
    from docmt_research.forced_decoding.loading import load_forced_decoder

    corpus.check_output(output)
    check_table_file(table, (corpus.source, corpus.target, corpus.docids, output))
    documents = corpus.documents()
    settings = by_category.settings()
    forced_decoder = load_forced_decoder(run, precision=precision)
    categories = None
    if settings is not None:
        categories = categorize(documents, forced_decoder.translator.languages[0], settings)
    baseline = against.baseline
    other = None if baseline is None else load_forced_decoder(baseline, precision=precision)
    with progress_bar("Decoding") as progress:
        values = context_value(
            forced_decoder, documents, against.context or None, baseline=other, progress=progress
        )
    signature = context_value_signature(documents, baseline)
    line = _setting(values[0], len(documents), baseline)
    notes = [
        *corpus_cautions(documents, forced_decoder.translator.languages),
        *context_notes({str(run): values}, len(documents)),
    ]
    state: dict[str, Any] = {"run": str(run), "baseline": baseline, "signature": signature}
    state["notes"] = notes
    state["values"] = [value.as_dict() for value in values]
    with writing_tables(table) as console:
        console.print(context_value_table(values))
        print_lines(console, line, *(f"note: {text}" for text in notes), f"signature: {signature}")
        if categories is not None:
            state["categories"] = _print_categories(values, documents, categories, console)
    if output is not None:
        write_text(output, json_text(state, indent=1) + "\n")


def _print_categories(
    values: Sequence[ContextValue],
    documents: Sequence[Document],
    categories: Categories,
    console: Console,
) -> dict[str, Any]:
    """Print the value of context in each category, and return it as plain values."""
    from docmt_research.analysis import value_by_category
    from docmt_research.analysis.analysis_tables import category_value_tables

    by_category = value_by_category(values, documents, categories)
    for table in category_value_tables(by_category):
        console.print(table)
    notes = (f"note: {text}" for text in categories.notes)
    print_lines(console, f"categories: {categories.settings}", *notes)
    return {
        "settings": categories.settings,
        "values": [value.as_dict() for value in by_category],
        "members": {name: rows.tolist() for name, rows in categories.members.items()},
    }


def _setting(value: ContextValue, documents: int, baseline: str | None) -> str:
    """The line below the table: the baseline of the measurement, and the amount of text."""
    return (
        f"CXMI against {baseline or 'the same run'} without context · "
        f"{counted(len(value.bits), 'sentence')} · {counted(value.tokens, 'token')} · "
        f"{counted(documents, 'document')} · 95 % intervals by bootstrap over documents"
    )
