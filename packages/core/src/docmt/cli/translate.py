"""`docmt translate`: files in, the same files out in another language."""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.arguments import complete_models
from docmt.cli.options import DecoratorOptions, Options
from docmt.cli.target_languages import options_of_target
from docmt.cli.terminal import SUSPICIOUS, USER_MISTAKE, inform, note
from docmt.cli.translate_options import (
    FILE_FORMAT,
    CostOptions,
    DestinationOptions,
    LeavingOptions,
    MethodOptions,
    TableOptions,
    TermOptions,
    check_translator,
    in_region,
    load_translators,
    pairs_of,
    run_of_model,
)
from docmt.cli.translate_task import TranslationTask, TranslationWork
from docmt.output import Output
from docmt_files import Input, TreeOptions
from docmt_files.base.errors import InputError, rename_in_messages
from docmt_files.base.wording import counted
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.text.language_detection import language_name
from docmt_nmt.translators.decorator_options import load_decorators

if TYPE_CHECKING:
    from docmt.cli.json_report import JsonReport
    from docmt.translating import FileCounts

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
        "shortlist",
    ),
)
RUN = typer.Option(
    help="Run directory of a trained system or a language model. `bundled:en-de` is a sample, for "
    "technical documentation from English to German. Default: the installed model for `to`.",
    show_default=False,
)
MODEL = typer.Option(
    metavar="NAME",
    help="Installed model to translate with, such as one that `docmt adapt` made (`docmt models`).",
    show_default=False,
    autocompletion=complete_models,
)
_INPUTS = typer.Argument(
    metavar="INPUT",
    help="Files, or one folder: plain text, a format listed by `--format`, or a corpus "
    "(`.tsv`, `.jsonl`, `.parquet`, `.sgm`, `.xml`, `.tmx`); `-` is standard input.",
)
_TEXT = typer.Option("--text", metavar="TEXT", help="Text to translate, in place of files.")
_STRICT = typer.Option(
    "--strict",
    help="Exit with code 3, after all files are written, if the translation of a sentence is "
    "suspicious, a document is in another language than the run's source language, a block could "
    "not be translated without changing the structure of its file, or inline codes could not be "
    "put at the same words. Notes give the reasons.",
)
_JSON = typer.Option(
    "--json",
    help="Print one JSON object for other programs: files, the text where no output is named, "
    "counts, suspicious sentences and notes.",
)
_OUTPUT = Options("Output", fields_of=Output, only=("n_best", "log_probabilities", "positions"))


def translate(
    inputs: Annotated[list[str] | None, _INPUTS] = None,
    *,
    given_text: Annotated[str | None, _TEXT] = None,
    run: Annotated[Path | None, RUN] = None,
    model: Annotated[str | None, MODEL] = None,
    strict: Annotated[bool, _STRICT] = False,
    as_json: Annotated[bool, _JSON] = False,
    reading: Annotated[Mapping[str, Any], READING],
    tables: Annotated[TableOptions, Options("Input")],
    leaving: Annotated[LeavingOptions, Options("Input")],
    folder: Annotated[TreeOptions, FOLDER],
    terms: Annotated[TermOptions, Options("Terms")],
    method: Annotated[MethodOptions, Options("Search")],
    decorators: Annotated[Mapping[str, str], DecoratorOptions("Search")],
    search: Annotated[Mapping[str, Any], SEARCH],
    cost: Annotated[CostOptions, Options("Cost")],
    destination: Annotated[DestinationOptions, Options("Output")],
    writing: Annotated[Mapping[str, Any], _OUTPUT],
) -> None:
    """Translate files as whole documents: each sentence with the sentences around it.

    Notes on standard error report the division of documents and other advice.
    """
    inputs = _files_of(inputs or (), given_text)
    _check_json(cost, as_json=as_json)
    run = run_of_model(run, model)
    check_translator(run, tables)
    chosen: list[tuple[DestinationOptions, TermOptions]] = [(destination, terms)]
    if len(targets := tables.targets()) > 1:
        chosen = [options_of_target(destination, terms, inputs, target) for target in targets]
    given = (reading, tables, leaving.chosen(), folder, writing)
    # All outputs are checked before torch is loaded.
    tasks = [TranslationTask.of(inputs, own, own_terms, *given) for own, own_terms in chosen]
    if all(task.is_done for task in tasks):
        inform(f"{tasks[0].outputs[0]} is there already, and is not translated again")
        with _report(as_json):
            return
    _check_beam(search, tasks[0].form.n_best)
    if cost.dry_run and terms.has_memories:
        pairs = pairs_of(run, inputs, tables, tasks[0].input_form)
        for task, languages in zip(tasks, pairs, strict=True):
            task.print_analysis(languages)
        if run is None or not _has_costs(run):
            return
    options: dict[str, Any] = {**search, **method.overrides(), **cost.overrides()}
    options["processes"] = method.processes
    translators = load_translators(run, inputs, tables, tasks[0].input_form, options)
    decorate = load_decorators(decorators)  # Read before the first file is translated.
    works = [
        task.with_translator(in_region(decorate(translator), index, tables))
        for index, (task, translator) in enumerate(zip(tasks, translators, strict=True))
    ]
    with _report(as_json) as report:
        outcomes = _outcomes(works, report, dry_run=cost.dry_run)
    _exit(outcomes, strict=strict)


