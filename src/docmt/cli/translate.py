"""`docmt translate`: files in, the same files out in another language."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.choices import Precision, Windows
from docmt.cli._terminal import SUSPICIOUS, USER_MISTAKE, note, progress_bar
from docmt.cli._translate_options import (
    check_default_languages,
    check_no_folder_options,
    check_search_options,
    chosen_columns,
    input_folder,
)
from docmt.documents import Boundaries
from docmt.errors import InputError
from docmt.formats import (
    Input,
    Output,
    OutputFormat,
    format_names,
    input_format_of,
    output_format_of,
)
from docmt.formats.tree import OtherFiles, TreeOptions, find_tree
from docmt.models import DEFAULT
from docmt.wording import counted


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
    segmented: Annotated[
        bool,
        typer.Option(
            "--segmented",
            help="The input has one sentence per line, and a `<d>` line before each document if "
            "there are several. Default: running text, which is split into sentences.",
        ),
    ] = False,
    boundaries: Annotated[
        Boundaries | None,
        typer.Option(
            help="How line files show where documents begin, as for `docmt evaluate`; implies "
            "`--segmented`. Default: `markers` if the first line is `<d>`, else `docids` if "
            "`--docids` is given, else `none`: the file is one document."
        ),
    ] = None,
    docids: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="For line files, a file with one line per document: its id, a tab, its number of "
            "sentences; implies `--segmented`.",
        ),
    ] = None,
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Format of the input files, whatever their names: "
            + ", ".join(f"`{name}`" for name in format_names())
            + ". `text` translates any text file as plain text. Default: by their names; files of "
            "unknown formats are refused.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="For tables (`.csv`, `.tsv`, `.tab`), the columns to translate, with commas "
            "between them: names in the first row or, where all are numbers, numbers from 1 on.",
        ),
    ] = None,
    new_columns: Annotated[
        bool,
        typer.Option(
            "--new-columns",
            help="With `--columns`, write the translations into new columns next to these. "
            "Default: in their place.",
        ),
    ] = False,
    source_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Language of the input. Default: the run's.")
    ] = None,
    beam_size: Annotated[
        int | None,
        typer.Option(min=1, help="Number of hypotheses in beam search. Default: the recipe's."),
    ] = None,
    parallel: Annotated[
        bool,
        typer.Option(
            "--parallel",
            help="Decode all sentences of a document at once and repeat until none changes: the "
            "translation of --beam-size 1, found in another way.",
        ),
    ] = False,
    sampling: Annotated[
        bool,
        typer.Option(
            "--sampling",
            help="Draw translations at random from the system's distribution; with `--n-best N`, N "
            "of them.",
        ),
    ] = False,
    temperature: Annotated[
        float | None,
        typer.Option(help="With `--sampling`, the temperature. Default: the recipe's, or 1."),
    ] = None,
    top_k: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With `--sampling`, draw from this many most probable tokens. Default: the "
            "recipe's, or from all.",
        ),
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option(
            help="With `--sampling`, draw from the most probable tokens that together have this "
            "probability. Default: the recipe's, or from all."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="With `--sampling`, the seed. Default: the recipe's, or 1."),
    ] = None,
    precision: Annotated[
        Precision | None,
        typer.Option(help="Number format; int8 needs a CPU. Default: the recipe's."),
    ] = None,
    windows: Annotated[
        Windows | None,
        typer.Option(
            help="For systems that translate windows of k sentences. `disjoint`: each sentence is "
            "in one window. `sliding`: a window starts at each sentence, so that a sentence is "
            "translated up to k times. Default: the recipe's."
        ),
    ] = None,
    window_position: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With sliding windows, the position in the window, from 1, whose translation of "
            "a sentence is used. Default: the recipe's, or the last.",
        ),
    ] = None,
    overlap: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="For documents that are longer than an instance: how many sentences an instance "
            "shares with the one before it, whose translations it begins with. Default: the "
            "recipe's.",
        ),
    ] = None,
    positions: Annotated[
        bool,
        typer.Option(
            "--positions",
            help="With sliding windows, also write the translations from every position "
            "(jsonl), for `docmt evaluate --positions`.",
        ),
    ] = False,
    glossary: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Terms and their translations (`.tsv`, `.csv` or `.tbx`): where a sentence has a "
            "term, its translation has one of the term's translations. An error says which term of "
            "which sentence cannot be written.",
        ),
    ] = None,
    consistent: Annotated[
        bool,
        typer.Option(
            "--consistent",
            help="Translate terms that recur in a document alike: sentences in which one is "
            "translated otherwise than in most are translated again. `OUTPUT.terms.tsv` lists "
            "these terms; edit it to use it as a glossary.",
        ),
    ] = False,
    n_best: Annotated[
        int, typer.Option(min=1, help="Number of translations to write per document (jsonl).")
    ] = 1,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores", help="Write each sentence's mean log-probability per token (tsv, jsonl)."
        ),
    ] = False,
    output_format: Annotated[
        OutputFormat | None,
        typer.Option(
            help="`same`: the input file, translated. `tsv`: a line per sentence with document, "
            "source and translation. `jsonl`: a JSON object per document. `tmx`: a translation "
            "memory. `html-side-by-side`: a page with each sentence next to its translation. "
            "Default: that of an output named `.tsv`, `.jsonl` or `.tmx`, else `same`."
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="For a folder: leave out files and folders of this name (`*.json`) or path "
            "(`en/api/*`); may be given several times.",
        ),
    ] = None,
    other_files: Annotated[
        OtherFiles,
        typer.Option(
            help="For a folder: what is done with files that are not translated, such as pictures."
        ),
    ] = "copy",
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with code 3, after all files are written, if the translation of a sentence "
            "is suspicious or a block could not be translated without changing the structure of "
            "its file. Notes say which and why.",
        ),
    ] = False,
) -> None:
    """Translate files as whole documents: each sentence with the sentences around it.

    Notes on standard error say how documents were cut and what else is worth knowing.
    """
    if run == Path(DEFAULT):
        check_default_languages(source_language)
    chosen = chosen_columns(columns, new_columns)
    if output_format is None:
        file_format = input_format_of(inputs, output, file_format)
    by_name = "same" if chosen else output_format_of(inputs, output, file_format)
    form = Output(output_format or by_name, scores=scores, n_best=n_best, positions=positions)
    input_form = Input(segmented, boundaries, docids, file_format, chosen)
    folder = input_folder(inputs, output)
    options = TreeOptions(tuple(exclude or ()), other_files)
    if folder is None:
        check_no_folder_options(options)
        outputs = form.paths(inputs, output, file_format)
    else:
        assert output is not None
        find_tree(folder, output, input_form, form, options)  # before torch is loaded

    from docmt.decoding import Translator
    from docmt.glossaries import read as read_glossary
    from docmt.translating.file_translation import translate_files
    from docmt.translating.folders import translate_folder

    # Options left out (None) fall back to the recipe.
    method: Literal["parallel", "sampling"] | None = "parallel" if parallel else None
    if sampling:
        if parallel:
            raise InputError("--parallel and --sampling are two ways to translate: give one")
        method = "sampling"
    check_search_options(
        run,
        method,
        windows,
        sampling={"--temperature": temperature, "--top-k": top_k, "--top-p": top_p, "--seed": seed},
        window_position=window_position,
        overlap=overlap,
    )
    translator = Translator.load(
        run,
        beam_size=beam_size or (1 if method else None),
        method=method,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        seed=seed,
        precision=precision,
        windows=windows,
        window_position=window_position,
        overlap=overlap,
    )
    if beam_size is None:
        translator.widen_beam(n_best)
    if glossary is not None:
        translator.use_glossary(read_glossary(glossary, translator.pipeline.languages))
    if consistent:
        translator.use_consistent_terms()
    failed = 0
    if folder is None:
        counts = translate_files(
            translator,
            inputs,
            outputs,
            form=form,
            input_form=input_form,
            source_language=source_language,
            progress=progress_bar,
            note=note,
        )
    else:
        assert output is not None
        result = translate_folder(
            translator,
            folder,
            output,
            form=form,
            input_form=input_form,
            options=options,
            source_language=source_language,
            progress=progress_bar,
            note=note,
        )
        counts, failed = result.files, len(result.failed)
    if failed:
        note(f"docmt: {counted(failed, 'file')} failed; the same command tries them again")
        raise typer.Exit(USER_MISTAKE)
    if strict and any(counts):
        found = zip(counts, ("suspicious sentence", "untranslated block"), strict=True)
        listed = " and ".join(counted(number, noun) for number, noun in found if number)
        note(f"docmt: {listed} (--strict)")
        raise typer.Exit(SUSPICIOUS)
