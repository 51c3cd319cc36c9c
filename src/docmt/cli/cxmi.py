"""`docmt cxmi`: what context is worth to a system."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from docmt.choices import Precision
from docmt.cli._arguments import (
    CategoryLists,
    DocumentIds,
    LineBoundaries,
    RunDirectory,
    SourceFile,
    TargetFile,
    category_settings,
)
from docmt.cli._terminal import output_console, progress_bar


def cxmi(
    *,
    run: RunDirectory,
    source: SourceFile,
    target: TargetFile = None,
    context: Annotated[
        list[int] | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            help="Number of previous sentences; repeat the option for several. Default: 1 to 4, or "
            "as many of them as the run reads.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="The run that scores sentences alone, such as a sentence-level one with the same "
            "vocabulary. Default: the run itself.",
        ),
    ] = None,
    where: Annotated[
        bool,
        typer.Option(
            "--where",
            help="Also by category of the source sentence: those with an ambiguous pronoun, with a "
            "term that occurred before, with an ellipsis, and the rest.",
        ),
    ] = False,
    category_lists: CategoryLists = None,
    boundaries: LineBoundaries = None,
    docids: DocumentIds = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Also write all values as JSON, by sentence."
        ),
    ] = None,
    precision: Annotated[Precision, typer.Option(help="Number format; int8 needs a CPU.")] = "fp32",
) -> None:
    """Measure what context is worth: how many bits a sentence of the reference becomes more
    probable by the sentences before it (conditional cross-mutual information, CXMI; Fernandes et
    al. 2021), by the size of the context, with the context of other sentences as a control.
    """
    from docmt import corpora
    from docmt.analysis import context_value, context_value_signature, value_by_category
    from docmt.analysis.analysis_tables import category_value_tables, context_value_table
    from docmt.decoding import Scorer
    from docmt.evaluation.discourse import categorize
    from docmt.files import write_text
    from docmt.wording import counted

    documents = list(
        corpora.read(
            source, target, boundaries=boundaries, docids=docids, allow_empty=boundaries != "blank"
        )
    )
    settings = category_settings(category_lists, where=where)
    scorer = Scorer.load(run, precision=precision)
    categories = None
    if settings is not None:
        categories = categorize(documents, scorer.translator.pipeline.languages[0], settings)
    other = None if baseline is None else Scorer.load(baseline, precision=precision)
    with progress_bar("Scoring") as progress:
        values = context_value(scorer, documents, context, baseline=other, progress=progress)
    console = output_console()
    console.print(context_value_table(values))
    first = values[0]
    line = (
        f"CXMI against {baseline or 'the same run'} without context · "
        f"{counted(first.sentences, 'sentence')} · {counted(first.tokens, 'token')} · "
        f"{counted(len(documents), 'document')} · 95 % intervals by bootstrap over documents"
    )
    console.print(line, markup=False, highlight=False, soft_wrap=True)
    signature = context_value_signature(documents, baseline)
    console.print(f"signature: {signature}", markup=False, highlight=False, soft_wrap=True)
    state: dict[str, Any] = {"run": str(run), "baseline": baseline, "signature": signature}
    state["values"] = [value.as_dict() for value in values]
    if categories is not None:
        found = value_by_category(values, documents, categories)
        state["categories"] = {
            "settings": categories.settings,
            "values": [value.as_dict() for value in found],
            "members": {name: rows.tolist() for name, rows in categories.members.items()},
        }
        for table in category_value_tables(found):
            console.print(table)
        lines = [f"categories: {categories.settings}", *(f"note: {n}" for n in categories.notes)]
        console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
    if output is not None:
        write_text(output, json.dumps(state, ensure_ascii=False, indent=1) + "\n")
