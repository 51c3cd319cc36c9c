"""`docmt export`: a run directory for sharing, with the files for translation only, or a model for
another program."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.cli.arguments import RunDirectory
from docmt_nmt.base.choices import WeightFormat


def export(
    *,
    run: RunDirectory,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Directory to create.")
    ],
    to: Annotated[
        Literal["docmt", "ctranslate2"],
        typer.Option(
            help="Program that reads the directory: `docmt`, or `ctranslate2`, for Transformers "
            "of single sentences; needs `pip install ctranslate2`."
        ),
    ] = "docmt",
    weights: Annotated[
        WeightFormat,
        typer.Option(
            help="Number format of the weights; `fp32` keeps them as they are, the others halve "
            "them."
        ),
    ] = "fp16",
) -> None:
    """Copy a run without its log, checkpoints and corpus: only the recipe, the text pipeline and
    the weights.

    The copy is a run directory for sharing, or to start another training from. With `--to
    ctranslate2` it is a model for that program instead, with the text pipeline in its folder
    `text`.
    """
    from docmt_nmt.runs.system_run import SystemRun

    loaded, where = SystemRun.load(run), shlex.quote(str(output))
    if to == "ctranslate2":
        from docmt.interop.ctranslate2_export import export_ctranslate2

        export_ctranslate2(loaded, output, weights)
        use = f"Load it with: ctranslate2.Translator({str(output)!r})"
    else:
        loaded.export(output, weights)
        use = f"Translate with: docmt translate --run {where} INPUT"
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    typer.echo(f"Exported {size / 1e6:,.1f} MB. {use}")
