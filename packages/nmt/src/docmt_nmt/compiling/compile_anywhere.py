"""Compile a run with what is installed: with PyTorch by tracing and checking against it, without it
by the graphs that come with docmt."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_nmt.base.extras import has_torch, not_installed
from docmt_nmt.compiling.compiled_checks import check_alone, documents_to_check
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.runs.compiled_files import CompiledPrecision, keep_recipe
from docmt_nmt.runs.known_graphs import compile_known, known_shape
from docmt_nmt.runs.run import write_recipe
from docmt_nmt.runs.trained_run import TranslationRecipe, open_translation_run


def compile_anywhere(
    directory: Path, precision: CompiledPrecision, shortlist: Path | None = None
) -> Path:
    """Make the compiled form of a run.

    Args:
        directory: the run directory.
        precision: the number format of products.
        shortlist: a lexical shortlist of Marian, for searches over its words alone.

    Returns:
        The folder of the compiled form.

    Raises:
        InputError: the run cannot be compiled, or not with what is installed.
    """
    if has_torch() and find_spec("onnx") is not None:
        from docmt_nmt.compiling.compile_run import compile_run
        from docmt_nmt.runs.system_run import SystemRun

        return compile_run(SystemRun.load(directory), precision, shortlist=shortlist)
    folder = None if shortlist else compile_known_run(directory, precision)
    if folder is None:
        raise not_installed("onnx")
    return folder


def compile_known_run(directory: Path, precision: CompiledPrecision | None = None) -> Path | None:
    """Make the compiled form of a run by the graphs that come with docmt, and check that sentences
    are translated alike alone and together.

    Returns:
        The folder of the compiled form; None if no graphs for the run come with docmt.

    Raises:
        InputError: a weight is missing, or sentences are not translated alike.
    """
    run = open_translation_run(directory)
    known = known_shape(run, precision)
    if known is None:
        return None
    folder = compile_known(run, known)
    compiled = CompiledSystem.of_run(directory, "int8" if folder.name == "int8" else "fp32")
    search = run.recipe.search.model_copy(update={"compiled": "always"})
    try:
        check_alone(
            BeamSearchTranslator.over(compiled, run, search),
            documents_to_check(run.pipeline.languages[0]),
            directory,
        )
    except InputError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def install_compiled(directory: Path) -> bool:
    """Compile a new run if graphs for it come with docmt, and let it search in the precision that
    is fastest.

    Returns:
        Whether it was compiled.

    Raises:
        InputError: as of `compile_known_run`.
    """
    if compile_known_run(directory) is None:
        return False
    recipe = open_translation_run(directory).recipe
    assert isinstance(recipe, TranslationRecipe)
    search = recipe.search.model_copy(update={"precision": "auto"})
    write_recipe(directory, recipe.model_copy(update={"search": search}))
    keep_recipe(directory)
    return True
