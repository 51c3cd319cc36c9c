"""Adapted models whose weights are a difference from another model, stored whole: before the other
model is replaced, and in copies that may stand elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from docmt_files.storage.files import reporting_write_errors, whole_path
from docmt_nmt.runs.weight_arrays import read_weight_arrays, write_weight_arrays
from docmt_nmt.runs.weight_differences import base_of

WEIGHTS = "weights.safetensors"


def store_whole(run: Path, directory: Path | None = None) -> None:
    """Store weights that are a difference whole, in 16 bits, and compile them again.

    Args:
        run: the run directory with the difference.
        directory: the directory to write to, a copy of the run. Default: the run.

    Raises:
        InputError: the other model is gone, or the weights cannot be written.
    """
    from docmt_nmt.compiling.compile_anywhere import install_compiled

    directory = directory or run
    arrays = read_weight_arrays(run / WEIGHTS)
    # One array for all names of a weight.
    halves = {id(array): array.astype(np.float16) for array in arrays.values()}
    with whole_path(directory / WEIGHTS) as part, reporting_write_errors(part):
        write_weight_arrays(part, {name: halves[id(a)] for name, a in arrays.items()}, {})
    shutil.rmtree(directory / "compiled", ignore_errors=True)
    install_compiled(directory)


def store_whole_what_differs_from(name: str, runs: Iterable[Path]) -> None:
    """Store whole all runs whose weights are a difference from a model that is to be replaced.

    Args:
        name: the name of the model.
        runs: the run directories beside it.

    Raises:
        InputError: as `store_whole`.
    """
    for run in runs:
        if base_of(run / WEIGHTS) == name:
            store_whole(run)
