"""Run directories of translators from other packages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docmt_files.storage.files import PathLike
from docmt_nmt.recipes import load_any
from docmt_nmt.recipes.translator_kinds import translator_kind
from docmt_nmt.recipes.yaml_source import as_one_line
from docmt_nmt.runs.run import Run, check_new


def import_translator(
    name: str, run: PathLike, *, recipe: PathLike | None = None, overrides: Sequence[str] = ()
) -> Run:
    """Make the run directory of a translator from another package, after loading it.

    Args:
        name: the name of the entry point in the group `docmt.translators`.
        run: the directory to make.
        recipe: a bundled name or a file: the recipe with the corpus and the evaluation. Default:
            none.
        overrides: `key.sub=value` each, for the recipe; the keys of `settings` are for the
            translator.

    Raises:
        InputError: no installed package has the translator, it cannot be loaded, or the recipe is
            not valid.
    """
    check_new(run)
    translator_kind(name)  # before anything is said about keys
    own = [
        f"translator={as_one_line(name)}",
        f"description={as_one_line(f'The translator {name}.')}",
    ]
    keys = ("data.source_language", "data.target_language")
    # A translator of one pair has languages of its own; another one is opened with these.
    first = [f"{key}={code}" for key, code in zip(keys, ("en", "de"), strict=True)]
    loaded = load_any(recipe, [*own, *(first if recipe is None else ()), *overrides])
    languages = Run(Path(run), loaded).translator().languages
    own += [f"{key}={as_one_line(code)}" for key, code in zip(keys, languages, strict=True)]
    return Run.make(run, load_any(recipe, [*overrides, *own]))
