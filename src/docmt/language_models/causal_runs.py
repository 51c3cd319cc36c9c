"""Runs of decoder-only models: the weights stay in their folder, and `transformers` runs them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docmt.ground.errors import InputError
from docmt.language_models.pretrained_causal import read_causal_config
from docmt.recipes import load_any
from docmt.recipes.language_model_settings import NAME
from docmt.recipes.yaml_source import as_one_line
from docmt.runs.run import Run
from docmt.storage.files import PathLike
from docmt.storage.json_files import read_json

_DEFAULT_RECIPE = "language-model"


def is_language_model(folder: Path) -> bool:
    """True if a folder has a decoder-only model known to `transformers`; false if that package is
    not installed."""
    try:
        read_causal_config(str(folder))
    except InputError:
        return False
    return True


def import_causal(
    name: str,
    folder: Path,
    run: PathLike,
    languages: tuple[str | None, str | None],
    *,
    pickle: bool = False,
    recipe: PathLike | None = None,
    overrides: Sequence[str] = (),
) -> Run:
    """Make the run directory of a decoder-only model.

    Args:
        name: a folder, which must stay in its place, or a name on the Hugging Face hub.
        folder: the folder of the files.
        run: the directory to make.
        languages: codes of the source and the target language.
        pickle: whether pickles were requested, which are never read for these models.
        recipe: the other settings of the run, including the languages: a bundled name or a file.
        overrides: `key.sub=value` each, for the recipe.

    Raises:
        InputError: the model has no safetensors or no tokenizer, a language is missing, or the
            recipe is not valid.
    """
    if pickle or not any(folder.glob("*.safetensors")):
        raise InputError(
            "is read from safetensors only, as all language models are",
            path=folder,
            cure="Leave out `pickle`, and convert the weights to safetensors if there are none",
            parameters=("pickle",),
        )
    if recipe is None and None in languages:
        raise InputError(
            "is a language model, whose files do not say from which language into which it is to "
            "translate",
            path=folder,
            cure="Give `source_language` and `target_language`, such as en and de",
            parameters=("source_language", "target_language"),
        )
    model = str(Path(name).resolve()) if folder == Path(name) else name
    family = read_json(folder / "config.json")["model_type"]
    listed: list[tuple[str, str | None]] = [
        ("description", f"The language model {name} ({family})."),
        ("system.name", NAME),
        ("system.dialect", "transformers"),
        ("system.model", model),
        ("data.source_language", languages[0]),
        ("data.target_language", languages[1]),
    ]
    own = [f"{key}={as_one_line(value)}" for key, value in listed if value is not None]
    loaded = load_any(recipe or _DEFAULT_RECIPE, ["system.url=null", *own, *overrides])
    return Run.make(run, loaded)
