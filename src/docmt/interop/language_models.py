"""Runs of decoder-only models: their weights stay where they are, and `transformers` runs them."""

from __future__ import annotations

from pathlib import Path

from docmt.data import DataSettings
from docmt.engine_runs import EngineRun
from docmt.engines.language_model_settings import LanguageModelSettings
from docmt.engines.pretrained_causal import read_causal_config
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.json_files import read_json
from docmt.recipes import EngineRecipe


def is_language_model(folder: Path) -> bool:
    """True if a folder has a decoder-only model that `transformers` knows; false if that package is
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
) -> EngineRun:
    """Make the run directory of a decoder-only model.

    Args:
        name: a folder, which is then to stay where it is, or a name on the Hugging Face hub.
        folder: where its files are.
        run: the directory to make.
        languages: codes of the source and the target language.
        pickle: whether pickles were to be read, which these models never are from.

    Raises:
        InputError: the model has no safetensors or no tokenizer, or a language is missing.
    """
    if pickle or not any(folder.glob("*.safetensors")):
        raise InputError(
            "is read from safetensors only, as all language models are",
            path=folder,
            cure="Leave out `pickle`, and convert the weights to safetensors if there are none",
        )
    source, target = languages
    if source is None or target is None:
        raise InputError(
            "is a language model, whose files do not say from which language into which it is to "
            "translate",
            path=folder,
            cure="Give `source_language` and `target_language`, such as en and de",
        )
    family = read_json(folder / "config.json")["model_type"]
    recipe = EngineRecipe(
        description=f"The language model {name} ({family})",
        data=DataSettings.read({"source_language": source, "target_language": target}),
        system=LanguageModelSettings(
            dialect="transformers",
            model=str(Path(name).resolve()) if folder == Path(name) else name,
        ),
    )
    return EngineRun.create(run, recipe)
