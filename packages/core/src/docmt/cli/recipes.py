"""`docmt recipes`: list the bundled recipes, show one in full, and explain the keys of a recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.arguments import Overrides, RecipeName
from docmt.cli.terminal import note, print_names
from docmt_files.base.errors import InputError

if TYPE_CHECKING:
    from docmt_nmt.recipes import BaseRecipe

commands = typer.Typer(invoke_without_command=True)


@commands.callback()
def _list(context: typer.Context) -> None:
    """List the bundled recipes by paper, show one in full, or explain every key.

    If standard output is not a terminal, the list has one line per recipe, for `grep` and other
    programs: name, tab, purpose.
    """
    if context.invoked_subcommand is not None:
        return
    from docmt_nmt.recipes.bundle import descriptions, papers

    described = descriptions()
    groups = {paper: {name: described[name] for name in names} for paper, names in papers().items()}
    print_names("recipe", groups)


@commands.command()
def show(
    recipe: RecipeName,
    overrides: Overrides = None,
    *,
    prompt: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Print a prompt of the recipe's translator instead: of a language model, the "
            "template `sentence`, `batch`, `correct`, `summary`, `names` or `recall`. Set "
            "request.prompts to a folder with changed templates (sentence.j2, …).",
            show_default=False,
        ),
    ] = None,
    short: Annotated[
        bool, typer.Option("--short", help="Leave out the help: keys and values alone.")
    ] = False,
) -> None:
    """Print a recipe in full, including all extended recipes, with the help of each key.

    The output is a recipe itself: `docmt recipes show demo-sentence > mine.yaml`.
    """
    from docmt_nmt import recipes

    loaded = recipes.load_any(recipe, overrides or [], note)
    if prompt is None:
        typer.echo(recipes.dump(loaded) if short else recipes.show(loaded), nl=False)
    else:
        typer.echo(_prompt(recipe, loaded, prompt), nl=False)


def _prompt(name: str, recipe: BaseRecipe, prompt: str) -> str:
    """A prompt of the translator of a recipe."""
    from docmt_nmt.recipes.translator_kinds import translator_kind

    prompts_of = translator_kind(recipe.translator_name).prompts
    if prompts_of is None:
        raise InputError(
            f"the translator {recipe.translator_name} of {name} has no prompts",
            cure="Leave out `prompt`, or show a recipe such as language-model",
            parameters=("prompt",),
        )
    prompts = prompts_of(recipe)
    if prompt not in prompts:
        raise InputError(
            f"there is no prompt {prompt!r}",
            cure=f"Name one of {', '.join(prompts)}",
            parameters=("prompt",),
        )
    return prompts[prompt]


@commands.command()
def keys(
    system: Annotated[
        str | None,
        typer.Argument(
            metavar="SYSTEM",
            help="Explain only the keys of this system, also of another package; or of an engine, "
            "such as `language-model`, whose recipes have other sections.",
        ),
    ] = None,
) -> None:
    """Explain every key of a recipe, with values and default."""
    import textwrap

    from docmt_nmt.recipes import keys as all_keys

    for key in all_keys(system):
        default = f", default {key.default}" if key.default else ""
        typer.secho(key.name, bold=True, nl=False)
        typer.echo("" if key.kind == "section" else f": {key.kind}{default}")
        typer.echo(textwrap.indent(textwrap.fill(key.help, 88), "    "))