def _report(as_json: bool) -> AbstractContextManager[JsonReport | None]:
    """A report that is printed at its end; None if it is not wanted."""
    if not as_json:
        return nullcontext()
    from docmt.cli.json_report import JsonReport

    return JsonReport.printed()


def _outcomes(
    works: Sequence[TranslationWork], report: JsonReport | None, *, dry_run: bool
) -> list[tuple[FileCounts, int]]:
    """Translate into each language, and return the counts of problems and of failed files."""
    outcomes = []
    for number, work in enumerate(works):
        if len(works) > 1:
            target = work.translator.languages[1]
            inform(f"docmt: translating into {language_name(target)} ({target})")
        if dry_run:
            work.note_estimated_costs()
            continue
        if report is None:
            outcome = work.run()
        else:
            work = replace(work, task=report.redirected(work.task, number))
            outcome = work.run(report.note, report.marked.append)
            report.add(work, outcome)
        if outcome is not None:
            outcomes.append(outcome)
    return outcomes


def _check_json(cost: CostOptions, *, as_json: bool) -> None:
    """Refuse a report on a translation that is not made."""
    if as_json and cost.dry_run:
        raise InputError(
            "`as_json` tells of a translation, and `dry_run` makes none",
            cure="Leave out one of them",
            parameters=("as_json", "dry_run"),
        )


def _files_of(inputs: Sequence[str], text: str | None) -> list[str]:
    """The files to translate; a text is a file until docmt ends.

    Raises:
        InputError: there is neither a file nor a text, or both.
    """
    if bool(inputs) == (text is not None):
        problem = "a text is given beside files" if inputs else "there is nothing to translate"
        cure = "Name files, or give a text as `given_text`"
        raise InputError(problem, cure=cure, parameters=("given_text",))
    if text is None:
        return list(inputs)
    folder = TemporaryDirectory(prefix="docmt-")
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "text.txt"
    path.write_text(f"{text}\n", encoding="utf-8")
    rename_in_messages(path, "text")
    return [str(path)]


def _has_costs(run: Path) -> bool:
    """Return whether the run is a language model, whose requests can be counted."""
    from docmt_nmt.runs.run import read_recipe

    return not read_recipe(run).is_trained


def _check_beam(search: Mapping[str, Any], n_best: int) -> None:
    """Check for a beam as large as the number of requested translations."""
    beam_size = search.get("beam_size", n_best)
    if beam_size < n_best:
        raise InputError(
            f"`beam_size={beam_size}` finds fewer than {n_best} translations",
            cure=f"Leave it out, or set it to {n_best}",
            parameters=(f"beam_size={beam_size}",),
        )


def _exit(outcomes: Sequence[tuple[FileCounts, int]], *, strict: bool) -> None:
    """Exit with an error code if files failed or, with `strict`, have warnings.

    Args:
        outcomes: for each language, the counts of problems and the number of failed files.
        strict: the option.
    """
    if failed := sum(failed for _, failed in outcomes):
        note(f"docmt: {counted(failed, 'file')} failed; the same command tries them again")
        raise typer.Exit(USER_MISTAKE)
    if not outcomes:
        return
    each = (counts for counts, _ in outcomes)
    sentences, blocks, documents, moved = map(sum, zip(*each, strict=True))
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
