"""`docmt serve`: translation over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.options import Options
from docmt.cli.served_models import RUNS, SEARCH, load_models, unchanged
from docmt.cli.terminal import note
from docmt.ground.errors import InputError
from docmt.serving.service_settings import ServiceSettings

if TYPE_CHECKING:
    from docmt.translators.translator import Translator

_DOCUMENT_LM = typer.Option(
    metavar="PATH",
    help="Document language model of all systems that give several translations of a sentence: a "
    "run directory of a language model, a GGUF file or a folder of transformers.",
)


def serve(
    runs: Annotated[list[str] | None, RUNS] = None,
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
    search: Annotated[Mapping[str, Any], SEARCH],
) -> None:
    """Translate over HTTP, for other programs and for people with a browser.

    Clients of LibreTranslate, DeepL and OpenAI work with this server.
    """
    from docmt.serving import api_keys
    from docmt.serving.server import run_server
    from docmt.serving.service import Service

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
    models = load_models(runs, search, with_model, settings.models_from)
    models[0].translator  # noqa: B018  # A service that is ready translates at once.
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


def _with_document_lm(path: str | None) -> Callable[[Translator], Translator]:
    """A function that gives a translator the document language model, where it can have one."""
    if path is None:
        return unchanged
    from docmt.translating.document_lm_runs import (
        load_text_model,
        takes_document_lm,
        with_document_lm,
    )

    model = load_text_model(path)
    return lambda each: with_document_lm(each, model) if takes_document_lm(each) else each
