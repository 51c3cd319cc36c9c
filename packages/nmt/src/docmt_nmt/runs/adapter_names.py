"""The context adapter of a model. Nothing here needs torch, and safetensors is loaded
when a model is asked for its adapter."""

from __future__ import annotations

from pathlib import Path

ADAPTER = "context_adapter.safetensors"
"""The file in the run directory: of a base model, the adapter that goes with it; of a training over
frozen weights, the adapter that it has written."""


def adapter_of(run: Path) -> Path | None:
    """The adapter that goes with the model in a run directory, or with the model that it was tuned
    from; None for none."""
    from docmt_nmt.runs.weight_differences import base_of  # safetensors

    start = base_of(run / "weights.safetensors")
    folders = [run, run.absolute().parent / start] if start else [run]
    return next((path for folder in folders if (path := folder / ADAPTER).is_file()), None)
