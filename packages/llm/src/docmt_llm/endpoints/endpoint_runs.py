"""Runs of large language models behind an endpoint. `import_endpoint` asks the endpoint for its
features.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from docmt.interop.importers import first_pair
from docmt_files.storage.files import PathLike
from docmt_llm.endpoints.endpoint_probing import list_models, probe, sentences
from docmt_llm.endpoints.event_loop import run as run_coroutine
from docmt_llm.endpoints.profile_shape import PlainSentence
from docmt_llm.endpoints.profiles import profile_named, profile_of
from docmt_llm.endpoints.request_shapes import RequestWriter
from docmt_llm.language_model_settings import (
    NAME,
    Dialect,
    LanguageModelSettings,
    PromptSettings,
    check_url,
)
from docmt_llm.prompting.prompts import Prompts
from docmt_llm.recipes.language_model_recipe import LanguageModelRecipe
from docmt_nmt.recipes import load_any
from docmt_nmt.recipes.yaml_source import as_one_line
from docmt_nmt.runs.run import Run, check_new

DEFAULT_RECIPE = "language-model"

_OLLAMA_CONTEXT = 8192
"""The context size requested from Ollama, in tokens; Ollama's default is half as large."""

_PROBE_REQUEST = {"retries": 1, "timeout": 120.0, "concurrency": 1}
"""Settings of the first requests, while the user waits."""


def import_endpoint(
    url: str,
    model: str,
    run: PathLike,
    *,
    recipe: PathLike = DEFAULT_RECIPE,
    overrides: Sequence[str] = (),
    dialect: Dialect | None = None,
    languages: tuple[str | None, str | None] = (None, None),
    all_languages: Sequence[str] = (),
    note: Callable[[str], None] = lambda _: None,
) -> Run:
    """Make the run directory of a language model, after the model has answered.

    Args:
        url: the base URL of the endpoint; `/v1` at the end may be left out.
        model: the name of the model at the endpoint.
        run: the directory to make.
        recipe: the other settings of the run: a bundled name or a file. The recipe of a trained
            system gives the corpus and the evaluation.
        overrides: `key.sub=value` each, for the recipe.
        dialect: the dialect of the endpoint. Default: found by asking the endpoint.
        languages: codes of the source and the target language. Default: the first of all languages,
            or else the recipe's.
        all_languages: codes of all languages of the run, between which it translates. Default: the
            pair alone.
        note: called with the features of the endpoint, in sentences.

    Raises:
        InputError: the endpoint cannot be reached, asks for another key, or has no such model; or
            the recipe is not valid.
    """
    check_new(run)
    check_url(url)
    languages = first_pair(languages, all_languages)
    profile = profile_of(model)
    if profile is not None and not profile.is_asked:
        profile = None
    listed: list[tuple[str, object]] = [
        *(profile.keys() if profile is not None else ()),
        ("system.name", NAME),
        ("system.url", url),
        ("system.model", model),
        ("system.dialect", dialect or "openai"),
        ("data.source_language", languages[0]),
        ("data.target_language", languages[1]),
        ("system.languages", list(all_languages) or None),
    ]
    own = [f"{key}={as_one_line(value)}" for key, value in listed if value is not None]
    loaded = load_any(recipe, [*own, *overrides])
    assert isinstance(loaded, LanguageModelRecipe), "other systems have no system.url"
    if any(override.startswith("system.dialect=") for override in overrides):
        dialect = loaded.system.dialect
    patient = PromptSettings.read(loaded.request.model_dump() | _PROBE_REQUEST)
    system, request = loaded.system, loaded.request
    listing = run_coroutine(list_models(system, patient))
    listing.check(system.model)
    found = {"url": listing.url, "dialect": dialect or listing.dialect}
    system = LanguageModelSettings.read(system.model_dump() | found)
    trial = None
    if system.profile is not None:
        profile = profile_named(system.profile)
        writer = RequestWriter(Prompts(loaded.languages), "none", request.max_tokens_factor, 0)
        has_template = system.dialect != "ollama"
        trial = PlainSentence(writer, profile, loaded.languages, has_template).trial()
    abilities = run_coroutine(probe(system, patient, listing, trial))
    for text in (*sentences(system, abilities), *(profile.facts() if trial and profile else ())):
        note(text)
    if system.dialect == "ollama" and system.max_context_tokens is None:
        size = min(abilities.context_tokens or _OLLAMA_CONTEXT, _OLLAMA_CONTEXT)
        system = system.model_copy(update={"max_context_tokens": size})
        note(f"docmt asks it for a context of {size:,} tokens (system.max_context_tokens).")
    if abilities.meets_schemas is None and request.structured == "auto":
        request = request.model_copy(update={"structured": "none"})
    description = f"The language model {model}."
    changed = {"description": description, "system": system, "request": request}
    return Run.make(run, loaded.model_copy(update=changed))
