"""`docmt translate`: files in, the same files out in another language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli._options import Options
from docmt.cli._terminal import SUSPICIOUS, USER_MISTAKE, note, progress_bar
from docmt.cli._translate_options import (
    MethodOptions,
    TableOptions,
    TermOptions,
    check_default_languages,
    input_folder,
)
from docmt.formats import (
    Input,
    Output,
    OutputFormat,
    format_names,
    input_format_of,
    output_format_of,
)
from docmt.formats.tree import TreeOptions, find_tree
from docmt.models import DEFAULT
from docmt.recipes.search import SearchSettings
from docmt.wording import counted

if TYPE_CHECKING:
    from docmt.decoding import Translator

_FORMATS = ", ".join(f"`{name}`" for name in format_names())

_INPUT = Options(
    "Input",
    fields_of=Input,
    only=("segmented", "boundaries", "docids", "file_format"),
    details={
        "boundaries": typer.Option(metavar="NAME"),
        "docids": typer.Option(metavar="FILE"),
        "file_format": typer.Option(
            "--format",
            metavar="NAME",
            help=f"Format of the input files, whatever their names: {_FORMATS}. `text` translates "
            "any text file as plain text. Default: by their names; files of unknown formats are "
            "refused.",
        ),
    },
)
_FOLDER = Options("Input", details={"exclude": typer.Option(metavar="PATTERN")})
_SEARCH = Options(
    "Search",
    fields_of=SearchSettings,
    only=(
        "beam_size",
        "temperature",
        "top_k",
        "top_p",
        "seed",
        "windows",
        "window_position",
        "overlap",
        "precision",
    ),
)
_OUTPUT = Options("Output", fields_of=Output, only=("n_best", "scores", "positions"))


def translate(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            help="Files, or one folder. Plain text, a file of a format that `--format` lists, or a "
            "corpus (`.tsv`, `.jsonl`, `.parquet`, `.sgm`, `.xml`, `.tmx`); `-` is standard "
            "input.",
        ),
    ],
    *,
    run: Annotated[
        Path,
        typer.Option(
            help="Run directory of the trained system. Default: the bundled model, which "
            "translates technical documentation from English to German.",
            show_default=False,
        ),
    ] = Path(DEFAULT),
    output: Annotated[
        # Not a Path, which loses the `/` at the end of a folder's name.
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Output file, or output folder for several inputs or a folder; a path that ends "
            "in `/` is a folder. Default: standard output.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with code 3, after all files are written, if the translation of a sentence "
            "is suspicious or a block could not be translated without changing the structure of "
            "its file. Notes say which and why.",
        ),
    ] = False,
    source_language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Language of the input. Default: the run's.",
            rich_help_panel="Input",
        ),
    ] = None,
    reading: Annotated[Mapping[str, Any], _INPUT],
    tables: Annotated[TableOptions, Options("Input")],
    folder: Annotated[TreeOptions, _FOLDER],
    terms: Annotated[TermOptions, Options("Terms")],
    method: Annotated[MethodOptions, Options("Search")],
    search: Annotated[Mapping[str, Any], _SEARCH],
    output_format: Annotated[
        OutputFormat | None,
        typer.Option(
            metavar="NAME",
            help="`same`: the input file, translated. `tsv`: a line per sentence with document, "
            "source and translation. `jsonl`: a JSON object per document. `tmx`: a translation "
            "memory. `html-side-by-side`: a page with each sentence next to its translation. "
            "Default: that of an output named `.tsv`, `.jsonl` or `.tmx`, else `same`.",
            rich_help_panel="Output",
        ),
    ] = None,
    writing: Annotated[Mapping[str, Any], _OUTPUT],
) -> None:
    """Translate files as whole documents: each sentence with the sentences around it.

    Notes on standard error say how documents were cut and what else is worth knowing.
    """
    if run == Path(DEFAULT):
        check_default_languages(source_language)
    input_form, form = _forms(inputs, output, reading, tables, output_format, writing)
    folders = input_folder(inputs, output, folder)
    if folders is None:
        outputs = form.paths(inputs, output, input_form.file_format)
    else:
        find_tree(*folders, input_form, form, folder)  # before torch is loaded
    translator = _translator(run, method.over(search, run), terms)
    if "beam_size" not in search:
        translator.widen_beam(form.n_best)

    from docmt.translating.file_translation import translate_files
    from docmt.translating.folders import translate_folder

    shared: dict[str, Any] = {
        "form": form,
        "input_form": input_form,
        "source_language": source_language,
        "progress": progress_bar,
        "note": note,
    }
    if folders is None:
        counts = translate_files(translator, inputs, outputs, **shared)
    else:
        result = translate_folder(translator, *folders, options=folder, **shared)
        counts = result.files
        if result.failed:
            failed = counted(len(result.failed), "file")
            note(f"docmt: {failed} failed; the same command tries them again")
            raise typer.Exit(USER_MISTAKE)
    if strict and any(counts):
        nouns = zip(counts, ("suspicious sentence", "untranslated block"), strict=True)
        listed = " and ".join(counted(number, noun) for number, noun in nouns if number)
        note(f"docmt: {listed} (`strict`)")
        raise typer.Exit(SUSPICIOUS)


def _forms(
    inputs: list[str],
    output: str | None,
    reading: Mapping[str, Any],
    tables: TableOptions,
    output_format: OutputFormat | None,
    writing: Mapping[str, Any],
) -> tuple[Input, Output]:
    """How files are read and written; the names of files decide where no option does."""
    columns = tables.chosen()
    file_format = reading["file_format"]
    if output_format is None:
        file_format = input_format_of(inputs, output, file_format)
    by_name = "same" if columns else output_format_of(inputs, output, file_format)
    form = Output(output_format or by_name, **writing)
    return Input(**{**reading, "file_format": file_format}, columns=columns), form


def _translator(run: Path, search: dict[str, Any], terms: TermOptions) -> Translator:
    """The translator of a run."""
    from docmt.decoding import Translator
    from docmt.glossaries import read as read_glossary

    translator = Translator.load(run, **search)
    if terms.glossary is not None:
        translator.use_glossary(read_glossary(terms.glossary, translator.pipeline.languages))
    if terms.consistent:
        translator.use_consistent_terms()
    return translator
