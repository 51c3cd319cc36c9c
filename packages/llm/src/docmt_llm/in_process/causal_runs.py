"""Runs of decoder-only models: the weights stay in their folder, and `transformers` runs them."""

from __future__ import annotations

from pathlib import Path

from docmt.interop.importers import ImportRequest
from docmt_files.base.errors import InputError
from docmt_llm.endpoints.profiles import profile_of
from docmt_llm.in_process.pretrained_causal import is_gguf, read_causal_config
from docmt_llm.language_model_settings import NAME
from docmt_nmt.recipes import load_any
from docmt_nmt.recipes.yaml_source import as_one_line
from docmt_nmt.runs.run import Run

_DEFAULT_RECIPE = "language-model"


def is_language_model(path: Path) -> bool:
    """True if a folder has a decoder-only model known to `transformers`; false if that package is
    not installed."""
    try:
        read_causal_config(str(path))
    except InputError:
        return False
    return True


def import_causal(request: ImportRequest) -> Run:
    """Make the run directory of a decoder-only model.

    Raises:
        InputError: the model has no safetensors or no tokenizer, a language is missing, or the
            recipe is not valid.
    """
    name, path, languages = request.name, request.path, request.pair
    config = read_causal_config(str(path))
    if request.pickle or not (is_gguf(name) or any(path.glob("*.safetensors"))):
        raise InputError(
            "is read from safetensors only, as all language models are",
            path=path,
            cure="Leave out `pickle`, and convert the weights to safetensors if there are none",
            parameters=("pickle",),
        )
    if request.recipe is None and None in languages:
        raise InputError(
            "is a language model, whose files do not say from which language into which it is to "
            "translate",
            path=path,
            cure="Give `source_language` and `target_language`, such as en and de",
            parameters=("source_language", "target_language"),
        )
    profile = profile_of(name)
    listed: list[tuple[str, object]] = [
        *(profile.keys() if profile is not None and profile.is_asked else ()),
        ("description", f"The language model {name} ({config.model_type})."),
        ("system.name", NAME),
        ("system.dialect", "transformers"),
        ("system.model", request.model),
        ("data.source_language", languages[0]),
        ("data.target_language", languages[1]),
        ("system.languages", list(request.all_languages) or None),
    ]
    own = [f"{key}={as_one_line(value)}" for key, value in listed if value is not None]
    recipe = request.recipe or _DEFAULT_RECIPE
    return Run.make(request.run, load_any(recipe, ["system.url=null", *own, *request.overrides]))
