"""`docmt recipes profiles`: the models made for translating."""

from __future__ import annotations

import textwrap

import typer


def profiles() -> None:
    """List the models made for translating that docmt knows by name: prompt, languages, license.

    An import of such a model sets `system.profile`, and the run has the languages of the model.
    """
    from docmt_llm.endpoints.profiles import profiles as all_profiles

    for profile in all_profiles().values():
        first, *others = profile.facts()
        typer.secho(first, bold=True)
        for text in (*others, *([profile.prompt] if profile.prompt else ())):
            lines = text.splitlines() if text == profile.prompt else textwrap.wrap(text, 88)
            typer.echo(textwrap.indent("\n".join(lines), "    "))
