"""The study's commands: `train`, then `evaluate`, then `tables`. See README.md."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import encoder_measures
import encoder_tables
import encoder_training
from docmt.storage.files import write_text
from docmt.storage.json_files import json_text, read_json

app = typer.Typer(help="What a pretrained encoder gives: train, evaluate and tabulate.")

RESULTS = Path(__file__).parent / "results" / "encoder.json"

Runs = Annotated[Path, typer.Option(help="The folder of runs.")]
Model = Annotated[Path, typer.Option(help="The folder of the pretrained encoder.")]


@app.command()
def train(runs: Runs, model: Model) -> None:
    """Train all systems, one after the other. It goes on where it was stopped."""
    encoder_training.train(runs, model)


@app.command()
def evaluate(runs: Runs, model: Model) -> None:
    """Measure the runs that are done, and write the results."""
    for experiment in encoder_training.experiments(runs, model):
        if experiment.recipe != "demo-pegasus":
            encoder_measures.measure(runs / experiment.name)
    write_text(RESULTS, json_text(encoder_measures.results(runs), indent=1) + "\n")


@app.command()
def tables() -> None:
    """Print the tables of the results."""
    typer.echo(encoder_tables.tables(read_json(RESULTS)))


if __name__ == "__main__":
    app()
