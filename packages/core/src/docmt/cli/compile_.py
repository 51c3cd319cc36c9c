"""`docmt compile`: graphs for ONNX Runtime in place of PyTorch."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.arguments import RunDirectory
from docmt_files.base.wording import megabytes
from docmt_nmt.runs.compiled_files import CompiledPrecision


def compile_(
    *,
    run: RunDirectory,
    precision: Annotated[
        CompiledPrecision,
        typer.Option(
            help="Number format. `int8` is several times as fast, and a fifth of the size; `fp32` "
            "gives the same translations as PyTorch in fp32."
        ),
    ] = "int8",
    shortlist: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Lexical shortlist of a model of Marian or Firefox (`lex.*.bin`), for `docmt "
            "translate --shortlist`: single sentences take less time, and are translated a little "
            "worse.",
        ),
    ] = None,
) -> None:
    """Compile a run, to translate single sentences several times as fast, and without PyTorch.

    The graphs are written into the run (`compiled`), after they have translated 20 sentences as
    PyTorch does. Compile again after further training. Compiling needs `pip install
    'docmt[compile]'`, translating nothing but docmt. The graphs of Firefox's models come with
    docmt, so these are compiled by docmt alone, in int8.
    """
    from docmt_nmt.compiling.compile_anywhere import compile_anywhere
    from docmt_nmt.runs.bundled import check_not_bundled
    from docmt_nmt.runs.compiled_files import read_manifest
    from docmt_nmt.runs.trained_run import open_translation_run

    check_not_bundled(run)
    folder = compile_anywhere(run, precision, shortlist)
    asked = open_translation_run(run).recipe.search.precision
    size = sum(path.stat().st_size for path in folder.iterdir())
    option = "" if asked in ("auto", precision) else f" --precision {precision}"
    where = shlex.quote(str(run))
    typer.echo(
        f"Compiled in {precision}, {megabytes(size)}: {folder}. "
        f"Translate with: docmt translate --run {where}{option} INPUT"
    )
    manifest = read_manifest(run, precision)
    if manifest.sentences_as_in_fp32 is not None:
        alike, checked = manifest.sentences_as_in_fp32, manifest.checked_sentences
        typer.echo(f"{alike} of {checked} sentences are translated as in fp32.")
