"""Runs of decoder-only models: the weights stay in their folder, and `transformers` runs them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docmt.ground.errors import InputError
from docmt.language_models.pretrained_causal import is_gguf, read_causal_config
from docmt.language_models.profiles import profile_of
from docmt.recipes import load_any
from docmt.recipes.language_model_settings import NAME
from docmt.recipes.yaml_source import as_one_line
from docmt.runs.run import Run
from docmt.storage.files import PathLike

_DEFAULT_RECIPE = "language-model"


def is_language_model(path: Path) -> bool:
    """True if a folder has a decoder-only model known to `transformers`; false if that package is
    not installed."""
    try:
        read_causal_config(str(path))
    except InputError:
        return False
    return True


def import_causal(
    name: str,
    path: Path,
    run: PathLike,
    languages: tuple[str | None, str | None],
    *,
    all_languages: Sequence[str] = (),
    pickle: bool = False,
    recipe: PathLike | None = None,
    overrides: Sequence[str] = (),
) -> Run:
    """Make the run directory of a decoder-only model.

    Args:
        name: a folder or a GGUF file, which must stay in its place, or a name on the hub.
        path: the folder of the files, or the GGUF file.
        run: the directory to make.
        languages: codes of the source and the target language.
        all_languages: codes of all languages of the run, between which it translates. Default: the
            pair alone.
        pickle: whether pickles were requested, which are never read for these models.
        recipe: the other settings of the run, including the languages: a bundled name or a file.
        overrides: `key.sub=value` each, for the recipe.

    Raises:
        InputError: the model has no safetensors or no tokenizer, a language is missing, or the
            recipe is not valid.
    """
    config = read_causal_config(str(path))
    if pickle or not (is_gguf(name) or any(path.glob("*.safetensors"))):
        raise InputError(
            "is read from safetensors only, as all language models are",
            path=path,
            cure="Leave out `pickle`, and convert the weights to safetensors if there are none",
            parameters=("pickle",),
        )
    if recipe is None and None in languages:
        raise InputError(
            "is a language model, whose files do not say from which language into which it is to "
            "translate",
            path=path,
            cure="Give `source_language` and `target_language`, such as en and de",
            parameters=("source_language", "target_language"),
        )
    model = str(Path(name).resolve()) if path == Path(name) else name
    profile = profile_of(name)
    listed: list[tuple[str, object]] = [
        *(profile.keys() if profile is not None and profile.is_asked else ()),
        ("description", f"The language model {name} ({config.model_type})."),
        ("system.name", NAME),
        ("system.dialect", "transformers"),
        ("system.model", model),
        ("data.source_language", languages[0]),
        ("data.target_language", languages[1]),
        ("system.languages", list(all_languages) or None),
    ]
    own = [f"{key}={as_one_line(value)}" for key, value in listed if value is not None]
    loaded = load_any(recipe or _DEFAULT_RECIPE, ["system.url=null", *own, *overrides])
    return Run.make(run, loaded)
