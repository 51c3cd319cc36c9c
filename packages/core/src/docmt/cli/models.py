"""`docmt models`: the models of language pairs: list, get, add, remove."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.arguments import complete_models
from docmt.cli.terminal import inform, progress_bar
from docmt_files.base.errors import InputError
from docmt_files.base.wording import megabytes

if TYPE_CHECKING:
    from docmt.models import InstalledModels, Registry

commands = typer.Typer(invoke_without_command=True)

_REGISTRY = typer.Option(
    metavar="FILE|URL",
    help="Registry of models: a JSON file in the form of Mozilla's, on this machine or elsewhere. "
    "Default: Mozilla's.",
    show_default=False,
)


@commands.callback()
def _list(
    context: typer.Context,
    *,
    registry: Annotated[str | None, _REGISTRY] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for other programs.")
    ] = False,
) -> None:
    """List, get, add and remove models by language, such as those with which Firefox translates.

    Without a further command, list the models that are installed and those that can be had. They
    are kept in the user's cache folder, or in the folder of the environment variable DOCMT_MODELS.
    """
    if context.invoked_subcommand is not None:
        return
    from docmt.models import MOZILLA, InstalledModels

    models = InstalledModels.default()
    try:
        known: Registry | None = models.registry(registry or MOZILLA)
    except InputError as error:
        if registry is not None:
            raise
        known = models.known_registry()
        inform(f"docmt: {error.problem}; listing what is known without the network")
    if as_json:
        typer.echo(json.dumps(_values(models, known), indent=2))
    else:
        _print(models, known)


def _values(models: InstalledModels, registry: Registry | None) -> dict[str, object]:
    """The installed models, and those that can be had, as plain values."""
    installed = [
        {"name": each.name, "pair": each.pair, "architecture": each.architecture,
         "license": each.license, "bytes": each.size, "directory": str(each.directory),
         "start": each.start, "material": each.material, "verdict": each.verdict}
        for each in models.all()
    ]  # fmt: skip
    listed = [] if registry is None else [registry.model(pair) for pair in registry.models]
    available = [
        {"pair": each.pair, "architecture": each.entry.architecture, "bytes": each.size}
        for each in listed
    ]
    return {"folder": str(models.folder), "installed": installed, "available": available}


def _print(models: InstalledModels, registry: Registry | None) -> None:
    """Print the installed models, and those that can be had."""
    installed = models.all()
    typer.echo(f"Installed in {models.folder}:")
    for each in installed:
        size = megabytes(each.size)
        if each.start:
            typer.echo(f"  {each.name}\t{each.pair}, adapted from {each.start}\t{size}")
            typer.echo(f"    {each.material}: {each.verdict}")
        else:
            typer.echo(f"  {each.name}\t{each.architecture}\t{size}\t{each.license}")
    if not installed:
        typer.echo("  none; `docmt models get en-pt` gets a model of a pair")
    if registry is None:
        return
    here = {each.name for each in installed}
    typer.echo(f"Can be had from {registry.place}:")
    for pair in sorted(registry.models):
        if pair not in here:
            model = registry.model(pair)
            typer.echo(f"  {pair}\t{model.entry.architecture}\t{megabytes(model.size)}")


@commands.command()
def get(
    pairs: Annotated[
        list[str],
        typer.Argument(
            metavar="PAIR...",
            help="Source and target language, such as en-pt; several get several models.",
        ),
    ],
    *,
    architecture: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Architecture of the model, where there are several, such as tiny. Default: the "
            "best that is released.",
        ),
    ] = None,
    registry: Annotated[str | None, _REGISTRY] = None,
    compile_: Annotated[
        bool | None,
        typer.Option(
            "--compile/--no-compile",
            help="Compile each model in eight bits (`docmt compile`), so that single sentences are "
            "translated several times as fast, and without PyTorch. Default: where the graphs come "
            "with docmt, as for all models of Mozilla's registry.",
        ),
    ] = None,
) -> None:
    """Get the models of pairs from a registry, and install them.

    An interrupted download goes on where it ended. Sizes and hashes are checked: those of the
    registry and, where it has none, those of the first download.
    """
    from docmt.models import MOZILLA, InstalledModels
    from docmt.models.registry import LICENSE
    from docmt_nmt.compiling.compile_anywhere import compile_anywhere, install_compiled

    models = InstalledModels.default()
    known = models.registry(registry or MOZILLA)
    wanted = [known.model(pair, architecture) for pair in pairs]
    for model in wanted:
        with progress_bar(f"{model.pair} ({megabytes(model.size)})") as show:
            come = 0

            def count(size: int, total: int = model.size) -> None:
                nonlocal come
                come += size
                if show is not None:
                    show(come, max(total, come))

            run = models.install(model, known, count)
        compiled = compile_ is not False and install_compiled(run.directory)
        if compile_ and not compiled:
            compile_anywhere(run.directory, "int8")
        terms = LICENSE if known.place == MOZILLA else "licence: see the registry"
        source, target = model.languages
        typer.echo(
            f"{model.pair}: {model.entry.architecture}, {megabytes(model.size)}, {terms}. "
            f"Translate with: docmt translate --from {source} --to {target} INPUT"
        )


@commands.command()
def add(
    *,
    run: Annotated[
        Path | None, typer.Option(help="Run directory of an imported or trained system.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Adapted model, by its name, in place of `run`.",
            autocompletion=complete_models,
        ),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="PAIR",
            help="Pair that the model translates from now on, such as en-pt. Default: the pair of "
            "the run.",
            show_default=False,
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the model that the pair has.")
    ] = False,
) -> None:
    """Make a run, or an adapted model, the model of a pair, for `docmt translate --to` and the
    service.

    The run is copied, without checkpoints and corpus.
    """
    from docmt.models import InstalledModels
    from docmt.models.adding import add_run

    models = InstalledModels.default()
    if (run is None) == (model is None):
        raise InputError(
            "one of `run` and `model` says what to add",
            cure="Name a run directory or an adapted model",
            parameters=("run", "model"),
        )
    directory = models.named(model).directory if model is not None else run
    assert directory is not None
    made = add_run(models, directory, pair, replace=replace)
    source, target = made.languages
    typer.echo(
        f"{made.name}: added, {megabytes(made.size)}. "
        f"Translate with: docmt translate --from {source} --to {target} INPUT"
    )


@commands.command()
def remove(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Models to remove: pairs, or adapted models.",
            autocompletion=complete_models,
        ),
    ],
) -> None:
    """Remove installed models."""
    from docmt.models import InstalledModels

    models = InstalledModels.default()
    for name in names:
        models.remove(name)
        typer.echo(f"{name}: removed")
