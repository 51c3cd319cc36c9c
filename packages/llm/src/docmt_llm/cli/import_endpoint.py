"""`docmt import language-model`: a run of a large language model behind an endpoint."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.arguments import ALL_LANGUAGES, Overrides, codes_of, complete_recipes
from docmt.cli.terminal import note
from docmt_llm.language_model_settings import EndpointDialect


def language_model(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="Base URL of an endpoint with OpenAI's chat completions or Ollama's API, such as "
            "http://127.0.0.1:8080/v1.",
        ),
    ],
    overrides: Overrides = None,
    *,
    model: Annotated[str, typer.Option(help="Name of the model at the endpoint.")],
    recipe: Annotated[
        str,
        typer.Option(
            help="Name or file of a recipe with the other settings, such as requests and the "
            "corpus. `demo-language-model` has the bundled corpus.",
            autocompletion=complete_recipes,
        ),
    ] = "language-model",
    dialect: Annotated[
        EndpointDialect | None,
        typer.Option(help="Server of the model. Default: found by asking the endpoint."),
    ] = None,
    source_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Source language. Default: the recipe's, en.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Target language. Default: the recipe's, de.")
    ] = None,
    languages: Annotated[str | None, ALL_LANGUAGES] = None,
    run: Annotated[Path, typer.Option(help="Run directory to create.")],
) -> None:
    """Make a run of a large language model behind an endpoint, local or remote.

    One or two short requests find out the features of the endpoint. The key, if the endpoint needs
    one, comes from the environment variable DOCMT_API_KEY, or from the file of mode 600 named by
    DOCMT_API_KEY_FILE, and is stored nowhere.
    """
    from docmt_llm.endpoints.endpoint_runs import import_endpoint

    import_endpoint(
        url,
        model,
        run,
        recipe=recipe,
        overrides=overrides or [],
        dialect=dialect,
        languages=(source_language, target_language),
        all_languages=codes_of(languages),
        note=note,
    )
    typer.echo(f"Imported. Translate with: docmt translate --run {shlex.quote(str(run))} INPUT")
