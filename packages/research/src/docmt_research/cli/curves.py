"""`docmt curves`: the curves of trainings in one plot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.cli.terminal import note, write_files
from docmt_files.base.errors import InputError
from docmt_files.storage.files import resolved
from docmt_files.storage.json_files import json_text


def curves(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Run directories.")],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The plot, `.png` or `.svg`, with the numbers beside it as `.json`; or `.json` "
            "for the numbers alone.",
        ),
    ],
    over: Annotated[
        Literal["updates", "minutes"],
        typer.Option(
            "--over",
            help="Horizontal axis. `minutes`: the time of the updates, of earlier stages, too, "
            "without validations and interruptions; compare it between trainings on the same "
            "machine.",
        ),
    ] = "updates",
) -> None:
    """Draw the curves of trainings: the loss and, where the logs have them, BLEU, the entropy of
    attention and the share of the context in gates (`training.log_attention`).
    """
    forms: dict[str, Literal["png", "svg"] | None] = {".png": "png", ".svg": "svg", ".json": None}
    if output.suffix not in forms:
        raise InputError(
            "is not the name of a plot", path=output, cure="End it with .png, .svg or .json"
        )

    from docmt_research.analysis.plots import plot_curves
    from docmt_research.analysis.training_curves import read_curves

    form = forms[output.suffix]
    names = [resolved(run).name for run in runs]
    if len(set(names)) < len(names):
        names = [str(run) for run in runs]
    if len(set(names)) < len(names):
        raise InputError("a run is named twice", cure="Name each run once")
    curves_of = {
        name: read_curves(run / "log.jsonl", over) for name, run in zip(names, runs, strict=True)
    }
    values = {name: [curve.as_dict() for curve in each] for name, each in curves_of.items()}
    files = {output.with_suffix(".json"): (json_text(values) + "\n").encode()}
    if form is not None:
        files[output] = plot_curves(curves_of, form, over)
    write_files(files)
    note(f"docmt: wrote {' and '.join(map(str, files))}")
