"""`docmt recipes`: list the bundled recipes, show one in full, and explain the keys of a recipe."""

from __future__ import annotations

from typing import Annotated

import typer

from docmt.cli.arguments import Overrides, RecipeName
from docmt.cli.terminal import note, print_names
from docmt.ground.choices import PromptName
from docmt.ground.errors import InputError

commands = typer.Typer(invoke_without_command=True)


@commands.callback()
def _list(context: typer.Context) -> None:
    """List the bundled recipes by paper, show one in full, or explain every key.

    If standard output is not a terminal, the list has one line per recipe, for `grep` and other
    programs: name, tab, purpose.
    """
    if context.invoked_subcommand is not None:
        return
    from docmt.recipes.bundle import descriptions, papers

    described = descriptions()
    groups = {paper: {name: described[name] for name in names} for paper, names in papers().items()}
    print_names("recipe", groups)


@commands.command()
def show(
    recipe: RecipeName,
    overrides: Overrides = None,
    *,
    prompt: Annotated[
        PromptName | None,
        typer.Option(
            help="Print the template of a language model's prompt instead: for one sentence, for "
            "several, to correct a translation, or for a summary. Set request.prompts to a folder "
            "with changed templates (sentence.j2, …).",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print a recipe in full, including all extended recipes, with the help of each key.

    The output is a recipe itself: `docmt recipes show demo-sentence > mine.yaml`.
    """
    from docmt import recipes

    loaded = recipes.load_any(recipe, overrides or [], note)
    if prompt is None:
        typer.echo(recipes.show(loaded), nl=False)
    elif isinstance(loaded, recipes.LanguageModelRecipe):
        from docmt.language_models.prompts import prompt_texts

        typer.echo(prompt_texts(loaded.request.prompts)[prompt], nl=False)
    else:
        raise InputError(
            f"{recipe} is not the recipe of a language model, and has no prompts",
            cure="Leave out `prompt`, or show a recipe such as language-model",
            parameters=("prompt",),
        )


@commands.command()
def keys(
    system: Annotated[
        str | None,
        typer.Argument(
            metavar="SYSTEM",
            help="Explain only the keys of this system, also of another package, or with "
            "`language-model` the sections only its recipes have.",
        ),
    ] = None,
) -> None:
    """Explain every key of a recipe, with values and default."""
    import textwrap

    from docmt.recipes import keys as all_keys

    for key in all_keys(system):
        default = f", default {key.default}" if key.default else ""
        typer.secho(key.name, bold=True, nl=False)
        typer.echo("" if key.kind == "section" else f": {key.kind}{default}")
        typer.echo(textwrap.indent(textwrap.fill(key.help, 88), "    "))


@commands.command()
def profiles() -> None:
    """List the models made for translating that docmt knows by name: prompt, languages, license.

    An import of such a model sets `system.profile`, and the run has the languages of the model.
    """
    import textwrap

    from docmt.language_models.profiles import profiles as all_profiles

    for profile in all_profiles().values():
        first, *others = profile.facts()
        typer.secho(first, bold=True)
        for text in (*others, *([profile.prompt] if profile.prompt else ())):
            lines = text.splitlines() if text == profile.prompt else textwrap.wrap(text, 88)
            typer.echo(textwrap.indent("\n".join(lines), "    "))
