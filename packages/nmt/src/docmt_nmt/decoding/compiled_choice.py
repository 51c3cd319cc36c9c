"""Which searches use the compiled form of a run: the measured rule, in one place."""

from __future__ import annotations

from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_nmt.base.choices import SearchPrecision
from docmt_nmt.base.extras import TRAIN, has_torch
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.runs.compiled_files import CompiledPrecision, compiled_precisions

MAX_HYPOTHESES = 32
"""With more hypotheses in a batch, PyTorch is as fast as a compiled step or faster
(`benchmarks/latency.py`)."""


def searches_compiled(settings: SearchSettings, instances: int) -> bool:
    """Return whether a batch of so many instances is searched in the compiled form."""
    if _must(settings):
        return True
    return instances * settings.beam_size <= MAX_HYPOTHESES


def chosen_compiled(
    run: Path, settings: SearchSettings, device: str | None
) -> tuple[CompiledSystem | None, str]:
    """The compiled form of a run for a search, and a note for the user.

    Args:
        run: the run directory.
        settings: the search.
        device: where to compute, if the user has said so.

    Raises:
        InputError: a compiled form must be used, and there is none, or it cannot be loaded.
    """
    must = _must(settings)
    if settings.compiled == "never" or not (must or device in (None, "cpu")):
        return None, ""
    fitting = [p for p in compiled_precisions(run) if _fits(p, settings.precision)]
    if not fitting:
        if must:
            raise _missing(run, settings.precision)
        return None, ""
    try:
        compiled = CompiledSystem.of_run(run, fitting[0])
    except InputError as error:
        if must:
            raise
        return None, f"the compiled form is not used: {error}"
    if not settings.shortlist:
        return compiled, f"small batches are searched in the compiled form, in {fitting[0]}"
    if compiled.listed is None:
        raise InputError(
            f"the compiled form in {fitting[0]} has no shortlist",
            path=run,
            cure=f"Compile the run again, in {fitting[0]}, with the file `lex.….bin` of the model "
            "as shortlist; or search without one",
        )
    return compiled, f"searched in the compiled form, in {fitting[0]}, over a lexical shortlist"


def _must(settings: SearchSettings) -> bool:
    """Return whether all batches must be searched in the compiled form."""
    return settings.compiled == "always" or settings.shortlist or not has_torch()


def _fits(compiled: CompiledPrecision, asked: SearchPrecision) -> bool:
    return asked in ("auto", compiled)


def _missing(run: Path, precision: SearchPrecision) -> InputError:
    """The error of a search that needs a compiled form."""
    known = compiled_precisions(run)
    if known:
        return InputError(
            f"is compiled in {' and '.join(known)}, and the search is in {precision}",
            path=run,
            cure=f"Set the precision {known[0]}, or compile the run in {precision}",
        )
    cure = "Compile it where PyTorch is installed: `docmt compile --run RUN`"
    if not has_torch():
        cure += f"; or install it here: `pip install '{TRAIN}'`"
    return InputError("is not compiled", path=run, cure=cure)
