"""`docmt export`: a run directory for sharing, with the files for translation only."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.arguments import RunDirectory
from docmt_nmt.base.choices import WeightFormat


def export(
    *,
    run: RunDirectory,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Run directory to create.")
    ],
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

    The copy is a run directory for sharing, or to start another training from.
    """
    from docmt_nmt.runs.system_run import SystemRun

    exported = SystemRun.load(run).export(output, weights)
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    where = shlex.quote(str(exported.directory))
    typer.echo(
        f"Exported {size / 1e6:,.1f} MB. Translate with: docmt translate --run {where} INPUT"
    )
