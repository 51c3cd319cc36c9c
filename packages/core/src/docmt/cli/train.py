"""`docmt train`: train a recipe into a run directory for translation."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.arguments import Overrides, RecipeName
from docmt.cli.terminal import INTERRUPTED, note

if TYPE_CHECKING:
    from docmt_nmt.recipes import Recipe


def train(
    recipe: RecipeName,
    overrides: Overrides = None,
    *,
    run: Annotated[Path, typer.Option(help="Run directory to create or to resume.")],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")] = False,
) -> None:
    """Train the system of a recipe. Run the command again to resume an interrupted training.

    `docmt recipes` lists the bundled recipes, and `docmt recipes keys` explains every key.
    """
    from docmt_nmt import training
    from docmt_nmt.recipes import load

    settings = load(recipe, overrides or [], note)
    try:
        training.train(settings, run, progress=not quiet)
    except KeyboardInterrupt:
        note(
            "docmt: interrupted; run the same command again to resume from the last checkpoint, or "
            "from the beginning if there is none yet"
        )
        raise typer.Exit(INTERRUPTED) from None
    if os.environ.get("RANK", "0") == "0":  # only one of several processes reports
        _calibrate(settings, run)
        typer.echo(f"Trained. {_next_step(settings, run)}")


def _calibrate(recipe: Recipe, run: Path) -> None:
    """Learn which translations of the run are improbable, where that is not known yet."""
    from docmt_files.base.errors import InputError
    from docmt_nmt.runs.system_run import SystemRun
    from docmt_nmt.training.calibration import calibrate

    trained = SystemRun.load(run)
    if recipe.instances.kind == "masked" or trained.thresholds().min_log_probability is not None:
        return
    try:
        calibrate(trained)
    except InputError as error:
        note(f"docmt: not calibrated for warnings about improbable sentences: {error}")


def _next_step(recipe: Recipe, run: Path) -> str:
    """Advice on using a trained run."""
    if recipe.instances.kind == "masked":
        path = json.dumps(str(run), ensure_ascii=False)
        d_model = getattr(recipe.system, "d_model", None)
        encoder = f"{{kind: run, run: {path}, d_model: {d_model}}}"
        return f"Use its encoder as an entry of system.contexts: {encoder}"
    form = " --output-format jsonl" if recipe.instances.join_sentences else ""
    return f"Translate with: docmt translate --run {shlex.quote(str(run))}{form} INPUT"
