"""`docmt tune-document-lm`: the weight of a document language model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.arguments import CorpusOptions, RunDirectory
from docmt.cli.options import Options
from docmt.cli.terminal import note, output_console, progress_bar


def tune_document_lm(
    *,
    run: RunDirectory,
    document_lm: Annotated[
        Path,
        typer.Option(
            metavar="PATH",
            help="Run directory of a language model in this process, a GGUF file or a folder of "
            "transformers.",
        ),
    ],
    corpus: Annotated[CorpusOptions, Options("Corpus")],
) -> None:
    """Learn the weight and the context length of a document language model from documents with the
    translations of a person, and write them into the run (`document_lm.json`).

    `docmt translate --document-lm` with the same language model uses them. Where the target
    language has a table of forms, such as pronouns, the setting with the forms of the reference in
    most sentences is taken, among those that lose at most 0.1 chrF; otherwise the best chrF counts.
    """
    from rich.table import Table

    from docmt_files.base.wording import counted
    from docmt_llm.document_language_model import document_lm_runs, document_lm_tuning
    from docmt_llm.document_language_model.document_lm import DocumentLMSettings
    from docmt_nmt.runs.bundled import check_not_bundled
    from docmt_nmt.runs.open_run import load
    from docmt_nmt.translators.requests import check_targets

    check_not_bundled(run)
    documents = corpus.documents()
    check_targets(documents)
    model = document_lm_runs.load_text_model(document_lm)
    translator = document_lm_runs.document_lm_over(load(run), model, DocumentLMSettings())
    with progress_bar("scored") as progress:
        settings, tried = document_lm_tuning.tune(translator, documents, progress)
    columns = ("weight", "sentences before", "forms as the reference (%)", "chrF", "changed")
    table = Table(*columns, box=None, header_style="bold")
    for each in tried:
        forms = "" if each.forms is None else f"{100 * each.forms:.1f}"
        table.add_row(
            f"{each.weight:.1f}",
            str(each.context_sentences),
            forms,
            f"{each.chrf:.2f}",
            f"{each.changed:,}",
        )
    output_console().print(table)
    document_lm_runs.write_settings(run, model, settings)
    before = counted(settings.context_sentences, "sentence")
    path = run / document_lm_runs.FILE
    note(f"docmt: weight {settings.weight}, {before} before, written to {path}")
