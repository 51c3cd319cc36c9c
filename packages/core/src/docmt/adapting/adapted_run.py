"""The run directory of an adapted model: weights stored as a difference where that is smaller, and
compiled where the start is."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from docmt.adapting.tuning import averaged
from docmt_files.storage.files import whole_directory
from docmt_nmt.compiling.compile_anywhere import compile_anywhere, install_compiled
from docmt_nmt.runs.compiled_files import compiled_precisions
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.trained_run import ALIGNMENT, THRESHOLDS
from docmt_nmt.runs.weights import tied_names, write_difference


def write_adapted_run(
    directory: Path,
    start: SystemRun,
    tuned: SystemRun,
    tuned_share: float,
    bases: Sequence[SystemRun],
) -> None:
    """Make the run of an adapted model.

    Args:
        directory: the directory to make.
        start: the run that training started from.
        tuned: the trained run.
        tuned_share: the weight of the tuned run in the average, from 0 to 1.
        bases: a run of the same system beside the directory, from which the weights may be stored
            as a difference; none if there is none.

    Raises:
        InputError: it cannot be written.
    """
    state = averaged(start.state(), tuned.state(), tuned_share)
    recipe = start.recipe.model_copy(update={"description": f"Adapted from {start.directory.name}"})
    if directory.exists():
        shutil.rmtree(directory)
    directory.mkdir(parents=True)
    with whole_directory(directory) as part:
        run = SystemRun.create(part, recipe, start.pipeline)
        for name in (ALIGNMENT, THRESHOLDS):
            if (start.directory / name).is_file():
                shutil.copyfile(start.directory / name, part / name)
        kept = [base for base in bases if base.directory.parent == directory.parent]
        if kept and _fits(kept[0].state(), state):
            write_difference(run.weights, state, kept[0].directory, kept[0].state())
        else:
            run.save_weights(_in_16_bits(state))
    # A difference is read from the folder beside the base.
    if not install_compiled(directory):
        for precision in compiled_precisions(start.directory):
            compile_anywhere(directory, precision)


def _fits(base: dict[str, Tensor], state: dict[str, Tensor]) -> bool:
    """Return whether weights can be a difference from others."""
    return base.keys() == state.keys() and all(base[n].shape == state[n].shape for n in state)


def _in_16_bits(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights in 16 bits; tied weights stay tied."""
    kept: dict[str, Tensor] = {}
    for names in tied_names(state):
        kept |= dict.fromkeys(names, state[names[0]].to(torch.float16))
    return kept
