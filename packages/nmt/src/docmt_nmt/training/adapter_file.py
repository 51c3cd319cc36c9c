"""The context adapter that a training over frozen weights writes beside the weights."""

from __future__ import annotations

from pathlib import Path

from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.adapter_names import ADAPTER
from docmt_nmt.runs.context_adapters import ContextAdapter
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.training.optimizer import LOADED


def trains_an_adapter(recipe: Recipe) -> bool:
    """Return whether a recipe trains new attention beyond the sentence, and nothing else."""
    system, initialize = recipe.system, recipe.initialize
    return (
        isinstance(system, GTransformerSettings)
        and system.sees == "beyond"
        and initialize is not None
        and LOADED in initialize.freeze
    )


def write_adapter(run: SystemRun) -> Path:
    """Write the adapter of a finished run.

    Raises:
        InputError: the base of the run is gone or has changed, or the file cannot be written.
    """
    assert run.recipe.initialize is not None, "it has a base"
    path = run.directory / ADAPTER
    ContextAdapter.of_run(run, SystemRun.load(run.recipe.initialize.run)).write(path)
    return path
