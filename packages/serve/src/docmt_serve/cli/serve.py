"""`docmt serve`: translation over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from docmt.cli.options import DecoratorOptions, Options
from docmt.cli.terminal import inform, note
from docmt_files.base.errors import InputError
from docmt_nmt.translators.decorator_options import load_decorators
from docmt_serve.cli.served_models import RUNS, SEARCH, get_models, load_models
from docmt_serve.service.service_settings import ServiceSettings


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
    get: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PAIR",
            envvar="DOCMT_GET",
            help="Get the model of a pair, such as en-pt, before the start unless it is here, from "
            "the registry of `models_from`. Repeat it for several; the variable has spaces "
            "between them.",
        ),
    ] = None,
    settings: Annotated[ServiceSettings, Options("Service")],
    decorators: Annotated[Mapping[str, str], DecoratorOptions("Search")],
    search: Annotated[Mapping[str, Any], SEARCH],
) -> None:
    """Translate over HTTP, for other programs and for people with a browser.

    Clients of LibreTranslate, DeepL and OpenAI work with this server.
    """
    from docmt_serve.service.service import Service
    from docmt_serve.stores import api_keys
    from docmt_serve.web.server import run_server

    if add_key is not None:
        if settings.keys is None:
            raise InputError(
                "`add_key` needs the file to add to",
                cure="Add `keys=FILE`",
                parameters=("add_key", "keys=FILE"),
            )
        typer.echo(api_keys.add_key(settings.keys, add_key))
        return
    # A system that cannot have a decorator serves without it.
    decorate = load_decorators(decorators, lenient=True)
    get_models(get or (), runs, settings.models_from)
    models = load_models(runs, search, decorate, settings.models_from)
    if models:
        models[0].translator  # noqa: B018  # A service that is ready translates at once.
    else:
        note("no model is installed: the page says how to get one, as does `docmt models`")
    folder = settings.folder
    place = TemporaryDirectory(prefix="docmt-") if folder is None else nullcontext(str(folder))
    with place as path:
        for model in models:
            count = len({*model.language_set.sources, *model.language_set.targets})
            more = "" if model.language_set.is_one_pair else f", and all of {count} languages"
            inform(f"{model.name}: {model.source} → {model.target}{more}")
        run_server(
            Service.of(settings, models, Path(path)),
            lambda url: inform(f"listening on {url}; press Ctrl-C to stop"),
        )
