"""The study's command: `train`, then `evaluate`, then `tables`. See README.md."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import encoder_training
import typer

app = typer.Typer(help="What a pretrained encoder gives: train, evaluate and tabulate.")

Runs = Annotated[Path, typer.Option(help="The folder of runs.")]


@app.command()
def train(
    runs: Runs, model: Annotated[Path, typer.Option(help="The folder of the pretrained encoder.")]
) -> None:
    """Train all systems, one after the other. It goes on where it was stopped."""
    encoder_training.train(runs, model)


if __name__ == "__main__":
    app()
