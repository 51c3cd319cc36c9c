"""`docmt serve`: translation over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.options import Options
from docmt.cli.terminal import note
from docmt.ground.errors import InputError
from docmt.recipes.search import SearchSettings
from docmt.serving.service_settings import ServiceSettings

if TYPE_CHECKING:
    from docmt.serving.models import Models
    from docmt.translators.translator import Translator

_SEARCH = Options(
    "Search", fields_of=SearchSettings, only=("beam_size", "precision", "compiled", "shortlist")
)

_DOCUMENT_LM = typer.Option(
    metavar="PATH",
    help="Document language model of all systems that give several translations of a sentence: a "
    "run directory of a language model, a GGUF file or a folder of transformers.",
)


def serve(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]...",
            help="Run directories of systems and language models. Of several for the same "
            "languages, the first is the default. Default: all installed models (`docmt models`), "
            "pairs through English included, and the bundled model.",
            show_default=False,
        ),
    ] = None,
    *,
    add_key: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Make a key for an account of this name, add the digest to the file `keys`, print "
            "the key, and exit.",
        ),
    ] = None,
    document_lm: Annotated[str | None, _DOCUMENT_LM] = None,
    settings: Annotated[ServiceSettings, Options("Service")],
    search: Annotated[Mapping[str, Any], _SEARCH],
) -> None:
    """Translate over HTTP, for other programs and for people with a browser.

    Clients of LibreTranslate, DeepL and OpenAI work with this server.
    """
    try:
        from docmt.serving import api_keys
        from docmt.serving.server import run_server
        from docmt.serving.service import Service
    except ImportError as error:
        raise InputError(
            f"the service needs the package {error.name}", cure="Run `pip install docmt[server]`"
        ) from None
    if add_key is not None:
        if settings.keys is None:
            raise InputError(
                "`add_key` needs the file to add to",
                cure="Add `keys=FILE`",
                parameters=("add_key", "keys=FILE"),
            )
        typer.echo(api_keys.add_key(settings.keys, add_key))
        return
    with_model = _with_document_lm(document_lm)
    models = _load(runs, search, with_model) if runs else _installed(search, with_model)
    folder = settings.folder
    place = TemporaryDirectory(prefix="docmt-") if folder is None else nullcontext(str(folder))
    with place as path:
        for model in models:
            count = len({*model.language_set.sources, *model.language_set.targets})
            more = "" if model.language_set.is_one_pair else f", and all of {count} languages"
            note(f"{model.name}: {model.source} → {model.target}{more}")
        run_server(
            Service.of(settings, models, Path(path)),
            lambda url: note(f"listening on {url}; press Ctrl-C to stop"),
        )


def _unchanged(translator: Translator) -> Translator:
    return translator


def _with_document_lm(path: str | None) -> Callable[[Translator], Translator]:
    """A function that gives a translator the document language model, where it can have one."""
    if path is None:
        return _unchanged
    from docmt.translating.document_lm_runs import (
        load_text_model,
        takes_document_lm,
        with_document_lm,
    )

    model = load_text_model(path)
    return lambda each: with_document_lm(each, model) if takes_document_lm(each) else each


def _installed(search: Mapping[str, Any], with_model: Callable[[Translator], Translator]) -> Models:
    """The translators of all installed models, each loaded when it is first used."""
    from docmt.models import InstalledModels, PairTranslators
    from docmt.serving.models import DeferredTranslator, Model, Models

    translators = PairTranslators(InstalledModels.default(), search)
    models = []

    def load_pair(pair: tuple[str, str]) -> Translator:
        return with_model(translators.translator(*pair))

    for pair in translators.pairs():
        load = partial(load_pair, pair)
        models.append(Model("-".join(pair), DeferredTranslator(pair, load)))
    models[0].translator  # noqa: B018  # A service that is ready translates at once.
    return Models(models)


def _load(
    runs: list[str],
    search: Mapping[str, Any],
    with_model: Callable[[Translator], Translator] = _unchanged,
) -> Models:
    """Load the translators of run directories."""
    from docmt.runs.open_run import open_run
    from docmt.serving.models import Model, Models

    models = []
    for run in runs:
        name = run.partition(":")[2] or Path(run).resolve().name
        opened = open_run(run)
        # Options of search have no effect on a translator that does not search.
        options = {key: value for key, value in search.items() if key in opened.options}
        models.append(Model(name, with_model(opened.translator(**options))))
    return Models(models)
