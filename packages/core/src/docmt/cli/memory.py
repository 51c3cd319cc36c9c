"""`docmt memory`: translation memories: add what people have translated, look up, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.terminal import inform, note
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted

commands = typer.Typer(no_args_is_help=True)

_MEMORY = typer.Argument(metavar="MEMORY", help="File of the memory.")
_SOURCE = typer.Option(metavar="CODE", help="Source language of a new memory.")
_TARGET = typer.Option(metavar="CODE", help="Target language of a new memory.")


@commands.callback()
def _memory() -> None:
    """Keep what people have translated, for `docmt translate --memory`.

    A memory is one file. Several programs may read it and add to it at once, and it is whole
    whatever happens to them.
    """


@commands.command()
def add(
    memory: Annotated[Path, _MEMORY],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Files with both languages: `.tmx`, `.xlf`, `.po`, `.tsv`, `.jsonl`, `.parquet`, "
            "or an edited review (`.xlf`, or `.json` of the page).",
        ),
    ] = None,
    *,
    pair: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="FILE TRANSLATION",
            help="A file of any format and its translation, as `docmt translate` writes it and a "
            "person has edited it.",
        ),
    ] = None,
    source_language: Annotated[str | None, _SOURCE] = None,
    target_language: Annotated[str | None, _TARGET] = None,
) -> None:
    """Add translations to a memory, which is made if there is none.

    A sentence that is there in the same place, between the same sentences, gets the new
    translation.
    """
    from docmt.memory import TranslationMemory
    from docmt.translating.memory_files import units_of_file, units_of_pair

    if not files and pair is None:
        raise InputError(
            "nothing is given to add",
            cure="Name files, or a file and its translation as `pair`",
            parameters=("pair",),
        )
    languages = None
    if source_language is not None and target_language is not None:
        languages = source_language, target_language
    is_new = not memory.exists()
    try:
        with TranslationMemory(memory, languages, create=True) as opened:
            both = opened.languages
            changed = sum(opened.add(units_of_file(path, both, note)) for path in files or ())
            if pair is not None:
                changed += opened.add(units_of_pair(*pair, both, note))
            inform(f"{memory}: {counted(changed, 'unit')} new or changed, {len(opened):,} in all")
    except InputError:
        if is_new:  # it may have the wrong languages
            memory.unlink(missing_ok=True)
        raise


@commands.command("look-up")
def look_up(
    memory: Annotated[Path, _MEMORY],
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="Source sentence.")],
    *,
    threshold: Annotated[
        float, typer.Option(metavar="NUMBER", min=0.0, max=1.0, help="Minimum rate of a match.")
    ] = 0.75,
) -> None:
    """Look up a sentence: a line for each match, with the rate, the source and the translation."""
    from docmt.memory import TranslationMemory

    with TranslationMemory(memory) as opened:
        for match in opened.look_up(sentence, threshold=threshold):
            unit = match.unit
            typer.echo(f"{match.rate:.0%}\t{unit.source}\t{unit.target}")


@commands.command()
def export(
    memory: Annotated[Path, _MEMORY],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="TMX or TSV file to write.")
    ],
) -> None:
    """Write a memory as TMX, or as TSV with a file, a source and a translation a line."""
    from docmt.memory import TranslationMemory
    from docmt.memory.tmx_units import write_tmx
    from docmt_files.storage.files import check_not_an_input, write_whole

    check_not_an_input(output, [memory])
    if output.suffix not in (".tmx", ".tsv"):
        raise InputError("is neither TMX nor TSV", path=output, cure="Name a .tmx or .tsv file")
    with TranslationMemory(memory) as opened, write_whole(output) as stream:
        units = opened.units()
        if output.suffix == ".tmx":
            lines = write_tmx(units, *opened.languages)
        else:
            rows = ((unit.origin, unit.source, unit.target) for unit in units)
            lines = ("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
        for line in lines:
            stream.write(line.encode("utf-8", "replace"))
