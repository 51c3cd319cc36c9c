"""`open_run` opens a run directory of any kind; `load` loads the translator of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docmt_files.storage.files import PathLike
from docmt_nmt.base.extras import has_torch, naming_extras
from docmt_nmt.recipes.recipe_kinds import is_of_a_system
from docmt_nmt.runs.bundled import DEFAULT, resolve
from docmt_nmt.runs.compiled_files import read_recipe_values
from docmt_nmt.runs.run import Run, check_run, read_recipe
from docmt_nmt.runs.trained_run import TrainedRun, open_compiled, open_translation_run

if TYPE_CHECKING:
    from docmt_nmt.translators.translator import Translator


def open_run(directory: PathLike) -> Run:
    """Open a run directory of any kind.

    Args:
        directory: the path, or `bundled:NAME` for a model bundled with docmt.

    Raises:
        InputError: the directory is not a run, or the recipe or the pipeline cannot be read.
    """
    directory, recipe = resolve(directory), read_recipe(directory)
    if not recipe.is_trained:
        return Run(directory, recipe)
    if not has_torch() and (run := _open_without_torch(directory)) is not None:
        return run
    # It needs torch.
    from docmt_nmt.runs.system_run import SystemRun

    return SystemRun.with_recipe(directory, recipe)


def open_for_translation(directory: PathLike) -> Run:
    """Open a run directory of any kind as translation needs it: without torch, if it is compiled.

    Raises:
        InputError: as `open_run`.
    """
    return _open_without_torch(directory) or open_run(directory)


def open_trained(directory: PathLike) -> TrainedRun:
    """Open the run of a trained system: without torch, if it is compiled.

    Raises:
        InputError: the directory is not such a run, or cannot be read.
    """
    if (run := _open_without_torch(directory)) is not None:
        return run
    from docmt_nmt.runs.system_run import SystemRun

    return SystemRun.load(directory)


def _open_without_torch(directory: PathLike) -> TrainedRun | None:
    """Open a run with a compiled form. Where PyTorch is missing, the form is made now, if graphs
    for the run come with docmt. None if there is none.

    Raises:
        InputError: the run cannot be read, or the compiled form not be written.
    """
    if (run := open_compiled(directory)) is not None or has_torch():
        return run
    directory = resolve(directory)
    check_run(directory)
    if not is_of_a_system(read_recipe_values(directory)):
        return None
    from docmt_nmt.runs.known_graphs import compile_known, known_shape

    run = open_translation_run(directory)
    known = known_shape(run)
    if known is None:
        return None
    compile_known(run, known)
    return run


def load(run: PathLike | Run = DEFAULT, *, processes: int | None = 1, **options: Any) -> Translator:
    """Load the translator of a run directory.

    Args:
        run: the directory, or the run. Default: the bundled model.
        processes: the number of search processes of a trained system, each with one thread. They
            are forked for each request, and share the weights. None for the fastest number;
            default: this process, with its threads.
        options: `device`, the device to compute on (default: a GPU if there is one), and keys of
            the recipe's `search` section, such as `beam_size=1`; for a language model,
            `temperature`, `seed` and `max_tokens_total`. None keeps the value of the recipe.

    Raises:
        InputError: the directory is not a run with a translator, or an option is not valid or has
            no effect with the run.

    >>> import docmt_nmt
    >>> docmt_nmt.translate_text(docmt_nmt.load(beam_size=2), "Open the file.")
    'Öffnen Sie die Datei.'
    """
    with naming_extras():
        opened = run if isinstance(run, Run) else open_for_translation(run)
        return opened.translator(processes=processes, **options)
