"""`docmt terms`: candidates for a glossary, from a file and its translation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.options import Options
from docmt.cli.terminal import inform, progress_bar
from docmt.cli.translate import MODEL, RUN
from docmt.cli.translate_options import (
    TableOptions,
    TermOptions,
    check_translator,
    load_translator,
    run_of_model,
)
from docmt_files import Input
from docmt_files.base.wording import counted

_TERMS = Options("Terms", only=("glossary", "memory", "previous"))


def terms(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="File of any format that `docmt translate` reads, or an edited review "
            "(`.xlf`, or `.json` of the page), whose translations are used.",
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Table to write (`.tsv`).")
    ],
    run: Annotated[Path | None, RUN] = None,
    model: Annotated[str | None, MODEL] = None,
    tables: Annotated[TableOptions, Options("Input")],
    known: Annotated[TermOptions, _TERMS],
) -> None:
    """Propose the terms and names of a file for a glossary, with their translations and counts.

    A person corrects the table, and gives it back with `docmt translate --glossary`.
    """
    from docmt.translating.file_terms import terms_of_file, terms_of_review
    from docmt.translating.reviews import is_review
    from docmt.translating.term_candidates import write_candidates

    if is_review(file):
        found = terms_of_review(file, known.glossary)
    else:
        run = run_of_model(run, model)
        check_translator(run, tables)
        form = Input(columns=tables.chosen())
        translator = known.with_memories(load_translator(run, [str(file)], tables, form))
        with progress_bar(file.name) as progress:
            found = terms_of_file(
                translator,
                file,
                form,
                source_language=tables.source_language,
                glossary=known.glossary,
                progress=progress,
            )
    write_candidates(output, found)
    names = sum(each.kind == "name" for each in found)
    rest = counted(len(found) - names, "term")
    inform(f"{output}: {rest} and {counted(names, 'name')} to be reviewed, the most frequent first")
