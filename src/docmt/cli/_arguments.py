"""Arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer


def complete_recipes(incomplete: str) -> list[str]:
    """The bundled recipes whose names begin with what was typed, for completion in the shell."""
    from docmt.recipes.bundle import names

    return [name for name in names() if name.startswith(incomplete)]


RecipeName = Annotated[
    str,
    typer.Argument(
        metavar="RECIPE",
        help="Name of a bundled recipe, or path of a YAML file.",
        autocompletion=complete_recipes,
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="KEY=VALUE", help="Keys to change, for example `training.max_steps=500`."
    ),
]
