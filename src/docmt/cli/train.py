"""`docmt train`: from a recipe to a run directory that translates."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.arguments import Overrides, RecipeName
from docmt.cli.terminal import INTERRUPTED, note

if TYPE_CHECKING:
    from docmt.recipes import Recipe


def train(
    recipe: RecipeName,
    overrides: Overrides = None,
    *,
    run: Annotated[Path, typer.Option(help="The run directory to make or to go on with.")],
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Train a recipe. The same command again goes on where it was interrupted.

    `docmt recipes` lists the bundled recipes, `docmt recipes keys` explains what can be changed,
    for example `training.max_steps=500`.
    """
    from docmt import training
    from docmt.recipes import load

    settings = load(recipe, overrides or [], note)
    try:
        training.train(settings, run, progress=not quiet)
    except KeyboardInterrupt:
        note(
            "docmt: interrupted; the same command again goes on from the last checkpoint, or "
            "begins anew where there is none yet"
        )
        raise typer.Exit(INTERRUPTED) from None
    if os.environ.get("RANK", "0") == "0":  # one of many processes speaks for all
        typer.echo(f"Trained. {use(settings, run)}")


def use(recipe: Recipe, run: Path) -> str:
    """What a run that is trained is good for."""
    if recipe.instances.kind == "masked":
        encoder = f"{{kind: run, run: {run}, width: {recipe.system.d_model}}}"
        return f"Its encoder is a key of system.contexts: {encoder}"
    return f"Translate with: docmt translate --run {run} INPUT"
