"""Runs of T5 models with target-language tags: the weights stay in their folder."""

from __future__ import annotations

from docmt.interop.importers import ImportRequest
from docmt_files.base.errors import InputError
from docmt_llm.recipes.t5_recipe import NAME
from docmt_llm.t5.tagged_t5 import TaggedTokenizer
from docmt_nmt.recipes import load_any
from docmt_nmt.recipes.yaml_source import as_one_line
from docmt_nmt.runs.run import Run
from docmt_nmt.translators.language_set import LanguageSet


def import_t5(request: ImportRequest) -> Run:
    """Make the run directory of a T5 with target-language tags. It names the model, and translates
    from each language of the tags into each other.

    Raises:
        InputError: the model has no tags or no safetensors, a language is missing or not among the
            tags, or the recipe is not valid.
    """
    folder = request.path
    request.refuse_all_languages()
    tags = tuple(TaggedTokenizer(folder).tags)
    if request.pickle or not any(folder.glob("*.safetensors")):
        raise InputError(
            "is read from safetensors only, as every T5 is",
            path=folder,
            cure="Leave out `pickle`, and convert the weights to safetensors if there are none",
            parameters=("pickle",),
        )
    source, target = request.languages
    if source is None or target is None:
        raise InputError(
            f"translates between {len(tags):,} languages, and commands that name none need two",
            path=folder,
            cure="Give `source_language` and `target_language`, such as en and de",
            parameters=("source_language", "target_language"),
        )
    source, target = LanguageSet(tags, tags).pair(source, target)
    own = {
        "translator": NAME,
        "description": f"The T5 {request.name}.",
        "settings.model": request.model,
        "data.source_language": source,
        "data.target_language": target,
    }
    listed = [f"{key}={as_one_line(value)}" for key, value in own.items()]
    return Run.make(request.run, load_any(request.recipe, [*listed, *request.overrides]))
