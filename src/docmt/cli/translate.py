"""`docmt translate`: files in, the same files out in another language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.options import Options
from docmt.cli.terminal import (
    SUSPICIOUS,
    USER_MISTAKE,
    note,
    noting_costs,
    print_table,
    progress_bar,
)
from docmt.cli.translate_options import (
    FILE_FORMAT,
    CostOptions,
    DestinationOptions,
    LeavingOptions,
    MethodOptions,
    TableOptions,
    TermOptions,
    check_languages,
    input_folder,
    languages_of,
    load_translator,
    shard_output,
)
from docmt.formats import Input, Output, input_format_of, output_format_of
from docmt.formats.shards import EmptyShardError
from docmt.formats.tree import TreeOptions, find_tree
from docmt.ground.errors import InputError
from docmt.ground.wording import counted
from docmt.recipes.search import SearchSettings

if TYPE_CHECKING:
    from docmt.translating import FileCounts
    from docmt.translators.translator import Translator

READING = Options(
    "Input",
    fields_of=Input,
    only=("segmented", "boundaries", "docids", "file_format", "every_language", "shard"),
    details={
        "boundaries": typer.Option(metavar="NAME"),
        "docids": typer.Option(metavar="FILE"),
        "shard": typer.Option(metavar="K/N"),
        "file_format": FILE_FORMAT,
    },
)
FOLDER = Options("Input", details={"exclude": typer.Option(metavar="PATTERN")})
SEARCH = Options(
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
        "compiled",
    ),
)
RUN = typer.Option(
    help="Run directory of a trained system or a language model. Default: the bundled model, which "
    "translates technical documentation from English to German.",
    show_default=False,
)
_INPUTS = typer.Argument(
    metavar="INPUT",
    help="Files, or one folder: plain text, a format listed by `--format`, or a corpus "
    "(`.tsv`, `.jsonl`, `.parquet`, `.sgm`, `.xml`, `.tmx`); `-` is standard input.",
)
_STRICT = typer.Option(
    "--strict",
    help="Exit with code 3, after all files are written, if the translation of a sentence is "
    "suspicious, a document is in another language than the run's source language, a block could "
    "not be translated without changing the structure of its file, or inline codes could not be "
    "put at the same words. Notes give the reasons.",
)
_OUTPUT = Options("Output", fields_of=Output, only=("n_best", "log_probabilities", "positions"))


def translate(
    inputs: Annotated[list[str], _INPUTS],
    *,
    run: Annotated[Path | None, RUN] = None,
    strict: Annotated[bool, _STRICT] = False,
    reading: Annotated[Mapping[str, Any], READING],
    tables: Annotated[TableOptions, Options("Input")],
    leaving: Annotated[LeavingOptions, Options("Input")],
    folder: Annotated[TreeOptions, FOLDER],
    terms: Annotated[TermOptions, Options("Terms")],
    method: Annotated[MethodOptions, Options("Search")],
    search: Annotated[Mapping[str, Any], SEARCH],
    cost: Annotated[CostOptions, Options("Cost")],
    destination: Annotated[DestinationOptions, Options("Output")],
    writing: Annotated[Mapping[str, Any], _OUTPUT],
) -> None:
    """Translate files as whole documents: each sentence with the sentences around it.

    Notes on standard error report the division of documents and other advice.
    """
    check_languages(run, tables)
    output = destination.output
    input_form, form = _forms(inputs, destination, reading, tables, writing)
    input_form = replace(input_form, rules=leaving.chosen())
    folders = input_folder(inputs, output, folder)
    outputs = _outputs(inputs, output, form, input_form)
    if folders is not None:
        find_tree(*folders, input_form, form, folder)  # before torch is loaded
    elif input_form.shard is not None and Path(outputs[0]).exists():
        note(f"{outputs[0]} is there already, and is not translated again")
        return
    _check_beam(search, form.n_best)
    if cost.dry_run and terms.has_memories:
        paths = _paths(inputs, folders, input_form, form, folder)
        languages = languages_of(run, inputs, tables, input_form)
        _print_analysis(terms, languages, paths, input_form, tables.source_language)
        if run is None or not _has_costs(run):
            return
    options: dict[str, Any] = {**search, **method.overrides(), **cost.overrides()}
    options["processes"] = method.processes
    translator = load_translator(run, inputs, tables, input_form, options)
    translator = terms.with_memories(method.with_document_lm(translator))
    shared: dict[str, Any] = {
        "form": form,
        "input_form": input_form,
        "source_language": tables.source_language,
        "terms": terms.chosen(translator.languages),
    }
    try:
        if cost.dry_run:
            _note_estimated_costs(translator, inputs, folders, folder, shared)
            return
        shared |= {"progress": progress_bar, "note": note}
        with noting_costs(translator):
            counts, failed = _translate(translator, (inputs, outputs), folders, folder, shared)
            _exit(counts, failed=failed, strict=strict)
    except EmptyShardError as error:
        note(str(error))


def _outputs(inputs: list[str], output: str | None, form: Output, input_form: Input) -> list[str]:
    """The output files; none if a folder is translated as a whole."""
    if input_form.shard is not None:
        return [shard_output(inputs, output, form, input_form.shard)]
    if any(Path(name).is_dir() for name in inputs):
        return []
    return form.paths(inputs, output, input_form.file_format)


def _translate(
    translator: Translator,
    files: tuple[list[str], list[str]],
    folders: tuple[str, str] | None,
    options: TreeOptions,
    shared: Mapping[str, Any],
) -> tuple[FileCounts, int]:
    """Translate files, or a folder. Returns the counts and the number of failed files."""
    from docmt.translating import translate_files, translate_folder

    if folders is None:
        return translate_files(translator, *files, **shared), 0
    result = translate_folder(translator, *folders, options=options, **shared)
    return result.files, len(result.failed)


def _note_estimated_costs(
    translator: Translator,
    inputs: list[str],
    folders: tuple[str, str] | None,
    options: TreeOptions,
    shared: Mapping[str, Any],
) -> None:
    """Print the estimated costs of the translation."""
    from docmt.translating import estimate_file_costs, estimate_folder_costs

    if folders is None:
        costs = estimate_file_costs(translator, inputs, **shared)
    else:
        costs = estimate_folder_costs(translator, *folders, options=options, **shared)
    for text in costs:
        note(f"docmt: {text}")


def _has_costs(run: Path) -> bool:
    """Return whether the run is a language model, whose requests can be counted."""
    from docmt.runs.run import read_recipe

    return not read_recipe(run).is_trained


def _paths(
    inputs: list[str],
    folders: tuple[str, str] | None,
    input_form: Input,
    form: Output,
    options: TreeOptions,
) -> list[str]:
    """The files to translate, also of a folder."""
    if folders is None:
        return inputs
    tree = find_tree(*folders, input_form, form, options)
    return [str(tree.folder / path) for path, _ in tree.translated]


def _print_analysis(
    terms: TermOptions,
    languages: tuple[str, str],
    paths: list[str],
    input_form: Input,
    source_language: str | None,
) -> None:
    """Print how much of files is in the memories."""
    from docmt.translating import analyze_files

    rows = analyze_files(
        terms.memories(languages),
        languages,
        paths,
        threshold=terms.memory_threshold,
        input_form=input_form,
        source_language=source_language,
        note=note,
    )
    total = max(rows[-1].words, 1)
    print_table(
        ("match", "segments", "words", "share of words"),
        [(row.name, row.segments, row.words, f"{row.words / total:.0%}") for row in rows],
    )


def _check_beam(search: Mapping[str, Any], n_best: int) -> None:
    """Check for a beam as large as the number of requested translations."""
    beam_size = search.get("beam_size", n_best)
    if beam_size < n_best:
        raise InputError(
            f"`beam_size={beam_size}` finds fewer than {n_best} translations",
            cure=f"Leave it out, or set it to {n_best}",
            parameters=(f"beam_size={beam_size}",),
        )


def _exit(counts: FileCounts, *, failed: int, strict: bool) -> None:
    """Exit with an error code if files failed or, with `strict`, have warnings."""
    if failed:
        note(f"docmt: {counted(failed, 'file')} failed; the same command tries them again")
        raise typer.Exit(USER_MISTAKE)
    sentences, blocks, documents, moved = counts
    counts_by_name = {
        counted(sentences, "suspicious sentence"): sentences,
        counted(blocks, "untranslated block"): blocks,
        counted(
            documents, "document in another language", "documents in another language"
        ): documents,
        f"{counted(moved, 'sentence')} with moved inline codes": moved,
    }
    listed = " and ".join(text for text, number in counts_by_name.items() if number)
    if strict and listed:
        note(f"docmt: {listed} (--strict)")
        raise typer.Exit(SUSPICIOUS)


def _forms(
    inputs: list[str],
    destination: DestinationOptions,
    reading: Mapping[str, Any],
    tables: TableOptions,
    writing: Mapping[str, Any],
) -> tuple[Input, Output]:
    """The forms of input and output; without an option, names of files determine the form."""
    columns, output = tables.chosen(), destination.output
    file_format = reading.get("file_format")
    if destination.output_format is None:
        file_format = input_format_of(inputs, output, file_format)
    by_name = "same" if columns else output_format_of(inputs, output, file_format)
    form = Output(destination.output_format or by_name, **writing)
    return Input(**{**reading, "file_format": file_format}, columns=columns), form
