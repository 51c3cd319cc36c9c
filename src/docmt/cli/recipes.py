"""`docmt recipes`: the bundled recipes, one of them in full, and all keys a recipe may have."""

from __future__ import annotations

import typer

from docmt.cli.arguments import Overrides, RecipeName
from docmt.cli.terminal import note

recipes = typer.Typer(invoke_without_command=True)


@recipes.callback()
def listed(context: typer.Context) -> None:
    """List the bundled recipes; show one of them, or explain every key."""
    if context.invoked_subcommand is not None:
        return
    from rich.console import Console
    from rich.table import Table

    from docmt.recipes import load, names

    table = Table("recipe", "what it is for", box=None, pad_edge=False, header_style="bold")
    for name in names():
        table.add_row(name, load(name).description)
    Console().print(table)


@recipes.command()
def show(
    recipe: RecipeName,
    overrides: Overrides = None,
) -> None:
    """Print a recipe with all that it extends, and the help of each key.

    The output is a recipe itself: `docmt recipes show demo-sentence > mine.yaml`.
    """
    from docmt.recipes import load
    from docmt.recipes import show as shown

    typer.echo(shown(load(recipe, overrides or [], note)), nl=False)


@recipes.command()
def keys() -> None:
    """Explain every key a recipe may have, with its values and its default."""
    import textwrap

    from docmt.recipes import keys as all_keys

    for key in all_keys():
        default = f", default {key.default}" if key.default else ""
        typer.secho(f"{key.name}", bold=True, nl=False)
        typer.echo("" if key.kind == "section" else f": {key.kind}{default}")
        typer.echo(textwrap.indent(textwrap.fill(key.help, 88), "    "))
