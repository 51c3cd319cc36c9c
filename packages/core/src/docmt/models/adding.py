"""`add_run`: a run of this machine as an installed model, such as the model of a pair."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from docmt.models.installed import ORIGIN, InstalledModel, InstalledModels
from docmt.models.whole_weights import WEIGHTS, store_whole, store_whole_what_differs_from
from docmt_files.base.errors import InputError
from docmt_files.base.languages import check_language_code, primary_subtag
from docmt_files.storage.files import whole_directory, write_text
from docmt_nmt.runs.weight_differences import base_of

_LEFT = {"checkpoints", "data", "encodings", "evaluation", "log.jsonl", "material", "stages"}
"""Parts of a run directory that translation does not need."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*", re.IGNORECASE)


def check_name(name: str) -> str:
    """Return the name of a model if it can be one.

    Raises:
        InputError: it cannot.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a name for a model",
            cure="Use letters, digits, `-`, `_` and `.`, such as acme",
        )
    return name


def add_run(
    models: InstalledModels, run: Path, name: str | None = None, *, replace: bool = False
) -> InstalledModel:
    """Copy a run to the installed models.

    Args:
        models: the installed models.
        run: the directory of an imported, trained or adapted run.
        name: a pair, such as `en-pt`, for which the model then translates. Default: the pair of the
            run.
        replace: whether to replace a model of the same name.

    Raises:
        InputError: it is not the run of a trained system, has other languages, or has no weights;
            or there is a model of this name.
    """
    from docmt_nmt.runs.trained_run import open_translation_run

    opened = open_translation_run(run)
    source, target = opened.recipe.languages
    pair = check_name("-".join(map(primary_subtag, (source, target))) if name is None else name)
    _check_languages(pair, (source, target), run)
    if not opened.weights.is_file():
        raise InputError("the run has no weights yet", path=run, cure="Train it")
    if models.get(pair) is not None:
        if not replace:
            raise InputError(
                f"there is a model of {pair} already",
                cure=f"Add `replace` to replace it, or run `docmt models remove {pair}`",
                parameters=("replace",),
            )
        store_whole_what_differs_from(pair, (each.directory for each in models.all()))
    known = InstalledModel.of(run) if (run / ORIGIN).is_file() else None
    with whole_directory(models.folder / pair) as part:
        _copy(run, part)
        origin = {
            "architecture": known.architecture if known else "added",
            "registry": str(run.resolve()),
            "license": known.license if known else "your own",
            "pair": pair,
            "start": known.start if known else "",
            "material": known.material if known else "",
            "verdict": known.verdict if known else "",
        }
        write_text(part / ORIGIN, json.dumps(origin, indent=2, ensure_ascii=False) + "\n")
    return models.named(pair)


def _check_languages(pair: str, languages: tuple[str, str], run: Path) -> None:
    """Require a pair of the languages of a run.

    Raises:
        InputError: it is of others.
    """
    source, _, target = pair.partition("-")
    for code in (source, target):
        check_language_code(code)
    if (primary_subtag(source), primary_subtag(target)) != tuple(map(primary_subtag, languages)):
        raise InputError(
            f"translates {languages[0]} to {languages[1]}, and not {pair}",
            path=run,
            cure=f"Add it as {'-'.join(map(primary_subtag, languages))}",
        )


def _copy(run: Path, part: Path) -> None:
    """Copy what translation needs. Weights that are a difference are made whole: what they differ
    from may be elsewhere, or be replaced by the copy."""
    for path in sorted(run.iterdir()):
        if path.name in _LEFT or path.name.startswith("."):
            continue
        if path.is_dir():
            shutil.copytree(path, part / path.name)
        else:
            shutil.copyfile(path, part / path.name)
    if base_of(run / WEIGHTS):
        store_whole(run, part)
